import { jsonFlag, runFlags } from './flags.ts'
import { folderWord, listFlag, type VerbWords } from './words.ts'

const hookWord = { placeholder: 'ID', kind: 'text' } as const

/** The verb about hooks. */
export const hookVerbs = [
  {
    name: 'hooks',
    summary: 'the hooks that are asked about calls, and which may run',
    about: [
      'Lists the hooks of your settings, of your settings of Claude Code and of the folder, each with its id. A hook of the folder waits until you approve it as it is now; when it changes it is another one and waits again.',
      'The hooks of a folder that is not trusted are not read.',
    ],
    positionals: [folderWord],
    required: 0,
    flags: [
      listFlag('approve', hookWord, 'let this hook of the folder run in the sandbox, or "all" that wait'),
      listFlag('revoke', hookWord, 'approve this hook of the folder no longer'),
      listFlag('off', hookWord, 'switch this hook off, in every project'),
      listFlag('on', hookWord, 'switch it on again'),
      ...runFlags.filter(({ name }) => name === 'trust'),
      jsonFlag,
    ],
    examples: [
      { line: 'coppice hooks', about: 'those of this folder' },
      { line: 'coppice hooks --approve 3f9a1c02', about: 'after you read what it runs' },
    ],
    exits: { 0: 'done', 1: 'failed', 2: 'wrong usage' },
  },
] as const satisfies readonly VerbWords[]
