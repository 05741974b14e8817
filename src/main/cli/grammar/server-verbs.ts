import { jsonFlag, runFlags } from './flags.ts'
import { flagOf, folderWord, type ValueWord, type VerbWords } from './words.ts'

const serverWord: ValueWord = { placeholder: 'NAME', kind: 'text' }
const trustFlags = runFlags.filter(({ name }) => name === 'trust' || name === 'trust-mcp')

/** Verbs about the servers whose tools agents get. */
export const serverVerbs = [
  {
    name: 'mcp servers',
    summary: 'the servers that give agents tools',
    about: [
      'Lists the servers of your settings and of the folder: whether each is trusted, connected or waits for a login, and whose login it has.',
    ],
    positionals: [folderWord],
    required: 0,
    flags: [...trustFlags, jsonFlag],
    examples: [{ line: 'coppice mcp servers', about: 'those of this folder' }],
    exits: { 0: 'done', 1: 'failed', 2: 'wrong usage' },
  },
  {
    name: 'mcp login',
    summary: 'log in to a server that needs it',
    about: [
      'Opens the page of the login in your browser, and prints its address. The browser comes back to 127.0.0.1. Where it runs on another machine, paste the address at which it ended, and press Enter.',
      'A server of your own settings at an address is trusted by this. One that the folder defines needs --trust and --trust-mcp.',
      'The login is kept as keys of models are: in the key store of the desktop app, and elsewhere in a file of the data folder that only your account can read. It goes to that server and to the one who gave it, and to nobody else.',
    ],
    positionals: [serverWord, folderWord],
    required: 1,
    flags: [flagOf('no-browser', 'open no browser; only print the address'), ...trustFlags],
    examples: [
      { line: 'coppice mcp login tracker', about: 'the server "tracker" of the settings or of this folder' },
      { line: 'coppice mcp login tracker --no-browser', about: 'over SSH' },
    ],
    exits: { 0: 'logged in', 1: 'failed, or not in time', 2: 'wrong usage', 130: 'cancelled' },
  },
  {
    name: 'mcp logout',
    summary: 'forget the login to a server',
    about: ['Forgets the login here, and tells the one who gave it.'],
    positionals: [serverWord, folderWord],
    required: 1,
    flags: [],
    examples: [{ line: 'coppice mcp logout tracker', about: 'the server "tracker"' }],
    exits: { 0: 'done', 1: 'failed', 2: 'wrong usage' },
  },
] as const satisfies readonly VerbWords[]
