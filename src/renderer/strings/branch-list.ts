import { plural } from './common.ts'

const namesShown = 6

export const branchListStrings = {
  states: {
    conflict: 'Conflict',
    ready: 'Ready',
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
  resizeList: 'Resize the list of branches',
  resizeTimeline: 'Resize the timeline',
  list: 'List of branches',
} as const
