import { expect, it } from 'vitest'
import { noUsage } from '#shared/model/models/usage.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { describeAgent, groupAgents, workToStop } from './progress.ts'

const statuses = { n: 'needs_you', w: 'working', d: 'done', f: 'failed', s: 'stopped' } as const
const agents = (pattern: string) =>
  [...pattern].map(
    (letter, index) => ({ agent: `${index}`, status: statuses[letter as keyof typeof statuses] }) as ThreadState,
  )
const grouped = (pattern: string) => {
  const { shown, done } = groupAgents(agents(pattern))
  return [shown.map(({ agent }) => agent), done.length]
}

it('shows a short list whole, after the agents that failed and those that need the person', () => {
  expect(grouped('dwnfd')).toEqual([['3', '2', '0', '1', '4'], 0])
})

it('folds only the agents that are done, however many others there are', () => {
  expect(grouped(`${'d'.repeat(90)}wfswnf`)).toEqual([['91', '95', '94', '90', '93', '92'], 90])
  const [shown, done] = grouped('w'.repeat(100))
  expect([shown, done]).toEqual([expect.objectContaining({ length: 100 }), 0])
})

it('stops a running batch as a whole, and other agents one by one', () => {
  const called = (id: string, callId: string) => ({ id, parent: { threadId: 'root', callId } })
  const calls = new Map([
    ['batch', { batch: {}, state: { kind: 'running' } }],
    ['ended', { batch: {}, state: { kind: 'finished' } }],
    ['task', { batch: null, state: { kind: 'running' } }],
  ])
  const running = [called('a', 'batch'), called('b', 'task'), called('c', 'batch'), called('d', 'ended')]
  const threads = new Map([['root', { calls }]])
  expect(
    workToStop(threads as unknown as Parameters<typeof workToStop>[0], running as unknown as ThreadState[]),
  ).toEqual({ batches: [{ threadId: 'root', callId: 'batch' }], threads: ['b', 'd'] })
})

it('tells what an agent wants while its call waits, and that the call was rejected', () => {
  const asking = { kind: 'asking', about: { kind: 'run' } }
  const last = (call: object) => {
    const calls = new Map([['c', { name: 'execute', input: { command: 'git push' }, decision: null, ...call }]])
    return describeAgent({ status: 'working', calls, usage: noUsage } as unknown as ThreadState, 0).work
  }
  expect(last({ state: asking })).toBe('Wants to run a command: git push')
  expect(last({ state: asking, name: 'ask_user', input: { question: 'Now?' } })).toBe('Asks you: Now?')
  expect(last({ state: { kind: 'decided', about: { kind: 'run' } }, decision: { type: 'reject' } })).toBe(
    'Rejected: git push',
  )
  expect(last({ state: { kind: 'finished', result: { outcome: 'rejected', content: [] } } })).toBe('Rejected: git push')
  expect(last({ state: { kind: 'running' } })).toBe('Ran git push')
})

it('tells why an agent failed in place of its last call', () => {
  const failed = {
    status: 'failed',
    calls: new Map(),
    usage: noUsage,
    end: { reason: 'model_error', cause: 'overloaded', message: 'HTTP 529' },
  }
  expect(describeAgent(failed as unknown as ThreadState, 0).work).toBe('The provider is overloaded')
})
