import { expect, it } from 'vitest'
import type { Call } from '#shared/model/calls/call.ts'
import { outcomeNote } from './outcome-note.ts'

const call = (how: string, decision: object | null = null): Call =>
  ({ decision, state: { kind: 'finished', how, result: { outcome: 'ok', content: [] } } }) as unknown as Call

it('says what became of a call that was tried, and nothing of others', () => {
  expect(outcomeNote(call('ran'))).toBeNull()
  expect(outcomeNote(call('ran', { type: 'approve' }))).toBeNull()
  const keptBack = { state: { kind: 'kept back', outcome: {} } } as unknown as Call
  expect(outcomeNote(keptBack)?.word).toBe('not kept yet')
  expect(outcomeNote(call('dropped'))).toEqual({ word: 'effects dropped', reason: '' })
  expect(outcomeNote(call('kept back', { type: 'approve' }))).toEqual({ word: 'kept', reason: '' })
  expect(outcomeNote(call('kept back', { type: 'approve', paths: ['/a', '/b'] }))?.word).toBe('kept only /a, /b')
  expect(outcomeNote(call('kept back', { type: 'reject', message: 'too much' }))).toEqual({
    ...{ word: 'dropped', reason: 'too much' },
  })
})
