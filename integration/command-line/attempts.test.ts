import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { type Answer, systemOf, turnOf } from '../../e2e/model-server/scenario.ts'
import { coppice, folder, keyFor } from './coppice.testkit.ts'

const write = (content: string): Answer => ({
  calls: [{ name: 'write_file', input: { file_path: '/out.txt', content } }],
})

/** Each attempt writes what its hint says; `nothing` says that all is well and writes nothing. */
async function world(settings: object = { checks: [{ name: 'good', run: 'grep -q good out.txt' }] }) {
  const server = await startModelServer((request) => {
    if (systemOf(request).includes('You review several attempts')) return { text: 'no JSON' }
    const hint = /Hint for this attempt: (\w+)/.exec(JSON.stringify(request.messages))?.[1] ?? 'plain'
    if (turnOf(request) > 0 || hint === 'nothing') return { text: 'All is well.' }
    return write(`${hint}\n`)
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const data = folder()
  const project = join(data, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'a.txt'), 'a\n')
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  const line = async (...args: readonly string[]) => {
    const { code, stdout, stderr, events } = await coppice([...args, '--data-dir', data], keyFor(server.url))
    return { code, stdout, stderr, last: events.at(-1) as Report | undefined }
  }
  const attempts = (...args: readonly string[]) =>
    line('run', project, '--task', 'Make it good', '--approve', 'all', '--attempts', ...args)
  return { attempts, line, server }
}

interface Report {
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly threadId: string
  readonly changes: { readonly written: readonly string[] }
  readonly attempts: readonly Record<'branch' | 'checks' | 'green_before' | 'lines' | 'cost' | 'picked', unknown>[]
}

const hints = (...names: readonly string[]) => names.flatMap((name) => ['--variant', `hint=${name}`])

it('the best attempt is taken when its checks are green', async () => {
  const { attempts } = await world()
  const { code, last } = await attempts('3', ...hints('bad', 'good', 'nothing'), '--pick', 'best', '--json')
  expect([code, last?.status, last?.message]).toEqual([0, 'done', 'Took subagent_1.'])
  expect(last?.changes.written).toEqual(['/out.txt'])
  expect(last?.attempts).toEqual([
    { branch: 'subagent_1', checks: 'green', green_before: [], lines: 1, cost: 0.0008, picked: true },
    { branch: 'subagent_0', checks: 'red', green_before: [], lines: 1, cost: 0.0008, picked: false },
    { branch: 'subagent_2', checks: 'no change', green_before: [], lines: 0, cost: 0.0004, picked: false },
  ])
}, 30_000)

it('the least bad is not taken, nor what no check judged, and without --pick nothing is', async () => {
  const { attempts, line } = await world()
  const bad = await attempts('2', ...hints('bad', 'worse'), '--pick', 'best', '--json')
  expect([bad.code, bad.last?.status, bad.last?.reason]).toEqual([5, 'failed', 'checks'])
  expect(bad.last?.attempts.some(({ picked }) => picked)).toBe(false)
  expect(bad.last?.changes.written).toEqual([])

  const asked = await attempts('2', ...hints('bad', 'good'))
  expect(asked.code).toBe(0)
  expect(asked.stderr).toMatch(/attempt 2 +subagent_1 +green +1 file/)
  expect(asked.stderr).toMatch(/attempt 1 +subagent_0 +red: good/)
  const next = /coppice merge (\w+) subagent_1/.exec(asked.stderr)?.[1] ?? ''
  expect((await line('merge', next, 'subagent_1')).code).toBe(0)
  expect((await line('diff', next, 'subagent_0')).stdout).toContain('+bad')
  expect((await line('discard', next, 'subagent_0')).code).toBe(0)
  expect((await line('merge', next, 'subagent_9')).code).toBe(2)

  const unchecked = await world({})
  const none = await unchecked.attempts('2', ...hints('bad', 'good'), '--pick', 'best', '--json')
  expect([none.code, none.last?.message]).toEqual([
    5,
    'Nothing was taken. No check ran, so nothing says which attempt is good.',
  ])
}, 60_000)

it('a check that was green before anything changed is marked, and --check says which count', async () => {
  const { attempts } = await world({
    checks: [
      { name: 'good', run: 'grep -q good out.txt' },
      { name: 'kept', run: 'grep -q a a.txt' },
    ],
  })
  const all = await attempts('2', ...hints('good', 'bad'), '--json')
  expect(all.last?.attempts.map(({ checks, green_before }) => [checks, green_before])).toEqual([
    ['green', ['kept']],
    ['red', ['kept']],
  ])
  const { code, stderr } = await attempts('2', ...hints('good', 'bad'), '--check', 'kept')
  expect(code).toBe(0)
  expect(stderr).toMatch(/attempt 2 +subagent_1 +green \(as before\)/)
  expect(stderr).toContain('Green before anything changed, so it says only that nothing broke: kept.')
}, 30_000)

it('attempts that come to nothing fail, and wrong ones are refused before anything is spent', async () => {
  const { attempts, line, server } = await world()
  const wrong = [
    ['0'],
    ['1'],
    ['101'],
    ['two'],
    ['2', '--variant', 'temper=hot'],
    ['2', '--variant', 'model=openai:gpt-5'],
    ['2', '--variant', 'agent=nobody'],
    ['2', '--variant', 'effort=extreme'],
    ['2', '--variant', 'model='],
    ['2', '--variant', 'effort=low,agnt=x'],
    ['2', ...hints('a', 'b', 'c')],
    ['2', '--budget', '0'],
    ['2', '--check', 'nobody'],
    ['2', '--pick', 'worst'],
    ['2', '--step'],
  ]
  for (const args of wrong) {
    const { code, stderr } = await attempts(...args)
    expect([args.join(' '), code, stderr.split('\n').length > 1]).toEqual([args.join(' '), 2, true])
  }
  for (const args of [
    ['--pick', 'best'],
    ['--check', 'good'],
  ])
    expect((await line('run', '--task', 'x', ...args)).code).toBe(2)
  expect(server.requests.length).toBe(0)
}, 60_000)
