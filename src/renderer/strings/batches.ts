import { plural } from './common.ts'

/** Which tasks of a batch are listed. */
export const batchFilters = ['all', 'failed', 'working', 'queued', 'done'] as const
export type BatchFilter = (typeof batchFilters)[number]

const filterLabels: Record<BatchFilter, string> = {
  all: 'All',
  failed: 'Not ok',
  working: 'Working',
  queued: 'Queued',
  done: 'Done',
}

export const batchStrings = {
  title: (tasks: number) => `Batch of ${plural(tasks, 'task', 'tasks')}`,
  progress: 'Batch progress',
  progressText: (done: number, total: number) => `${done} of ${total} tasks ended`,
  done: (count: number) => `${count} done`,
  failed: (count: number) => `${count} failed`,
  skipped: (count: number) => `${count} skipped`,
  stopped: (count: number) => `${count} stopped`,
  working: (count: number) => `${count} working`,
  queued: (count: number) => `${count} queued`,
  needsYou: (count: number) => `${count} waiting for you`,
  rate: (perMinute: string) => `${perMinute} per minute`,
  left: (duration: string) => `about ${duration} left`,
  open: 'Open batch',
  retry: 'Retry failed',
  retried: 'The tasks that did not succeed run again.',
  mergeClean: 'Merge all clean',
  merged: (count: number) => `Merged ${plural(count, 'branch', 'branches')}`,
  leftBranches: (names: readonly string[]) =>
    `${plural(names.length, 'branch has', 'branches have')} conflicts: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`,
  mergedNothing: 'No clean branch is left to merge.',
  stop: 'Stop all',
  filter: 'Show tasks',
  filters: filterLabels,
  noneShown: 'No task matches this filter.',
  table: 'Tasks',
  number: 'No.',
  id: 'Id',
  type: 'Type',
  task: 'Task',
  status: 'Status',
  time: 'Time',
  result: 'Result',
  skippedWord: 'Skipped',
  openTask: (id: string) => `Open task ${id}`,
  reviewTask: (id: string) => `Review branch of task ${id}`,
  actions: 'Open',
  results: (folder: string) => `Result files in ${folder}`,
  openResults: 'Open results',
  gone: 'This batch no longer exists.',
  goneDetail: 'Open it again from its call in the chat.',
} as const
