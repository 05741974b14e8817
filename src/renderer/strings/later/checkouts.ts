import { plural } from '#shared/text/plural.ts'

/** A branch as a folder of its own, in an editor or as a worktree. */
export const checkoutStrings = {
  openInEditor: 'Open branch in editor',
  more: (branch: string) => `More for ${branch}`,
  checkOut: 'Check out as worktree…',
  title: 'Check out as worktree',
  description:
    'Makes a worktree of your repository with the changes as uncommitted ones. What you change there can be taken back.',
  folder: 'Folder',
  folderHint: 'A folder that does not exist yet, or an empty one. Without a repository it gets the files alone.',
  gitBranch: 'Branch of git',
  gitBranchHint: 'Made where it does not exist. Empty for none.',
  make: 'Check out',
  made: (folder: string, leftOut: number) =>
    `Checked out in ${folder}${leftOut > 0 ? `, without ${plural(leftOut, 'file', 'files')} that no checkout can hold` : ''}`,
  list: 'Folders of this branch',
  inEditor: (folder: string) => `Open in your editor: ${folder}`,
  checkedOut: (folder: string, gitBranch: string | null) =>
    gitBranch === null ? `Checked out in ${folder}` : `Checked out in ${folder}, on ${gitBranch}`,
  gone: (folder: string) => `${folder} is gone`,
  opened: (folder: string) => `Opened ${folder}`,
  notOpened: 'The branch was not opened',
  again: 'Open again',
  takeBack: 'Take it back',
  takenBack: (files: number) =>
    files === 0 ? 'Nothing was changed there' : `Took back ${plural(files, 'file', 'files')}`,
  refused: (path: string, why: string) => `${path} was left there. ${why}`,
  close: 'Close',
  remove: 'Remove folder',
  removeAnyway: 'Remove anyway',
  removed: (folder: string) => `Removed ${folder}`,
  conflicts: 'Both sides changed these files at the same place. Choose a version of each.',
  branchVersion: 'Branch’s version',
  folderVersion: 'Folder’s version',
  branchVersionOf: (path: string) => `Take the branch’s version of ${path}`,
  folderVersionOf: (path: string) => `Take the folder’s version of ${path}`,
} as const
