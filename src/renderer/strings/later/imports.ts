import type { ImportItem, ImportKind, ImportState, ImportTool } from '#shared/contract/views/imports.ts'
import { plural } from '#shared/text/plural.ts'

/** Words about taking over what other tools define. */
export const importStrings = {
  about:
    'What Claude Code, Codex, Cursor and OpenCode have in your home and in the open folder. What you choose is written to your own settings, folders and notes, never to the folder or to the files of those tools.',
  guards:
    'Servers wait until you trust them, and hooks come switched off. Secrets are not copied, nor is what allows something.',
  untrusted: 'The files of the open folder were not read',
  untrustedDetail: 'You have not trusted the folder. Only your home was looked at.',
  noProject: 'No project is open',
  noProjectDetail: 'Only your home was looked at. Open a folder to see what it has, and notes about it.',
  problems: 'Some files were not read',
  none: 'Nothing was found',
  noneDetail: 'Your home and the open folder have no files of these tools that Coppice knows.',
  tool: {
    claude: 'Claude Code',
    codex: 'Codex',
    cursor: 'Cursor',
    opencode: 'OpenCode',
  } as const satisfies Record<ImportTool, string>,
  kind: {
    agent: 'Agent',
    command: 'Command',
    skill: 'Skill',
    instructions: 'Instructions',
    rule: 'Rule',
    server: 'Server',
    hook: 'Hook',
    memory: 'Memory',
  } as const satisfies Record<ImportKind, string>,
  state: {
    new: 'New',
    differs: 'Replaces yours',
    same: 'Here already',
    read_here: 'Read where it is',
    left_out: 'Left out',
  } as const satisfies Record<ImportState, string>,
  named: ({ kind, name }: ImportItem) => `${importStrings.kind[kind]} ${name}`,
  from: ({ source, target }: ImportItem) => (target === '' ? source : `${source} → ${target}`),
  preview: ({ name }: ImportItem) => `Preview of ${name}`,
  text: ({ name }: ImportItem) => `What would be written for ${name}`,
  change: ({ name }: ImportItem) => `What would change in ${name}`,
  showPreview: 'Preview',
  showAll: (count: number) => `Show all ${count} lines`,
  others: (count: number) => `${plural(count, 'definition needs', 'definitions need')} no import`,
  all: 'Choose all that is new',
  nothing: 'Choose none',
  import: (count: number) => `Import ${count}`,
  latest: (count: number, when: string) => `Took ${plural(count, 'definition', 'definitions')}, ${when}`,
  outcome: 'The latest import',
  undo: 'Undo',
  undone: 'The import was taken back',
  kept: 'The import was taken back, except for what you changed since',
} as const
