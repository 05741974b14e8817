import { expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { createKnownCalls } from './known-calls.ts'

const begin = (toolCallId: string, title: string): JsonObject => ({ sessionUpdate: 'tool_call', toolCallId, title })
const update = (toolCallId: string, more: JsonObject): JsonObject => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...more,
})

it('puts the pieces of a call together', () => {
  const calls = createKnownCalls()
  calls.take(begin('1', 'Read'))
  calls.take(update('1', { locations: [{ path: '/p/a' }], status: 'in_progress' }))
  const known = calls.take(update('1', { status: 'completed', rawOutput: 'said' }))
  expect(known).toMatchObject({ title: 'Read', paths: ['/p/a'], status: 'completed', output: 'said' })
  expect(calls.all()).toEqual([known])
})

/** Mutation: keep the calls of `newest` in `forgetTurn`, or take the id of the agent as that of the call. */
it.each([
  ['in the same turn', false],
  ['in another turn', true],
])('tells a call from an earlier one with the same id %s', (_, isNext) => {
  const calls = createKnownCalls()
  const first = calls.take(begin('1', 'First'))
  calls.take(update('1', { status: 'completed', rawOutput: 'of the first' }))
  if (isNext) calls.forgetTurn()
  const second = calls.take(begin('1', 'Second'))
  expect(second).toMatchObject({ title: 'Second', status: 'pending', output: '' })
  expect(second?.id).not.toBe(first?.id)
  expect(calls.take(update('1', { status: 'failed' }))).toMatchObject({ title: 'Second', status: 'failed' })
  expect(calls.all().map(({ title }) => title)).toEqual(isNext ? ['Second'] : ['First', 'Second'])
})

/** Mutation: let `isLate` return false. */
it.each<[string, JsonObject]>([
  ['its end', { status: 'completed', title: 'First' }],
  ['its output', { content: [] }],
])('leaves out what comes of a call after its turn: %s', (_, late) => {
  const calls = createKnownCalls()
  calls.take(begin('1', 'First'))
  calls.forgetTurn()
  expect(calls.take(update('1', late))).toBeUndefined()
  expect(calls.all()).toEqual([])
})

it('hears a call of another turn that was never announced, by its first update or by a question', () => {
  const calls = createKnownCalls()
  for (const id of ['1', '2']) calls.take(begin(id, 'First'))
  calls.forgetTurn()
  expect(calls.take(update('1', { title: 'Second', status: 'in_progress' }))).toMatchObject({ title: 'Second' })
  expect(calls.take({ toolCallId: '2', title: 'Asked' })).toMatchObject({ title: 'Asked' })
})
