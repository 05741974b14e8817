import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import type { Answer, Scenario } from '../../e2e/model-server/scenario.ts'
import { coppice, fixture, folder, keyFor, runTask } from './coppice.testkit.ts'

describe('a model that misbehaves', () => {
  const always =
    (answer: Answer): Scenario =>
    () =>
      answer
  const status = (code: number, extra = {}): Scenario => always({ fault: { kind: 'status', status: code, ...extra } })

  for (const [name, scenario, message] of [
    ['a wrong key', status(401), /key/i],
    ['no permission', status(403), /./],
    ['a bad request', status(400), /./],
    ['a request that is too large', status(413), /./],
  ] as const) {
    it(`${name}: no retry, exit code 1`, async () => {
      const { code, last, requests } = await runTask(scenario)
      expect(code).toBe(1)
      expect(last).toMatchObject({ status: 'failed', reason: 'model_error', message: expect.stringMatching(message) })
      expect(requests).toHaveLength(1)
    })
  }

  for (const [name, fault] of [
    ['rate limits', { kind: 'status', status: 429, headers: { 'retry-after': '0' } }],
    ['overload', { kind: 'status', status: 529 }],
    ['a server error in HTML', { kind: 'status', status: 502, body: '<html>Bad gateway</html>' }],
    ['a stream that is cut', { kind: 'cut', afterEvents: 3 }],
    ['a stream with garbage', { kind: 'garbage', afterEvents: 3 }],
  ] as const) {
    it(`${name}: a visible retry, then done`, async () => {
      const { code, last, events } = await runTask((_, { tries }) =>
        tries === 0 ? { text: 'Half an answer that breaks', fault } : { text: 'Whole.' },
      )
      expect(code).toBe(0)
      expect(last).toMatchObject({ status: 'done', answer: 'Whole.' })
      expect(events.some(({ type }) => type === 'model.retrying')).toBe(true)
    })
  }

  it('gives up after the allowed number of tries', async () => {
    const { code, last, requests } = await runTask(status(529))
    expect([code, requests.length]).toEqual([1, 3])
    expect(last).toMatchObject({ status: 'failed', reason: 'model_error' })
  })

  it('an unreachable model: exit code 1, and a message with its address', async () => {
    const server = await startModelServer(() => ({}))
    const gone = server.url
    await server[Symbol.asyncDispose]()
    const data = folder()
    const settings = join(data, 's.json')
    writeFileSync(settings, JSON.stringify({ retry: { attempts: 2, base_delay_ms: 10 } }))
    const result = await coppice(
      ['run', fixture, '--task', 'x', '--json', '--data-dir', data, '--settings', settings],
      keyFor(gone),
    )
    expect(result.code).toBe(1)
    expect(result.events.at(-1)).toMatchObject({ status: 'failed', message: expect.stringContaining(gone) })
  })

  it('a call whose JSON is cut at the output limit does not run', async () => {
    const half = { name: 'write_file', input: {}, rawInput: '{"file_path":"/half.txt","content":"abc' }
    const limit = await runTask(always({ calls: [half], stopReason: 'max_tokens' }))
    expect(limit.code).toBe(1)
    expect(limit.last).toMatchObject({ reason: 'max_tokens', changes: { written: [] } })
    expect(limit.events.some(({ type }) => type === 'tool.started')).toBe(false)
  })

  it('reports malformed tool JSON, unknown tools and wrong arguments to the model', async () => {
    const { code, requests, last } = await runTask((request, { count }) => {
      if (count === 0)
        return {
          calls: [
            { name: 'no_such_tool', input: {} },
            { name: 'write_file', input: { file_path: 7 } },
            { name: 'ls', input: { path: '/../etc' } },
            { name: 'execute', input: {}, rawInput: '{"command": "touch /tmp/x' },
            { name: 'read_file', input: {}, rawInput: '["/README.md"]' },
          ],
        }
      return { text: JSON.stringify(request.messages.at(-1)) }
    })
    expect(code).toBe(0)
    expect(requests).toHaveLength(2)
    expect(last?.answer).toContain('There is no tool named no_such_tool')
    expect(last?.answer).toContain('Invalid arguments for write_file')
    expect(last?.answer).toContain('leaves the project root')
    for (const name of ['execute', 'read_file'])
      expect(last?.answer).toContain(`The arguments of ${name} were not one complete JSON object`)
  })

  it('endless calls end at the budget with exit code 4, and a resumed run goes on', async () => {
    const { code, last, data } = await runTask(
      (_, { count }) => ({ calls: [{ name: 'ls', input: {}, id: `c${count}` }] }),
      '--max-iterations',
      '3',
    )
    expect(code).toBe(4)
    expect(last).toMatchObject({ reason: 'budget' })
    await using server = await startModelServer(() => ({ text: 'Now done.' }))
    const resumed = await coppice(['resume', String(last?.threadId), '--json', '--data-dir', data], keyFor(server.url))
    expect(resumed.events.at(-1)).toMatchObject({ status: 'done', answer: 'Now done.' })
  })

  it('a refusal has its own reason', async () => {
    const { code, last } = await runTask(always({ text: 'I will not.', stopReason: 'refusal' }))
    expect([code, last?.reason]).toEqual([1, 'refusal'])
  })
})
