import { expect, it } from 'vitest'
import type { Call } from '#shared/model/calls/call.ts'
import { heldNote } from './held-note.ts'

const call = (how: string, decision: object | null = null): Call =>
  ({ decision, state: { kind: 'finished', how, result: { outcome: 'ok', content: [] } } }) as unknown as Call

it('says what became of a call whose effects were held, and nothing of others', () => {
  expect(heldNote(call('ran'))).toBeNull()
  expect(heldNote(call('ran', { type: 'approve' }))).toBeNull()
  const keptBack = { state: { kind: 'kept back', outcome: {} } } as unknown as Call
  expect(heldNote(keptBack)?.word).toBe('not kept yet')
  expect(heldNote(call('dropped'))).toEqual({ word: 'effects dropped', reason: '' })
  expect(heldNote(call('kept back', { type: 'approve' }))).toEqual({ word: 'kept', reason: '' })
  expect(heldNote(call('kept back', { type: 'approve', paths: ['/a', '/b'] }))?.word).toBe('kept only /a, /b')
  expect(heldNote(call('kept back', { type: 'reject', message: 'too much' }))).toEqual({
    ...{ word: 'dropped', reason: 'too much' },
  })
})
