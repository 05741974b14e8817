import { importKinds, importTools } from '#shared/contract/views/imports.ts'
import { jsonFlag } from './flags.ts'
import { flagOf, listFlag, type VerbWords } from './words.ts'

/** Verbs about what other tools define. */
export const importVerbs = [
  {
    name: 'import',
    summary: 'take over what other tools have',
    about: [
      'Lists what Claude Code, Codex, Cursor and OpenCode have in your home and, once you trust it, in the folder: agents, commands, skills, instructions, rules, servers, hooks and memories. What Coppice reads where it is needs no import.',
      'Nothing is taken until you say what. It is written to your own settings, to folders of the data folder and to the memory of the project, never to the folder or to the files of those tools. Servers wait until you trust them, hooks come switched off, secrets and rules that allow something are not copied. --undo takes the latest import back.',
      `KIND is one of ${importKinds.join(', ')}. Rules are those that deny or ask; instructions of a folder become notes of the project.`,
    ],
    positionals: [{ placeholder: 'TOOL', kind: 'choice', choices: importTools }],
    required: 0,
    isLastRepeated: true,
    flags: [
      flagOf('all', 'take all that is new'),
      {
        ...listFlag(
          'only',
          { placeholder: 'KIND[:NAME]', kind: 'text', choices: importKinds },
          'take what is new of this kind, or the one of this name, which may replace one of yours; repeat it for more',
        ),
        isWhole: true,
      },
      flagOf('dry-run', 'take nothing: print what would be written'),
      flagOf('undo', 'take the latest import back; what you changed since stays'),
      {
        name: 'folder',
        short: 'C',
        value: { placeholder: 'FOLDER', kind: 'folder' },
        about: 'the project; default: the current folder',
      },
      flagOf('trust', 'trust the folder, so that its files are read (remembered)'),
      jsonFlag,
    ],
    examples: [
      { line: 'coppice import', about: 'what there is' },
      { line: 'coppice import claude cursor --all', about: 'all that is new of two tools' },
      { line: 'coppice import --only command --only server:github', about: 'all commands, and one server' },
      { line: 'coppice import --undo', about: 'as it was before' },
    ],
    exits: { 0: 'done', 1: 'failed', 2: 'wrong usage', 3: 'the list changed meanwhile' },
  },
] as const satisfies readonly VerbWords[]
