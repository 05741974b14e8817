import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { byTask, type Call } from '../../e2e/model-server/scenario.ts'
import { coppice, folder } from './coppice.testkit.ts'

const lines = (changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 30 }, (_, index) => `${changed[index] ?? index}\n`).join('')

const write = (file_path: string, content: string): Call => ({ name: 'write_file', input: { file_path, content } })

/** Two agents that change one file of a project differently, and one that deletes another. */
async function openProject(settings: object = {}) {
  const tasks = ['one', 'two', 'three'].map((name) => ({ task: name, name }))
  const server = await startModelServer(
    byTask({
      main: [{ calls: [{ name: 'spawn_subagents', input: { tasks } }] }, { text: 'Started.' }],
      one: [{ calls: [write('/a.txt', lines({ 1: 'one', 20: 'first' }))] }, { text: 'One.' }],
      two: [{ calls: [write('/a.txt', lines({ 10: 'two', 20: 'second' }))] }, { text: 'Two.' }],
      three: [{ calls: [{ name: 'delete', input: { path: '/b.txt' } }] }, { text: 'Three.' }],
    }),
  )
  onTestFinished(() => server[Symbol.asyncDispose]())
  const data = folder()
  const project = join(data, 'project')
  mkdirSync(project)
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(project, name), lines())
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  const run = async (...args: readonly string[]) => {
    const access = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
    const { code, stdout, stderr } = await coppice([...args, '--data-dir', data], access)
    return { code, stdout, stderr, json: args.includes('--json') ? JSON.parse(stdout) : null }
  }
  await run('run', project, '--task', 'main', '--approve', 'all', '--quiet')
  return { data, project, run }
}

it('composes branches by evidence and choice, names the source of each hunk, and undoes it', async () => {
  const { data, run } = await openProject({ checks: [{ name: 'no second', run: '! grep -q second a.txt' }] })
  const branches = ['one', 'two', 'three'] as const
  const open = await run('compose', 'last', ...branches)
  expect(open.code).toBe(3)
  expect(open.stdout).toMatch(/\? \/a\.txt/)
  expect(open.stdout).toMatch(/1 {2}subagent_0 {2}→ subagent_0 \(the only change\)/)
  expect(open.stdout).toMatch(/3 {2}subagent_0 \| subagent_1 {2}→ choose/)
  expect(open.stdout).toContain('--hunk a.txt:3=BRANCH')

  const red = await run('compose', 'last', ...branches, '--hunk', 'a.txt:3=two', '--checks', '--json')
  expect([red.code, red.json.checks, red.json.sequence]).toEqual([
    ...[5, [expect.objectContaining({ name: 'no second', outcome: 'red' })], null],
  ])
  const dry = await run('compose', 'last', ...branches, '--hunk', 'a.txt:3=one', '--dry-run', '--json')
  expect([dry.code, dry.json.sequence, dry.json.files.map(({ path }: { path: string }) => path)]).toEqual([
    ...[0, null, ['/a.txt', '/b.txt']],
  ])

  const patch = join(data, 'chosen.patch')
  const done = await run('compose', 'last', ...branches, '--hunk', 'a.txt:3=one', '--checks', '--patch', patch)
  expect([done.code, done.stderr]).toEqual([0, expect.any(String)])
  expect(done.stdout).toContain('Composed 2 files of subagent_0, subagent_1, subagent_2 into workspace.')
  expect(
    readFileSync(patch, 'utf8')
      .match(/^@@.*$/gm)
      ?.map((line) => line.replace(/^@@.*@@ ?/, '')),
  ).toEqual([...['subagent_0', 'subagent_1', 'subagent_0', 'subagent_2']])
  const { json: blamed } = await run('blame', 'last', 'a.txt', '--json')
  const whose = (at: number) => blamed.sources[blamed.lines[at].source]?.handle
  expect([whose(1), whose(10), whose(20)]).toEqual(['subagent_0', 'subagent_1', 'subagent_0'])
  expect((await run('compose', 'last', ...branches)).stdout).toContain('There is nothing to compose')

  await run('undo', 'last')
  expect((await run('diff', 'last', '--json')).json.files).toEqual([])
  expect((await run('compose', 'last', ...branches, '--dry-run', '--json')).json.files).toHaveLength(2)
})

it('finds the hunks that a check needs, runs nothing twice after a restart, and takes the rest off', async () => {
  const { run } = await openProject({ checks: [{ name: 'first', run: 'grep -q first a.txt' }] })
  const found = await run('needed', 'last', 'one', '--check', 'first', '--json')
  const parts = ({ json }: typeof found) =>
    json.parts.map(({ hunk, needed }: { hunk: number; needed: boolean }) => [hunk, needed])
  expect([found.code, parts(found)]).toEqual([
    0,
    [
      [0, false],
      [1, true],
    ],
  ])
  expect(found.json.runs).toBeGreaterThan(1)
  const again = await run('needed', 'last', 'one', '--check', 'first', '--remove')
  expect(again.stdout).toMatch(/not needed {2}\/a\.txt:1 {2}one/)
  expect(again.stdout).toContain('1 of 2 hunks is needed, found by 0 runs')
  expect((await run('diff', 'last', 'one')).stdout).not.toContain('+one')
  await run('undo', 'last')
  expect((await run('diff', 'last', 'one')).stdout).toContain('+one')
  const red = await run('needed', 'last', 'two', '--check', 'first')
  expect([red.code, red.stderr]).toEqual([1, expect.stringContaining('is red on the whole branch')])
  expect((await run('needed', 'last', 'two', '--check', 'frist')).stderr).toContain('There is no check "frist"')
})

it.each([
  [['one'], '--take', 'a.txt=nobody', 'nobody is none of the branches'],
  [['one'], '--hunk', 'a.txt:9=one', 'hunks 1 to 2'],
  [['three'], '--hunk', 'b.txt:1=three', 'no hunks'],
  [['one', 'two'], '--hunk', 'a.txt:3=both', 'overlap'],
  [['one'], '--take', 'c.txt=one', 'no branch changed /c.txt'],
  [['one'], '--into', 'one', 'a branch beside'],
])('says what is wrong: %j %s %s', async (branches, flag, value, words) => {
  const { run } = await openProject()
  const { code, stderr } = await run('compose', 'last', ...branches, flag, value)
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
})
