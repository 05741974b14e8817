/** What a person can type in the window in place of a message, without the slash. No file or server can take these names. */
export const windowCommands = [
  'new',
  'compact',
  'rewind',
  'context',
  'changes',
  'branches',
  'board',
  'history',
  'export',
  'apply',
  'memory',
  'skills',
  'usage',
  'settings',
  'help',
] as const
