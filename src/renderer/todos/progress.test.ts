import { expect, it } from 'vitest'
import type { ThreadState } from '#shared/model/thread.ts'
import { noUsage } from '#shared/model/usage.ts'
import { describeAgent, limitAgents } from './progress.ts'

const agents = (pattern: string) =>
  [...pattern].map(
    (letter, index) => ({ agent: `${index}`, status: letter === 'w' ? 'working' : 'done' }) as ThreadState,
  )
const listed = (pattern: string, most: number) => limitAgents(agents(pattern), most).map(({ agent }) => agent)

it('shows a short list whole, and running agents first in a long one', () => {
  expect(listed('dwd', 3)).toEqual(['0', '1', '2'])
  expect(listed('dddwdw', 3)).toEqual(['0', '3', '5'])
  expect(listed('wwww', 2)).toEqual(['0', '1'])
})

it('tells what an agent wants while its call waits, and that the call was rejected', () => {
  const last = (call: object) => {
    const calls = new Map([
      ['c', { name: 'execute', input: { command: 'git push' }, decision: null, result: null, ...call }],
    ])
    return describeAgent({ calls, usage: noUsage } as unknown as ThreadState, 0).lastCall
  }
  expect(last({ phase: 'waiting' })).toBe('Wants to run a command: git push')
  expect(last({ phase: 'waiting', name: 'ask_user', input: { question: 'Now?' } })).toBe('Asks you: Now?')
  expect(last({ phase: 'decided', decision: { type: 'reject' } })).toBe('Rejected: git push')
  expect(last({ phase: 'finished', result: { outcome: 'rejected', content: [] } })).toBe('Rejected: git push')
  expect(last({ phase: 'running' })).toBe('Ran git push')
})
