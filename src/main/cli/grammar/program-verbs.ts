import { runFlags } from './flags.ts'
import { type FlagWord, folderWord, textFlag, type VerbWords } from './words.ts'

/** Flags of a run that are about a whole process. */
const processFlags: readonly FlagWord[] = runFlags.filter(({ name }) =>
  ['allow-host', 'allow-port', 'allow-socket', 'add-dir', 'ref', 'setup', 'max-iterations'].includes(name),
)
const exits = { 0: 'the other program closed the connection', 1: 'failed', 2: 'wrong usage' }

/** Verbs that other programs start, and talk to on standard input and output. */
export const programVerbs = [
  {
    name: 'acp',
    summary: 'be the agent of an editor (Agent Client Protocol)',
    about: [
      'Speaks the Agent Client Protocol on standard input and output, so that an editor such as Zed works with Coppice. The editor starts it and says which folder is meant. Its sessions are threads, which the window and the other verbs show too.',
      'The folder is only read. It is written when you type /apply in a session and say yes to the list of files. The guide says how to set it up (Editors and other agents).',
    ],
    positionals: [],
    required: 0,
    flags: processFlags,
    examples: [{ line: 'coppice acp', about: 'as the command of an agent in the settings of an editor' }],
    exits,
  },
  {
    name: 'mcp',
    summary: 'a server for other agents (Model Context Protocol)',
    about: [
      'Serves the Model Context Protocol on standard input and output, so that Claude Code, Codex, Cursor, VS Code and other agents give tasks to Coppice in one folder (default: the current one) and look at what came of them.',
      'It approves nothing and writes nothing to the folder, and it reads this project alone. With --tool it answers one call as {"result"} or {"error"} and ends with the task. The guide says how to set it up (Editors and other agents).',
    ],
    positionals: [folderWord],
    required: 0,
    flags: [
      textFlag('tool', 'NAME', 'call this tool once, print its answer as a line of JSON, and end'),
      textFlag('arguments', 'JSON', 'with --tool: its arguments'),
      ...processFlags,
    ],
    examples: [
      { line: 'claude mcp add coppice -- coppice mcp .', about: 'for Claude Code in this folder' },
      { line: 'coppice mcp . --tool list_threads', about: 'what another agent would be told' },
    ],
    exits,
  },
] as const satisfies readonly VerbWords[]
