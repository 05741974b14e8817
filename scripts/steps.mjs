// Runs the parts of check and test one after the other and counts what they report.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareSandbox } from './find-sandbox.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))
const results = join(root, 'test-results')

export const noTests = { passed: 0, failed: 0, skipped: 0 }

export function add(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

/** Runs a tool of the project with the project's own Node; its output goes to the terminal as it comes. */
export function tool(name, args, environment = {}) {
  const bin = join(root, 'node_modules/.bin')
  const env = { ...process.env, ...environment, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` }
  return spawnSync(name, args, { cwd: root, stdio: 'inherit', env, shell: process.platform === 'win32' }).status ?? 1
}

/** A step that either holds or does not, counted as one test. */
export function step(title, run) {
  const started = Date.now()
  process.stdout.write(`\n== ${title}\n`)
  const ok = run() === 0
  process.stdout.write(`${ok ? 'ok' : 'FAILED'}: ${title} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`)
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 }
}

/** Format, lint, types in both worlds, and the directions between rooms. */
export function checkSteps() {
  return [
    step('Format and lint', () => tool('biome', ['check', '--error-on-warnings', '.'])),
    step('Types', () => tool('tsc', ['-p', 'tsconfig.json'])),
    step('Types of shared and core, without Node and DOM', () => tool('tsc', ['-p', 'tsconfig.core.json'])),
    step('Structure', () => tool('node', ['scripts/check-structure.mjs'])),
  ].reduce(add)
}

export function unitTests() {
  const file = freshFile('unit.json')
  prepareSandbox()
  process.stdout.write('\n== Unit, contract and property tests\n')
  const status = tool('vitest', ['run', '--reporter=dot', '--reporter=json', `--outputFile.json=${file}`])
  const report = readReport(file)
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  }
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

/** Playwright's own count; a run that broke before it counted anything is one failure. */
export function playwrightTests(browser, args = []) {
  const file = freshFile('e2e.json')
  process.stdout.write('\n== End-to-end tests\n')
  const status = tool('playwright', ['test', ...args], { COPPICE_BROWSER: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: file })
  const stats = readReport(file)?.stats
  if (!stats) return { passed: 0, failed: 1, skipped: 0 }
  const counts = { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped }
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

function freshFile(name) {
  mkdirSync(results, { recursive: true })
  const file = join(results, name)
  rmSync(file, { force: true })
  return file
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** The one line that says how it went; ends the process. */
export function close(counts) {
  process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1)
}
