import { formatClock, formatDuration } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

/** Words about the search for the step that broke a check. */
export const bisectStrings = {
  title: 'Which step broke it?',
  start: 'Which step broke it?',
  startHint:
    'Runs the check on earlier states of these files, halving the steps each time, those of merged branches too. What it said before is not run again.',
  again: 'Search again',
  sure: 'Ask each step several times',
  sureHint: 'For a check that may fail by chance. Takes many more runs.',
  goOn: 'Go on',
  cancel: 'Stop searching',
  begins: 'Looks at the steps',
  progress: (asked: number, most: number, steps: number) =>
    `${asked} of about ${plural(most, 'run', 'runs')} over ${plural(steps, 'step', 'steps')}`,
  cost: (runs: number, milliseconds: number) => `${plural(runs, 'run', 'runs')}, ${formatDuration(milliseconds)}`,
  left: (milliseconds: number) => `about ${formatDuration(milliseconds)} left`,
  track: 'Steps that were checked',
  dot: (step: number, verdict: string) =>
    step === 0 ? `Before the first step: ${verdict}` : `Step ${step}: ${verdict}`,
  verdicts: { green: 'green', red: 'red', flaky: 'flaky', unknown: 'cannot be checked' },
  /** How a step was made, where no call made it. */
  how: { call: 'A call', merge: 'A merge', edit: 'An edit by hand' },
  broke: (check: string, what: string, branch: string) => `${check} is red since ${what} on ${branch}`,
  by: (agent: string, at: number) => `${agent} · ${formatClock(at)}`,
  merged: 'It came with a merge.',
  task: (text: string) => `It worked on: ${text}`,
  changeOf: (path: string) => `What the step changed in ${path}`,
  more: (count: number) => `and ${plural(count, 'file', 'files')} more`,
  undo: 'Undo this change',
  undoHint: 'Takes what the step did off the branch as it is now. Refused when later changes stand on it.',
  undone: 'The step’s change is off the branch',
  fork: 'Fork from before',
  forkHint: 'Makes a new thread with the conversation and the files as they were before the step.',
  forked: (title: string) => `${title} (before it broke)`,
  tell: 'Show to the agent',
  told: (agent: string) => `Sent to ${agent}`,
  message: (check: string, what: string, diff: string) =>
    `The check ${check} is red on your branch. It was green before this step and is red after it: ${what}. Mend it, and keep what the step was for.\n\n${diff}`,
  green: (check: string) => `${check} is green now, so no step broke it.`,
  always: (check: string) =>
    `${check} was red before the first step too: your folder had it, or what was applied to it. No step since broke it.`,
  between: (after: string, until: string) =>
    `It broke after ${after} and not later than in ${until}. The steps between cannot be checked: as merges they have conflicts.`,
  beginning: 'the beginning',
  flaky: (check: string) => `Cannot tell: ${check} is red and green in turn on the same files.`,
  moved: 'Cannot tell: files in your folder changed while the check ran. Search again when nothing else writes there.',
  cancelled: 'Stopped. What the check said so far is kept.',
} as const
