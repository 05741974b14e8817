import { plural } from '#shared/text/plural.ts'

const namesShown = 6

export const branchListStrings = {
  states: {
    conflict: 'Conflict',
    overlap: 'Will conflict',
    clean: 'Clean',
    needs_you: 'Needs you',
    proposal: 'Proposal',
    working: 'Working',
    queued: 'Queued',
    failed: 'Failed',
    stopped: 'Stopped',
    merged: 'Merged',
    unchanged: 'No changes',
    discarded: 'Discarded',
  },
  group: (state: string, count: number) => `${state}, ${plural(count, 'branch', 'branches')}`,
  check: 'Choose (x)',
  conflictWith: (partner: string, file: string, others: number) =>
    `conflict with ${partner}: ${file}${others > 0 ? ` and ${others} more` : ''}`,
  /** A branch that merges now, and stands in the way of others once it is merged. */
  overlap: (partner: string, others: number, files: number) =>
    `will conflict with ${partner}${others > 0 ? ` and ${plural(others, 'other branch', 'other branches')}` : ''} in ${plural(files, 'file', 'files')}`,
  cleanNow: (overlap: string) => `Clean now · ${overlap}`,
  overlapHint: (overlap: string) => `This branch merges without a decision now. Once it is merged, it ${overlap}.`,
  overlapFile: (partners: readonly string[]) =>
    `Will conflict with ${partners.join(', ')} once one of the branches is merged`,
  mergeClean: (count: number) => `Merge ${count} clean`,
  mergeHint: 'Merges every branch that needs no decision. Changes of one file that do not overlap are joined.',
  mergeChosen: (count: number) => `Merge ${count} selected`,
  notFinished: (count: number) => `${plural(count, 'branch is', 'branches are')} left out until the agent has finished`,
  clear: 'Clear the selection',
  merged: (count: number) => `Merged ${plural(count, 'branch', 'branches')}`,
  nothingToMerge: 'These branches have nothing left to merge',
  left: (names: readonly string[]) => {
    const shown = names.slice(0, namesShown).join(', ')
    const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : ''
    return `${plural(names.length, 'branch needs', 'branches need')} a decision: ${shown}${more}`
  },
  back: 'All branches',
  resizeList: 'Resize the list of branches',
  resizeTimeline: 'Resize the timeline',
  list: 'List of branches',
} as const
