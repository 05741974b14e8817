export const fileStrings = {
  tree: 'Project files',
  empty: 'This folder is empty.',
  unreadable: (count: number) => `${count} could not be read`,
  closeFile: 'Close file',
  absent: 'This file is not there any more.',
  truncated: 'Only the beginning is shown.',
  showDiff: 'Show changes',
  changedBelow: 'changed below',
  content: (path: string) => `Content of ${path}`,
} as const
