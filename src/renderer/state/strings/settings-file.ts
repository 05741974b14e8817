import { plural } from './common.ts'

/** The settings file by hand, and taking settings from one machine to another. */
export const settingsFileStrings = {
  title: 'Settings file',
  show: 'Show the file',
  hide: 'Hide the file',
  editor: 'settings.json',
  about: 'The form and the file are the same settings. Comments stay.',
  valid: 'Nothing is wrong with it.',
  problem: (line: number | null, message: string) => (line === null ? message : `Line ${line}: ${message}`),
  unsaved: 'Not saved yet',
  save: 'Save file',
  discard: 'Discard my changes',
  changedOutside: 'The file was changed elsewhere',
  changedOutsideDetail: 'What you wrote here was made from an older text.',
  takeTheirs: 'Show the file as it is now',
  keepMine: 'Keep what I wrote',
  saved: 'Settings saved',
  exportTitle: 'Export',
  exportAbout:
    'One file with all settings: models, permissions, agents, MCP servers. API keys are not in it; what you wrote as environment or headers of MCP servers is.',
  export: 'Save settings to a file',
  importTitle: 'Import',
  importAbout: 'Replaces the settings by those of a file. You see what changes first, and can take it back.',
  choose: 'Choose a settings file',
  preview: 'What the import changes',
  same: 'The file says what the settings say already.',
  refused: (count: number) => `${plural(count, 'problem keeps', 'problems keep')} it from being imported`,
  warned: (count: number) => `${plural(count, 'entry', 'entries')} will be kept and not used`,
  import: 'Import settings',
  imported: 'Settings imported',
  showAll: (count: number) => `Show all ${count} lines`,
} as const
