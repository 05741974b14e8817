import { plural } from '#shared/text/plural.ts'

/** Words about the project's checks, and about merges that wait for them. */
export const checkStrings = {
  title: 'Checks',
  states: {
    green: 'Green',
    red: 'Red',
    flaky: 'Flaky',
    running: 'Running',
    queued: 'Queued',
    stale: 'Stale',
    none: 'Not run',
  },
  hints: {
    green: 'It passed on exactly these files.',
    red: 'It failed on exactly these files.',
    flaky: 'It failed and passed on the same files, so it does not count as green.',
    running: 'It is running now.',
    queued: 'It waits for other checks to end.',
    stale: 'The last result is of older files.',
    none: 'It has not run on these files.',
  },
  /** What a screen reader says for the state of all checks. */
  stateOf: (state: string) => `Checks: ${state}`,
  of: (name: string) => `Checks of ${name}`,
  open: 'Output (o)',
  openLabel: 'Output',
  required: 'required',
  optional: 'optional',
  run: 'Run checks',
  runAgain: 'Run again',
  runAgainHint: 'Runs every check once more, even if it has a result for these files.',
  cancel: 'Cancel',
  working: 'Checks are running',
  merge: {
    one: 'Merge when green',
    oneHint: 'Makes the merge in memory, runs the checks on it, and merges only when they are green.',
    many: 'When green',
    /** The accessible name, which contains the word on the button. */
    manyLabel: (count: number) => `Merge ${count} when green`,
    manyHint:
      'In this order, each on the files that the one before it left. What is red or in conflict stays as it is.',
  },
  goal: {
    menu: 'Done means: checks are green',
    menuHint: 'When the agent stops and a required check is red, it gets the output and goes on.',
    noThread: 'Send a message first. A goal belongs to a thread.',
    noChecks: 'This project has no checks. Add some in the settings.',
    chip: (attempts: number) => `Done: green, ${plural(attempts, 'attempt', 'attempts')}`,
    chipLabel: (attempts: number) => `Goal: checks are green, ${plural(attempts, 'attempt', 'attempts')}`,
    attempts: (attempts: number) => `Send it back ${plural(attempts, 'time', 'times')} at most`,
    criteria: (isSet: boolean) => (isSet ? 'Change the criteria…' : 'Add criteria in words…'),
    none: 'No goal',
    noneHint: 'The agent is done when it says so.',
    sentBack: (names: readonly string[], at: number, attempts: number | null) =>
      `${names.length === 0 ? 'Criteria are not met' : `Checks are red: ${names.join(', ')}`}. Sent back${attempts === null ? '' : ` (${at} of ${attempts})`}`,
    output: 'What the agent was told',
    tryAgain: 'Try again',
    accept: 'Accept as it is',
    acceptHint: 'The thread is done, and has no goal any more.',
  },
} as const
