import { everyPoint } from '../../integration/kill-load.testkit.ts'
import { bombs } from '../../src/main/adapters/runner/bombs.testkit.ts'
import type { Part, Work } from './part.ts'

function unit(files: string | readonly string[], title: string | null = null): Work {
  return { kind: 'vitest', projects: ['unit', 'processes'], files: [files].flat(), title }
}

function integration(file: string, title: string | null = null): Work {
  return { kind: 'vitest', projects: ['integration'], files: [file], title }
}

const momentsOfSoak = 1_000
const rounds = 20

/** Tests that have no part of their own. A round runs each at a twentieth of its full size. */
const furtherLaws = [
  'src/main/core/overlay/overlay-properties.test.ts',
  'src/main/core/agent/calls/execute-calls.test.ts',
  'src/main/core/agent/calls/hold-calls.test.ts',
  'src/main/core/branches/merge/hunks.test.ts',
  'src/main/core/branches/going-back.test.ts',
  'src/main/core/records/replay-thread.test.ts',
  'src/main/core/approval/denied-in-bash.test.ts',
  'src/main/core/paths/ignore-rules.test.ts',
  'src/main/core/paths/path-glob.test.ts',
  'src/main/adapters/search/name-globs.test.ts',
  'src/main/adapters/sqlite/word-agreement.test.ts',
  'src/main/adapters/watch/disk-watcher.test.ts',
  'src/main/adapters/mounts/kept-mounts.test.ts',
  'src/main/adapters/shell/bounded-output.test.ts',
  'integration/rewind-law.test.ts',
  'integration/clean-up.test.ts',
]

/** Tests of one great size, which makes no sense in pieces. */
const greatSizes = [
  'src/main/adapters/disk/bad-folders.test.ts',
  'src/main/adapters/shell/shell.test.ts',
  'src/main/host/testing/commands.test.ts',
]

/** Everything that `npm run soak` runs. */
export const parts: readonly Part[] = [
  {
    name: 'overlay',
    about: 'The overlay against a model in memory and a real folder, compared after every operation.',
    unit: 'operations',
    goal: 1_000_000,
    step: 10_000,
    guessSeconds: 15,
    work: unit('src/main/adapters/disk/overlay-fuzz.test.ts'),
  },
  {
    name: 'kills',
    about: `A busy process is killed at ${momentsOfSoak} random moments, and ${rounds} times at each of ${everyPoint.length} points.`,
    unit: 'kills',
    goal: momentsOfSoak + rounds * everyPoint.length,
    step: 35,
    guessSeconds: 45,
    work: integration('integration/kill.test.ts'),
  },
  {
    name: 'apply-kills',
    about: 'An apply is killed before each of its calls that change the disk, and recovered.',
    unit: 'rounds of all calls',
    goal: rounds,
    step: 1,
    guessSeconds: 10,
    work: unit('src/main/adapters/disk/killed-apply.test.ts', 'before each of its calls is all old or all new'),
  },
  {
    name: 'bombs',
    about: `${bombs.length} attacks of JavaScript and Python on the process that runs them.`,
    unit: 'bombs',
    goal: 25 * bombs.length,
    step: bombs.length,
    guessSeconds: 40,
    work: unit('src/main/adapters/runner/bombs.test.ts', 'survives'),
  },
  {
    name: 'race-reads',
    about: 'Reads while a folder of the project is swapped for a link to a folder outside.',
    unit: 'reads',
    goal: 1_000_000,
    step: 20_000,
    guessSeconds: 10,
    work: unit('src/main/adapters/disk/swap-race.test.ts', 'reads: not one byte'),
  },
  {
    name: 'race-writes',
    about: 'Applies while a folder of the project is swapped for a link to a folder outside.',
    unit: 'writes',
    goal: 20_000,
    step: 400,
    guessSeconds: 10,
    work: unit('src/main/adapters/disk/swap-race.test.ts', 'writes: nothing outside'),
  },
  {
    name: 'approvals',
    about: 'Turns with calls that ask, decided in any order, over restarts and crashes: each runs as it was decided.',
    unit: 'approvals',
    goal: 5_000,
    step: 250,
    guessSeconds: 10,
    work: unit('src/main/core/agent/calls/approvals-over-restarts.test.ts'),
  },
  {
    name: 'patches',
    about: 'Patches of random trees: accepted by git, and the tree is identical.',
    unit: 'patches',
    goal: 10_000,
    step: 500,
    guessSeconds: 10,
    work: unit('src/main/core/patch/round-trip.test.ts', 'preserves any names and contents'),
  },
  {
    name: 'merges',
    about: 'Merges of texts against git merge-file.',
    unit: 'merges',
    goal: 100_000,
    step: 2_000,
    guessSeconds: 10,
    work: unit('src/main/adapters/text/git-agreement.test.ts'),
  },
  {
    name: 'merge-laws',
    about: 'Merges of branches: nothing is lost unnamed, and all of it can be undone.',
    unit: 'merges',
    goal: 100_000,
    step: 2_000,
    guessSeconds: 10,
    work: unit('src/main/core/branches/merge/merge-properties.test.ts', 'loses nothing that it does not name'),
  },
  {
    name: 'window',
    about: 'Replies of hostile Markdown, names and arguments in the real window, each drawn before the next.',
    unit: 'replies',
    goal: 10_000,
    step: 50,
    guessSeconds: 20,
    work: { kind: 'playwright', spec: 'hostile-replies' },
  },
  {
    name: 'fuzz',
    about: 'The fuzzers of everything that reads text from a model, a repository or a server.',
    unit: 'seconds',
    goal: 4_200,
    step: 35,
    guessSeconds: 40,
    work: {
      kind: 'fuzz',
      targets: ['shell-lines', 'rules', 'patches', 'front-matter', 'settings', 'mcp-messages', 'journal'],
    },
  },
  {
    name: 'messages',
    about: 'Malformed inputs of every procedure of the contract.',
    unit: 'inputs of each procedure',
    goal: 10_000,
    step: 500,
    guessSeconds: 20,
    work: unit('src/main/host/composition/router.test.ts'),
  },
  {
    name: 'commands',
    about: 'Random lines for the shell: a real bash tries nothing that was not found in them.',
    unit: 'lines',
    goal: 100_000,
    step: 4_000,
    guessSeconds: 5,
    work: unit('src/main/core/approval/shell-line.test.ts', 'run nothing in a real bash'),
  },
  {
    name: 'model-faults',
    about: 'A fault of the model at every event of its stream: the turn ends, and no tool runs from half a message.',
    unit: 'points',
    goal: 2_000,
    step: 50,
    guessSeconds: 20,
    work: integration('integration/model-faults.test.ts'),
  },
  {
    name: 'apply-faults',
    about: 'An apply whose disk fails at each of its calls, in seven ways.',
    unit: 'rounds of all calls',
    goal: 1,
    step: 1,
    guessSeconds: 40,
    work: unit('src/main/adapters/disk/faulty-apply.test.ts'),
  },
  {
    name: 'store-faults',
    about: 'Steps stored while a call of the system fails, by kind of call, error and number.',
    unit: 'points',
    goal: 1_422,
    step: 60,
    guessSeconds: 30,
    work: unit('src/main/adapters/sqlite/faulty-disk.test.ts', 'loses nothing that was acknowledged'),
  },
  {
    name: 'small-disks',
    about: 'Steps stored on disks of 4 to 640 kB, and with few files.',
    unit: 'rounds of all sizes',
    goal: 1,
    step: 1,
    guessSeconds: 60,
    work: unit('src/main/adapters/sqlite/faulty-disk.test.ts', 'refuses whole steps'),
  },
  {
    name: 'memory-and-sleep',
    about: 'A host that V8 ends for want of memory, and one whose machine sleeps, each in the middle of its work.',
    unit: 'ends and nights',
    goal: 160,
    step: 8,
    guessSeconds: 60,
    work: integration('integration/machine-faults.test.ts'),
  },
  {
    name: 'environments',
    about: 'What a command sees of its environment, against a model that copies everything, on both kinds of views.',
    unit: 'sequences',
    goal: 10_000,
    step: 20,
    guessSeconds: 40,
    work: integration('integration/environment-law.test.ts'),
  },
  {
    name: 'laws',
    about: 'The other property tests, a twentieth of their full size in each round.',
    unit: 'rounds',
    goal: rounds,
    step: 1,
    guessSeconds: 60,
    work: { kind: 'vitest', projects: ['unit', 'processes', 'integration'], files: furtherLaws, title: null },
  },
  {
    name: 'sizes',
    about: 'A million files in a folder, a line of 200 MB, an output of 10 GB, a command that makes a million files.',
    unit: 'rounds',
    goal: 1,
    step: 1,
    guessSeconds: 600,
    work: unit(greatSizes),
  },
]
