import { formatDuration, formatElapsed } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

const hashShown = 8

/** Words about checks that most visits never need. Parts that are fetched later import them, so they are not in the first load. */
export const checkDetails = {
  /** The output of one check. */
  result: {
    output: 'Output',
    noOutput: 'It printed nothing.',
    noResult: 'There is no result yet.',
    staleNote: 'This result is of older files. Run the check to know how the present ones do.',
    facts: (exitCode: number | null, milliseconds: number) =>
      `${exitCode === null ? 'no exit code' : `exit code ${exitCode}`} · ${formatDuration(milliseconds)}`,
    tree: (hash: string) => `tree ${hash.replace(/^[a-z0-9]+:/, '').slice(0, hashShown)}`,
    treeHint: (hash: string) => `The files that it ran on, as one hash: ${hash}`,
    dropped: (paths: readonly string[]) => `It changed files. Their changes were dropped: ${paths.join(', ')}`,
  },
  /** What a goal asks for besides checks. */
  criteria: {
    title: 'Criteria',
    about:
      'When the checks are green, one more call of the model judges the change by these words. It sees the diff and the checks, not what the agent says.',
    field: 'The change is done when',
    example: 'Every new function has a test. No public name changed.',
    save: 'Save criteria',
  },
  /** Merges that wait for checks. */
  queue: {
    title: 'Merges when green',
    summary: (merged: number, total: number) => `${merged} of ${total} merged`,
    cancelAll: 'Cancel all',
    cancelOne: (name: string) => `Cancel the merge of ${name}`,
    hide: 'Hide',
    details: 'Show why',
    detailsOf: (name: string) => `Show why ${name} was not merged`,
    review: 'Review',
    states: {
      queued: 'Queued',
      checking: (check: string, elapsed: number) =>
        check === '' ? `Merging · ${formatElapsed(elapsed)}` : `Checking ${check} · ${formatElapsed(elapsed)}`,
      merged: 'Merged',
      conflict: (files: number) => `Conflict in ${plural(files, 'file', 'files')}`,
      red: (checks: readonly string[]) => `Red on the merged files: ${checks.join(', ')}`,
      semantic: (checks: readonly string[]) => `Green alone, red together: ${checks.join(', ')}`,
      cancelled: 'Cancelled',
    },
  },
  card: {
    title: 'Check this project’s branches?',
    about:
      'Coppice then runs these commands on branches and merges, in the sandbox, and shows whether they are green. Your folder stays as it is.',
    from: (file: string) => `from ${file}`,
    use: (count: number) => (count === 1 ? 'Use this check' : 'Use these checks'),
    edit: 'Edit checks',
    notNow: 'Not now',
    never: 'Never for this project',
    take: (name: string) => `Use ${name}`,
    command: (name: string) => `Command of ${name}`,
    requiredOf: (name: string) => `${name} is required`,
    nothingChosen: 'Choose one check at least.',
    emptyCommand: (name: string) => `Write the command of ${name}, or leave the check out.`,
  },
  settings: {
    about:
      'Commands such as your tests that say whether a tree is any good. They run on branches and on merges before these are made, in the sandbox.',
    none: 'This project has no checks',
    noneDetail: 'Add them to the settings file, for this folder: a name and a command, such as "npm test".',
    proposed: 'Proposed for this folder',
    noProject: 'No project is open',
    noProjectDetail: 'Open a folder to see its checks.',
    problems: 'Some checks are not right. The others work.',
    workspace: 'In the workspace',
    noWorkspace: 'Start a thread to run them on its workspace.',
    when: {
      branch: 'on branches',
      merge: 'before merges',
      apply: 'before writing to disk',
    },
    paths: (patterns: readonly string[]) => `when ${patterns.join(', ')} changed`,
    timeout: (seconds: number) => `at most ${formatDuration(seconds * 1000)}`,
  },
  red: {
    title: (name: string) => `${name} was not merged`,
    semantic: 'Semantic conflict: green alone, red together',
    semanticDetail: (name: string, parent: string) =>
      `The checks are green on ${name}, and no file is in conflict. They are red on the merge of ${name} into ${parent}. Nothing was merged.`,
    plain: 'The checks are red on the merged files',
    plainDetail: 'Nothing was merged.',
    own: (name: string) => `What ${name} changed`,
    others: (parent: string) => `What ${parent} got since`,
    workspace: 'the workspace',
    same: 'No change.',
    filesOf: (title: string) => `Files: ${title}`,
    ask: 'Ask the agent to fix it',
    asked: (agent: string) => `Sent the output to ${agent}`,
    /** The message that the branch's agent gets. */
    message: (parent: string, failed: string) =>
      `I wanted to merge your branch into ${parent}. No file is in conflict, but on the merged files these checks fail. Nothing was merged. Take what changed in ${parent} into account and change your branch so that the checks pass after the merge.\n\n${failed}`,
    failed: (check: string, exitCode: number | null, output: string) =>
      `${check} (${exitCode === null ? 'no exit code' : `exit code ${exitCode}`}):\n\n${output}`,
    anyway: 'Merge anyway',
    discard: 'Discard branch',
  },
  /** Before files leave the workspace. */
  leaving: {
    title: 'Checks on these files',
    some: 'You left files out. The checks ran on all changes together.',
    runFirst: 'Run checks first',
    red: (names: readonly string[]) =>
      `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} required, and not green on these files`,
    redDetail: 'Press again to write them to your folder all the same.',
    confirm: 'Apply all the same',
  },
} as const
