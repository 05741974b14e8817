// `npm run test:changed`: runs only the tests that a change touches, for use during work.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chooseComponents, chooseFiles, chooseSpecs } from './choose-tests.ts'
import { findBrowser } from './find-browser.mjs'
import { isBuilt } from './is-built.mjs'
import {
  add,
  buildStep,
  close,
  componentTests,
  noTests,
  playwrightTests,
  root,
  sideBySide,
  vitestTests,
} from './steps.mjs'

const help = `Usage: npm run test:changed [-- [BASE] [--list] [--help]]

Runs the tests that the changes since BASE touch: test files that import a changed file, in Node or in a browser, and
end-to-end specs that changed themselves or that show a changed part of the app. Uncommitted changes count too.

  BASE    a commit; the default is where this branch left origin/main, or else the commit before this one
  --list  lists the tests that would run, without running them
`

const projects = ['unit', 'processes', 'integration']

function main(args) {
  const unknown = args.filter((arg) => arg.startsWith('-') && !['--help', '-h', '--list'].includes(arg))
  if (args.includes('--help') || args.includes('-h')) return say(help)
  if (unknown.length > 0) {
    process.stderr.write(`test:changed: there is no ${unknown.join(' and no ')}.\n\n${help}`)
    process.exitCode = 2
    return
  }
  const base = args.find((arg) => !arg.startsWith('-')) ?? usualBase()
  const changed = changedSince(base)
  const related = relatedTo(base)
  const components = chooseComponents(changed, related, find('src/renderer/**/*.browser.test.tsx'))
  const inNode = related.filter((file) => !components.includes(file))
  const files = chooseFiles(changed, inNode, (path) => existsSync(join(root, path)))
  const specs = chooseSpecs(changed, find('e2e/specs/*.spec.ts'), textOf)
  say(`${changed.length} files changed since ${base.slice(0, 12)}.\n`)
  say(listOf('test files', files) + listOf('component tests', components) + listOf('end-to-end specs', specs))
  if (!args.includes('--list')) return run(files, components, specs)
}

function find(pattern) {
  return globSync(pattern, { cwd: root }).map(withSlashes)
}

function listOf(what, names) {
  return `${names.length} ${what}${names.map((name) => `\n  ${name}`).join('')}\n`
}

function say(text) {
  process.stdout.write(text)
}

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

function usualBase() {
  return git('merge-base', 'HEAD', 'origin/main') ?? git('rev-parse', 'HEAD~1') ?? 'HEAD'
}

/** Paths of files that were changed, added or removed since a commit. Uncommitted changes count too. */
function changedSince(base) {
  const known = git('diff', '--name-only', base)
  if (known === null) throw new Error(`test:changed: there is no commit ${base}.`)
  const added = git('ls-files', '--others', '--exclude-standard') ?? ''
  return [...new Set(`${known}\n${added}`.split('\n').filter(Boolean))].sort()
}

/** Test files that import a changed file, according to the test runner. */
function relatedTo(base) {
  const args = ['vitest', 'list', '--filesOnly', '--json', '--changed', base]
  const output = execFileSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args.slice(1)], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const found = JSON.parse(output.slice(output.indexOf('[')))
  return found.map(({ file }) => withSlashes(file.slice(root.length)))
}

function withSlashes(path) {
  return path.replaceAll('\\', '/')
}

function textOf(path) {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

async function run(files, components, specs) {
  if (files.length + components.length + specs.length === 0) return
  const tested = files.length > 0 ? vitestTests('Test files', 'changed', projects, files) : noTests
  if (components.length + specs.length === 0) return close(tested)
  const browser = findBrowser()
  if (!browser) return close(add(tested, { ...noTests, failed: 1 }))
  const drawn = components.length > 0 ? componentTests(browser, components) : noTests
  if (specs.length === 0) return close(add(tested, drawn))
  const [built = noTests] = isBuilt() ? [noTests] : await sideBySide([buildStep])
  const driven = built.failed === 0 ? playwrightTests(browser, ['--project=web', ...specs]) : noTests
  close([tested, drawn, built, driven].reduce(add))
}

await main(process.argv.slice(2))
