import type { ConflictReason } from '#shared/model/branch.ts'
import { plural } from './common.ts'

const reasons: Record<ConflictReason, string> = {
  content: 'Both sides changed the same lines.',
  binary: 'Both sides changed a binary file. Take one of them.',
  delete_modify: 'One side deleted the file, the other changed it.',
  rename: 'Both sides renamed the file differently.',
  kind: 'One side has a file here, the other a folder or a link.',
  mode: 'The sides disagree whether the file is executable.',
}

export const conflictStrings = {
  title: (path: string) => `Conflict in ${path}`,
  reasons,
  decided: (count: number, of: number) => `${count} of ${of} decided`,
  previous: 'Previous conflict',
  next: 'Next conflict',
  outdated: 'A side of this conflict changed after you typed',
  outdatedDetail: 'Your text is kept. Compare it with both sides before you save it.',
  noRoom: 'There is no room to keep this draft',
  noRoomDetail: 'Save the result before you leave this page, or it is lost.',
  base: 'Base',
  ours: (by: string) => (by === '' ? 'Current (workspace)' : `Current (workspace, last changed by ${by})`),
  theirs: (name: string) => `Incoming (${name})`,
  deleted: 'Deleted on this side',
  linkTo: (target: string) => `Link to ${target}`,
  folder: 'Folder',
  executable: 'executable',
  notExecutable: 'not executable',
  hash: (digits: string) => `SHA-256 ${digits}…`,
  keepFile: 'Keep the file',
  deleteFile: 'Delete the file',
  takeWhole: { ours: 'Keep current file', theirs: 'Take incoming file' },
  absent: 'Not in this version',
  side: { ours: 'Current', theirs: 'Incoming', both: 'Both', both_reversed: 'Incoming first' },
  takes: {
    ours: 'takes current',
    theirs: 'takes incoming',
    both: 'takes current, then incoming',
    both_reversed: 'takes incoming, then current',
  },
  typed: 'edited by you',
  undecided: 'not decided',
  hunk: (index: number, count: number) => `Conflict ${index} of ${count}`,
  /** Stands above the lines of a conflict in the result. */
  mark: (index: number, decision: string) => `Conflict ${index}: ${decision}`,
  wholeFiles: 'Whole files',
  noLines: '(no lines)',
  moreLines: (count: number) => `and ${plural(count, 'more line', 'more lines')}`,
  restNotShown: 'The rest is not shown here; the result below holds all of it.',
  all: { ours: 'All current', theirs: 'All incoming', both: 'All of both' },
  replaces: (index: number | null) =>
    index === null ? 'This replaces everything that you typed.' : `This replaces what you typed in conflict ${index}.`,
  replace: 'Replace it',
  keepTyped: 'Keep what I typed',
  result: 'Result',
  saveResult: 'Save result',
  resultHint: 'Saving writes this text to the workspace.',
  decideFirst: (left: number) =>
    `To save, decide ${left === 1 ? 'the conflict' : `the ${left} open conflicts`} or edit the text.`,
  decideWhole: 'Choose a side above, or edit the text and save it.',
  editFirst: 'To save, edit the text.',
} as const
