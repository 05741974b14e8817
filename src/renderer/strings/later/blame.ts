import { formatDate } from '#shared/text/format.ts'

/** Words about where a line comes from. */
export const blameStrings = {
  linesOf: (path: string) => `Where the lines of ${path} come from`,
  folder: 'From your folder. No agent wrote it.',
  folderShort: 'your folder',
  none: 'These lines are not in the file now.',
  how: { call: 'a call', merge: 'a merge by hand', edit: 'an edit by hand' },
  wrote: (agent: string, what: string, branch: string) => `${agent} wrote it with ${what} on ${branch}`,
  edited: (what: string, branch: string) => `Written by ${what} on ${branch}`,
  at: (at: number) => formatDate(at),
  task: (text: string) => `It worked on: ${text}`,
  decided: {
    ...{ approve: 'You approved the call.', edit: 'You edited the call.', reject: 'You rejected the call.' },
    ...{ respond: 'You answered the call.', run_again: 'You had the call run again.' },
    ...{ mark_done: 'You marked the call as done.', skip: 'You skipped the call.' },
  },
  notAsked: 'Nobody was asked about the call.',
  showCall: 'Show the call',
} as const
