import { dirname, join } from 'node:path/posix'

/** The tests that a change touches, where no import shows it. All paths start at the root of the project. */
type Table = readonly (readonly [changed: string, tests: readonly string[]])[]

const window = [
  'flow-task',
  'flow-approvals',
  'flow-branches',
  'flow-changes',
  'flow-names',
  'windows',
  'accessibility',
]
const commandLine = ['cli', 'run']
const engine = ['run', 'flow-task', 'flow-approvals']

/**
 * The end-to-end specs that show a part of the app. A part that every region uses is shown by the specs of the main
 * path.
 */
export const specsOf: Table = [
  ['src/renderer/about/', ['flow-about']],
  ['src/renderer/app/', [...window, 'flow-keys', 'flow-attention', 'flow-open']],
  ['src/renderer/approvals/', ['flow-approvals', 'flow-effects', 'flow-rules', 'flow-names', 'windows']],
  ['src/renderer/batches/', ['flow-batch']],
  ['src/renderer/branches/', ['flow-branches', 'flow-names', 'flow-long']],
  ['src/renderer/changes/', ['flow-changes', 'flow-comments', 'flow-branches']],
  [
    'src/renderer/chat/',
    [
      'flow-task',
      'flow-step',
      'flow-inputs',
      'flow-answers',
      'flow-composer',
      'flow-models',
      'flow-names',
      'flow-long',
      'flow-hostile-content',
    ],
  ],
  ['src/renderer/checks/', ['flow-checks']],
  ['src/renderer/context/', ['flow-context']],
  ['src/renderer/files/', ['flow-open', 'flow-changes']],
  ['src/renderer/history/', ['flow-history']],
  ['src/renderer/home/', ['flow-about', 'flow-open', 'flow-demo', 'flow-names', 'flow-damage']],
  ['src/renderer/memory/', ['flow-memory']],
  ['src/renderer/parts/checks/', ['flow-checks']],
  ['src/renderer/parts/models/', ['flow-models']],
  ['src/renderer/parts/processes/', ['flow-processes']],
  ['src/renderer/parts/', window],
  ['src/renderer/public/', ['flow-open']],
  ['src/renderer/rewind/', ['flow-rewind', 'flow-long']],
  [
    'src/renderer/settings/',
    [
      'flow-settings',
      'flow-models',
      'flow-rules',
      'flow-mcp',
      'flow-agents',
      'flow-storage',
      'flow-outside',
      'flow-usage',
    ],
  ],
  ['src/renderer/setup/', ['setup']],
  ['src/renderer/state/', [...window, 'flow-threads', 'flow-long']],
  ['src/renderer/strings/', window],
  ['src/renderer/terminal/', ['flow-terminal']],
  ['src/renderer/threads/', ['flow-threads', 'flow-attention']],
  ['src/renderer/todos/', ['flow-task', 'flow-board']],
  ['src/renderer/ui/', window],
  ['src/renderer/', window],
  ['src/main/adapters/shell/processes/', [...engine, 'flow-processes']],
  ['src/main/adapters/shell/registries/', [...engine, 'cli-registries']],
  ['src/main/adapters/watch/', [...engine, 'flow-outside']],
  ['src/main/host/models/', [...engine, 'flow-models']],
  ['src/main/host/events/', [...engine, 'flow-outside']],
  ['src/main/cli/', commandLine],
  ['src/main/web/', ['web-door', 'windows']],
  ['src/main/', engine],
  ['src/shared/', engine],
  ['packages/', engine],
  ['bin/', commandLine],
  // Programs that specs start.
  ['e2e/support/store-threads.ts', ['flow-long', 'scale']],
  ['e2e/support/make-padded.ts', ['run']],
]

/** Test files that start a file, or a bundle of it, as a separate process. */
export const testsOfProcesses: Table = [
  [
    'src/main/adapters/runner/',
    ['bombs', 'code-runner', 'python'].map((name) => `src/main/adapters/runner/${name}.test.ts`),
  ],
  ['src/main/adapters/disk/killed-apply.testkit.ts', ['src/main/adapters/disk/killed-apply.test.ts']],
  ['src/main/host/checkouts/killed-checkout.testkit.ts', ['src/main/host/checkouts/killed-checkout.test.ts']],
  ['src/main/host/changes/killed-applies.testkit.ts', ['src/main/host/changes/killed-applies.test.ts']],
  ['src/main/adapters/git/full-disk.testkit.ts', ['src/main/adapters/git/full-disk.test.ts']],
  ['src/main/host/delivery/killed-delivery.testkit.ts', ['src/main/host/delivery/killed-delivery.test.ts']],
  ['integration/kill-', ['integration/kill.test.ts']],
  ['integration/batch-process.testkit.ts', ['integration/batch-resume.test.ts']],
  ['integration/external-process.testkit.ts', ['integration/external-agents.test.ts']],
  ['docs/', ['scripts/docs/generated.test.ts']],
  ['packages/overlay/README.md', ['packages/overlay/src/readme.test.ts']],
  ['resources/icon/', ['scripts/icon-files.test.ts']],
  ['scripts/check-waits.mjs', ['scripts/check-waits.test.ts']],
  ['scripts/check-structure.mjs', ['scripts/check-structure.test.ts']],
]

/** Every end-to-end spec depends on these files. */
const allSpecs =
  /^(e2e\/fixtures\/|playwright\.config\.ts$|scripts\/browser-options\.ts$|electron\.vite\.config\.ts$|package-lock\.json$)/
const isUnitTest = /\.(test|testkit|contract)\.tsx?$/

/** Looks up each path in a table, and takes the row with the longest matching prefix. */
function lookUp(table: Table, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const found = table.filter(([start]) => path.startsWith(start))
    return found.reduce((longest, row) => (row[0].length > longest[0].length ? row : longest), [
      '',
      [],
    ] as Table[number])[1]
  })
}

/**
 * The end-to-end specs to run: those that changed, that import a changed file, or that show a changed part. `textOf`
 * returns the text of a file in `e2e`; null if the file does not exist.
 */
export function chooseSpecs(
  changed: readonly string[],
  specs: readonly string[],
  textOf: (path: string) => string | null,
): readonly string[] {
  if (changed.some((path) => allSpecs.test(path))) return [...specs].sort()
  const parts = changed.filter((path) => !isUnitTest.test(path))
  const shown = new Set(lookUp(specsOf, parts).map((name) => `e2e/specs/${name}.spec.ts`))
  const isTouched = (spec: string) => shown.has(spec) || readsAny(spec, new Set(changed), textOf, new Set())
  return specs.filter(isTouched).sort()
}

/** Whether the file has changed, or imports a changed file directly or through others. */
function readsAny(
  file: string,
  changed: ReadonlySet<string>,
  textOf: (path: string) => string | null,
  seen: Set<string>,
): boolean {
  if (changed.has(file)) return true
  if (seen.has(file)) return false
  seen.add(file)
  const imports = [...(textOf(file) ?? '').matchAll(/from '(\.[^']+)'/g)]
  return imports.some(([, path = '']) => readsAny(join(dirname(file), path), changed, textOf, seen))
}

/** The test files to run: those in `related`, which import a changed file, and those that start one as a process. */
export function chooseFiles(
  changed: readonly string[],
  related: readonly string[],
  exists: (path: string) => boolean,
): readonly string[] {
  return [...new Set([...related, ...lookUp(testsOfProcesses, changed)])].filter(exists).sort()
}

const stylesheet = /^src\/renderer\/.+\.css$/

/**
 * The tests of components to run in a browser: those in `related`, which import a changed file, or all of them after a
 * change of the styles.
 */
export function chooseComponents(
  changed: readonly string[],
  related: readonly string[],
  all: readonly string[],
): readonly string[] {
  const touched = changed.some((path) => stylesheet.test(path)) ? all : related
  return all.filter((file) => touched.includes(file)).sort()
}
