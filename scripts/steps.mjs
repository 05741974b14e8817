// Runs the steps of check and test, and counts their results.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { failureList, playwrightFailures, skippedLine, vitestFailures, vitestSkipped } from './failures.ts'
import { prepareSandbox } from './find-sandbox.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))
const results = join(root, 'test-results')

/** The failed tests of all steps so far, a line each. */
const failures = []
/** Each file with tests that did not run, and how many. */
const skipped = []

export const noTests = { passed: 0, failed: 0, skipped: 0 }

export function add(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

/**
 * Runs a tool of the project with the project's own Node. Its output goes to the terminal at once. `as` is another
 * checkout and the command line that takes variables and a program, to run it as somebody else.
 */
export function tool(name, args, environment = {}, as = undefined) {
  if (!as) return spawnSync(name, args, { ...optionsOf(environment), stdio: 'inherit' }).status ?? 1
  const bin = join(as.root, 'node_modules/.bin')
  const variables = Object.entries({ ...environment, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` })
  const [program, ...rest] = [...as.command, ...variables.map(([key, value]) => `${key}=${value}`), join(bin, name)]
  return spawnSync(program, [...rest, ...args], { cwd: as.root, stdio: 'inherit' }).status ?? 1
}

function optionsOf(environment = {}) {
  const bin = join(root, 'node_modules/.bin')
  const env = { ...process.env, ...environment, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` }
  return { cwd: root, env, shell: process.platform === 'win32' }
}

/** Runs a tool as `tool` does, but keeps its output for later. */
function quietTool(name, args) {
  return new Promise((resolve) => {
    const child = spawn(name, args, { ...optionsOf(), stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', (error) => resolve({ status: 1, output: `${error.message}\n` }))
    child.on('close', (status) => resolve({ status: status ?? 1, output }))
  })
}

/** A step that passes or fails as a whole, counted as one test. */
export function step(title, run) {
  const started = Date.now()
  process.stdout.write(`\n== ${title}\n`)
  return ended(title, run() === 0, started)
}

function ended(title, ok, started) {
  if (!ok) failures.push(`the step "${title}"`)
  process.stdout.write(`${ok ? 'ok' : 'FAILED'}: ${title} (${secondsSince(started)} s)\n`)
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 }
}

function secondsSince(started) {
  return ((Date.now() - started) / 1000).toFixed(1)
}

/**
 * Runs independent steps at the same time. The output of each is printed whole, in the order of the steps. Returns
 * the counts of each step.
 */
export async function sideBySide(steps) {
  const started = Date.now()
  const running = steps.map(([title, name, args]) => ({ title, ran: quietTool(name, args) }))
  const counts = []
  for (const { title, ran } of running) {
    const { status, output } = await ran
    process.stdout.write(`\n== ${title}\n${output}`)
    counts.push(ended(title, status === 0, started))
  }
  return counts
}

export const buildStep = ['Build', 'electron-vite', ['build', '--logLevel', 'warn']]

/**
 * Format, lint, types in both worlds, structure, and a search for fixed waits in tests. The compiler takes one thread: several
 * read the same types each for itself, a third more work, and the other steps run beside it.
 */
export const checks = [
  ['Types', 'tsc', ['-p', 'tsconfig.json', '--singleThreaded']],
  ['Format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['Types of shared and core, without Node and DOM', 'tsc', ['-p', 'tsconfig.core.json', '--singleThreaded']],
  ['Structure', 'node', ['scripts/check-structure.mjs']],
  ['No fixed waits', 'node', ['scripts/check-waits.mjs']],
]

/**
 * Runs the unit, contract and property tests of `src` and `scripts`, together with the tests in `integration`, which use
 * the engine with its real parts and wait a lot. With `as`, in another checkout as somebody else.
 */
export function engineTests(as) {
  prepareSandbox()
  const title = 'Unit, contract, property and integration tests'
  return vitestTests(title, 'engine', ['unit', 'processes', 'integration'], [], {}, as)
}

/** Runs the tests of the window's components in this browser, or only `files`. A missing browser is one failure. */
export function componentTests(browser, files = []) {
  if (!browser) return { ...noTests, failed: 1 }
  return vitestTests('Component tests in a browser', 'components', ['browser'], files, { COPPICE_BROWSER: browser })
}

/** Runs test files of some projects, or all of their files if `files` is empty. Keeps the report under `name`. */
export function vitestTests(title, name, projects, files = [], environment = {}, as = undefined) {
  const started = Date.now()
  const file = freshFile(`${name}.json`, as)
  process.stdout.write(`\n== ${title}\n`)
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`]
  const chosen = projects.flatMap((project) => ['--project', project])
  const status = tool('vitest', ['run', ...chosen, ...reporters, ...files], environment, as)
  const report = readReport(file, as)
  const counts = vitestCounts(status, report)
  failures.push(...(report ? vitestFailures(report) : [`${title}: no report`]))
  if (report) skipped.push(...vitestSkipped(report))
  process.stdout.write(
    `${counts.failed === 0 ? 'ok' : 'FAILED'}: ${title}, ${casesOf(counts)} (${secondsSince(started)} s)\n`,
  )
  return counts
}

function casesOf({ passed, failed, skipped }) {
  return `${passed + failed + skipped} cases`
}

function vitestCounts(status, report) {
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  }
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

/** Returns Playwright's own counts. A run that broke before it counted anything is one failure. */
export function playwrightTests(browser, args = [], as = undefined) {
  const started = Date.now()
  const file = freshFile('e2e.json', as)
  process.stdout.write('\n== End-to-end tests\n')
  const variables = { COPPICE_BROWSER: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: file }
  const status = tool('playwright', ['test', ...args], variables, as)
  const report = readReport(file, as)
  failures.push(...(report ? playwrightFailures(report) : ['the end-to-end tests: no report']))
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const { stats } = report
  const counts = { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped }
  process.stdout.write(`\nEnd-to-end tests, ${casesOf(counts)} (${secondsSince(started)} s)\n`)
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

function freshFile(name, as) {
  const folder = as ? join(as.root, 'test-results') : results
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name)
  rmSync(file, { force: true })
  return file
}

/** With the paths of this checkout, and kept here, whoever ran the tests. */
function readReport(file, as) {
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  if (!as) return JSON.parse(text)
  const own = text.replaceAll(as.root, root.slice(0, -1))
  mkdirSync(results, { recursive: true })
  writeFileSync(join(results, basename(file)), own)
  return JSON.parse(own)
}

/** Prints the failed tests and the final line with the counts, and ends the process. */
export function close(counts) {
  process.stdout.write(skippedLine(skipped))
  process.stdout.write(failureList(failures, root))
  process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1)
}
