// `npm run smoke:checks [-- BRANCHES]`: merges branches of a real package when its own tests pass on the merged files. Two
// branches are green alone and red together; then many are merged one after the other. Needs the registry, so no test
// runs it. Build first.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { byTask, type Call } from '../e2e/model-server/scenario.ts'
import { coppice, environment, type RunEvent, root } from '../e2e/support/coppice.ts'

const branches = Number(process.argv[2] ?? 12)
const scratch = mkdtempSync(join(tmpdir(), 'coppice-smoke-checks-'))
const [project, plain, data] = [join(scratch, 'project'), join(scratch, 'plain'), join(scratch, 'data')]
const unitTests = 'node_modules/.bin/tape test/*.test.js'
const { NODE_EXTRA_CA_CERTS: authorities } = process.env
const certificates: Readonly<Record<string, string>> =
  authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities }

/** A copy of a package of ours, with its own sources and tests. */
function writeProject(): void {
  cpSync(join(root, 'node_modules/fast-uri'), project, { recursive: true })
  const { name, version, main } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  const devDependencies = { tape: '^5', ajv: '^8', 'uri-js': '^4' }
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, version, main, devDependencies }))
  writeFileSync(join(project, '.gitignore'), 'node_modules/\n')
  execFileSync('npm', ['install', '--package-lock-only', '--silent'], { cwd: project })
  cpSync(project, plain, { recursive: true })
  execFileSync('npm', ['ci', '--silent'], { cwd: plain })
}

const code = (text: string): Call => ({ name: 'run_js_code', input: { code: text } })
const write = (file_path: string, content: string): Call => ({ name: 'write_file', input: { file_path, content } })
const renameFunction = code(`for (const path of ['/lib/utils.js', '/index.js']) {
  const text = await fs.read(path)
  await fs.write(path, text.replaceAll(/\\bisUUID\\b/g, 'isUniqueId'))
}
for (const path of ['/lib/schemes.js']) {
  const text = await fs.read(path)
  await fs.write(path, text.replaceAll(/\\bisUUID\\b/g, 'isUniqueId'))
}`)
const addCaller = write(
  '/test/own.test.js',
  `'use strict'
const test = require('tape')
const { isUUID } = require('../lib/utils')
test('knows a UUID', (t) => { t.equal(isUUID('f81d4fae-7dec-11d0-a765-00a0c91e6bf6'), true); t.end() })
`,
)
const addPart = (index: number) =>
  write(
    `/test/part${index}.test.js`,
    `'use strict'
require('tape')('part ${index}', (t) => { t.equal(require('..').resolve('a:/b/', '${index}'), 'a:/b/${index}'); t.end() })
`,
  )
const merge = (handle: string | readonly string[]): Call => ({
  name: 'merge_subagent',
  input: { handle: typeof handle === 'string' ? handle : [...handle], when: 'green' },
})

const failures: string[] = []
function check(what: string, holds: boolean): void {
  process.stdout.write(`${holds ? 'ok' : 'FAILED'}: ${what}\n`)
  if (!holds) failures.push(what)
}

function resultsOf(events: readonly RunEvent[], name: string): readonly string[] {
  return events
    .filter((event) => event.type === 'tool.finished' && event.name === name)
    .map(({ result }) => (result as { content: { text?: string }[] }).content.map(({ text = '' }) => text).join(''))
}

/** The hash of the agent's tree after each of its merges. */
function treesAfterMerges(events: readonly RunEvent[]): readonly unknown[] {
  const trees: unknown[] = []
  let isDue = false
  for (const event of events) {
    if (event.type === 'tool.finished' && event.name === 'merge_subagent') isDue = true
    else if (event.type === 'checkpoint' && isDue) {
      trees.push(event.treeHash)
      isDue = false
    }
  }
  return trees
}

try {
  writeProject()
  const names = Array.from({ length: branches }, (_, index) => `part ${String(index).padStart(3, '0')}`)
  const spawn = (tasks: readonly string[]): Call => ({
    name: 'spawn_subagents',
    input: { tasks: tasks.map((task) => ({ task, name: task })) },
  })
  const handles = names.map((_, index) => `subagent_${index + 2}`)
  await using server = await startModelServer(
    byTask({
      rename: [{ calls: [renameFunction] }],
      call: [{ calls: [addCaller] }],
      ...Object.fromEntries(names.map((name, index) => [name, [{ calls: [addPart(index)] }]])),
      main: [
        { calls: [spawn(['rename', 'call', ...names])] },
        { calls: [merge('subagent_0')] },
        { calls: [merge('subagent_1')] },
        ...handles.map((handle) => ({ calls: [merge(handle)] })),
      ],
    }),
  )
  const settings = join(scratch, 'settings.json')
  const checks = [{ name: 'test', run: unitTests, required: true }]
  writeFileSync(settings, JSON.stringify({ checks, environment: { setup: 'npm ci', hosts: ['preset:npm'] } }))
  const access = { ...certificates, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const place = [
    '--json',
    '--setup',
    'npm ci',
    '--allow-host',
    'preset:npm',
    '--data-dir',
    data,
    '--settings',
    settings,
  ]
  const {
    events,
    stderr,
    code: exit,
  } = await coppice(
    ['run', project, '--task', 'main', '--require-checks', '--patch', join(scratch, 'all.patch'), ...place],
    access,
  )
  process.stderr.write(stderr)
  const merges = resultsOf(events, 'merge_subagent').map((text) => JSON.parse(text))
  const [renamed, called, ...parts] = merges
  check('a function is renamed, and its branch is merged green', renamed?.checks?.[0]?.status === 'green')
  check(
    'a branch that calls it by its old name is refused, with the output of the tests',
    called?.checks?.[0]?.status === 'red' && /isUUID is not a function/.test(called.checks[0].output),
  )
  const trees = treesAfterMerges(events)
  check('the tree of the parent is the same after the refusal', trees[0] !== undefined && trees[0] === trees[1])
  const green = parts.filter((part) => part.checks?.[0]?.status === 'green').length
  check(`${green} of ${branches} branches are merged one after the other, each when green`, green === branches)
  check('the run ends with 0, and its patch is written', exit === 0 && existsSync(join(scratch, 'all.patch')))
  const finished = events.filter(({ type }) => type === 'check.finished')
  const inCoppice = finished.map(({ result }) => (result as { durationMs: number }).durationMs).sort((a, b) => a - b)
  const bare = Array.from({ length: 5 }, () => {
    const started = performance.now()
    execFileSync('bash', ['-c', unitTests], { cwd: plain, env: environment({}), stdio: 'ignore' })
    return performance.now() - started
  }).sort((a, b) => a - b)
  const median = (list: readonly number[]) => list[Math.floor(list.length / 2)] ?? Number.NaN
  process.stdout.write(
    `a check on a merged tree took ${median(inCoppice).toFixed(0)} ms, the bare command in a plain copy ${median(bare).toFixed(0)} ms: ${(median(inCoppice) / median(bare)).toFixed(2)} times\n`,
  )
  const distinct = new Set(finished.map(({ result }) => (result as { key: string }).key)).size
  const retried = finished.filter(({ result }) => (result as { outcome: string }).outcome !== 'green').length
  process.stdout.write(`${finished.length} checks ran on ${distinct} trees, ${retried} of them not green\n`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = failures.length === 0 ? 0 : 1
