import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { byTask, type Scenario, turnOf } from '../../e2e/model-server/scenario.ts'
import type { RunEvent } from '../../e2e/support/coppice.ts'
import { coppice } from './coppice.testkit.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-hostile-'))
const place = () => ({ project: folder(), data: folder() })

/** Runs one command line in a place, with a model that follows the scenario. */
async function drive(scenario: Scenario, at: ReturnType<typeof place>, command: readonly string[]) {
  await using server = await startModelServer(scenario)
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const result = await coppice([...command, '--json', '--data-dir', at.data], environment)
  return { ...result, last: result.events.at(-1), requests: server.requests }
}
const run = (scenario: Scenario, at = place(), ...flags: readonly string[]) =>
  drive(scenario, at, ['run', at.project, '--task', 'main', ...flags])

const execute = (id: string, command = 'echo ran >> log.txt') => ({ name: 'execute', id, input: { command } })
const task = (description: string) => ({ name: 'task', input: { description } })
const spawn = (...tasks: readonly string[]) => ({ name: 'spawn_subagents', input: { tasks } })
const waitingIds = (finished: RunEvent | undefined) =>
  ((finished?.interrupts ?? []) as { action_requests: { callId: string }[] }[]).flatMap(
    ({ action_requests: requests }) => requests.map(({ callId }) => callId),
  )

it('one parallel task returns, then another one asks: the run ends and waits', async () => {
  const { code, last } = await run(
    byTask({
      main: [{ calls: [task('quick'), task('slow')] }],
      slow: [{ delayMs: 300, calls: [execute('late')] }],
    }),
  )
  expect([code, last?.reason]).toEqual([3, 'interrupt'])
})

it('--approve all does not decide calls of other threads', async () => {
  const at = place()
  const first = await run((request) => (turnOf(request) === 0 ? { calls: [execute('theirs')] } : {}), at)
  const second = await run(() => ({ text: 'Mine.' }), at, '--approve', 'all')
  expect([second.code, second.events.some(({ type }) => type === 'interrupt.decided')]).toEqual([0, false])
  const again = await drive(() => ({}), at, ['resume', String(first.last?.threadId)])
  expect(waitingIds(again.last)).toEqual(['theirs'])
})

it('resuming a thread that is done does not ask the model again and keeps its model', async () => {
  const at = place()
  const first = await run(() => ({ text: 'All done.' }), at, '--model', 'scripted-7')
  const thread = String(first.last?.threadId)
  const resumed = await drive(() => ({ text: 'Twice.' }), at, ['resume', thread])
  expect([resumed.code, resumed.last?.answer, resumed.requests.length]).toEqual([0, 'All done.', 0])
  const more = await run(() => ({ text: 'More.' }), at, '--thread', thread)
  const other = await run(() => ({ text: 'Other.' }), at, '--thread', thread, '--model', 'scripted-8')
  expect([...more.requests, ...other.requests].map(({ model }) => model)).toEqual(['scripted-7', 'scripted-8'])
})

it('a reply that was cut continues after a message of the user', async () => {
  const at = place()
  const first = await run(() => ({ text: 'Half of', stopReason: 'max_tokens' }), at)
  const { last, requests } = await drive(() => ({ text: 'Whole.' }), at, ['resume', String(first.last?.threadId)])
  expect(last?.answer).toBe('Whole.')
  expect(requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
})

it('the same id in two subagents, or an id that is not a name: each decision is for one call', async () => {
  const at = place()
  const child = [{ calls: [execute('same')] }, { text: 'Done.' }]
  const scenario = byTask({ main: [{ calls: [spawn('one', 'two')] }, { text: 'End.' }], one: child, two: child })
  const { last } = await run(scenario, at)
  const ids = waitingIds(last)
  expect(new Set(ids).size).toBe(2)
  const decisions = join(at.data, 'decisions.json')
  writeFileSync(decisions, JSON.stringify([{ callId: 'same', type: 'approve' }]))
  const resumed = await drive(scenario, at, ['resume', String(last?.threadId), '--decisions', decisions])
  expect(waitingIds(resumed.last)).toEqual(ids.filter((id) => id !== 'same'))

  const odd = await run((request) =>
    turnOf(request) === 0
      ? { calls: ['../up', '', 'x'.repeat(300), 'a b'].map((id) => ({ name: 'ls', input: {}, id })) }
      : { text: 'End.' },
  )
  const answered = odd.events.filter(({ type }) => type === 'tool.finished').map(({ callId }) => String(callId))
  expect([odd.code, answered.filter((id) => /^[\w-]{1,64}$/.test(id)).length]).toEqual([0, 4])
})

it('when one decision in a file is wrong, none is stored and nothing runs', async () => {
  const at = place()
  const scenario = byTask({
    main: [{ calls: [spawn('one', 'two')] }],
    one: [{ calls: [execute('first')] }],
    two: [{ calls: [execute('second')] }],
  })
  const { last } = await run(scenario, at)
  const decisions = join(at.data, 'decisions.json')
  const wrong = { callId: 'second', type: 'edit', args: { command: 7 } }
  writeFileSync(decisions, JSON.stringify([{ callId: 'first', type: 'approve' }, wrong]))
  const refused = await drive(scenario, at, ['resume', String(last?.threadId), '--decisions', decisions])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('do not fit execute')])
  const again = await drive(scenario, at, ['resume', String(last?.threadId)])
  expect(waitingIds(again.last)).toEqual(['first', 'second'])
})

for (const text of ['{', '{}', '[{"callId": "c"}]', '[{"callId": "c", "type": "edit"}]']) {
  it(`a decisions file with ${text} is a usage error`, async () => {
    const { code, stderr } = await coppice(
      ['resume', 'any', '--decisions', '-', '--data-dir', folder()],
      {},
      { input: text },
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining('--decisions: The decisions file is')])
  })
}

it('wrong settings are reported, and a missing settings file is a usage error', async () => {
  const at = place()
  const file = join(at.data, 'wrong.json')
  writeFileSync(file, JSON.stringify({ permissions: { deny: 'execute' } }))
  const wrong = await run(() => ({ text: 'Done.' }), at, '--settings', file)
  expect(wrong.stderr).toContain(`${file}:1: permissions`)
  const missing = await run(() => ({}), at, '--settings', `${file}.not`)
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('there is no file')])
})

it('a result that cannot be applied counts as a failure, and is kept', async () => {
  const at = place()
  const file = join(at.project, 'a.txt')
  writeFileSync(file, 'base\n')
  const scenario: Scenario = (request) => {
    if (turnOf(request) === 0)
      return { calls: [{ name: 'edit_file', input: { file_path: '/a.txt', old_string: 'base', new_string: 'agent' } }] }
    writeFileSync(file, 'person\n')
    return { text: 'Done.' }
  }
  const { code, last } = await run(scenario, at, '--apply')
  expect([code, last?.status, last?.reason, last?.answer]).toEqual([1, 'failed', 'not_delivered', 'Done.'])
  expect(last?.message).toContain('a.txt')
  expect(readFileSync(file, 'utf8')).toBe('person\n')
  const kept = await coppice(['export', String(last?.threadId), '--patch', '-', '--data-dir', at.data])
  expect([kept.code, kept.stdout]).toEqual([0, expect.stringContaining('+agent')])
})
