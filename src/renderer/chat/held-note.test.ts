import { expect, it } from 'vitest'
import type { CallState } from '#shared/model/thread.ts'
import { heldNote } from './held-note.ts'

const call = (fields: object): CallState =>
  ({ held: null, decision: null, result: { outcome: 'ok', content: [] }, ...fields }) as unknown as CallState

it('says what became of a call whose effects were held, and nothing of others', () => {
  expect(heldNote(call({}))).toBeNull()
  expect(heldNote(call({ decision: { type: 'approve' } }))).toBeNull()
  expect(heldNote(call({ held: {}, result: null }))?.word).toBe('not kept yet')
  expect(heldNote(call({ wasDropped: true }))).toEqual({ word: 'effects dropped', reason: '' })
  const ended = { wasHeld: true as const }
  expect(heldNote(call({ ...ended, decision: { type: 'approve' } }))).toEqual({ word: 'kept', reason: '' })
  expect(heldNote(call({ ...ended, decision: { type: 'approve', paths: ['/a', '/b'] } }))?.word).toBe(
    'kept only /a, /b',
  )
  expect(heldNote(call({ ...ended, decision: { type: 'reject', message: 'too much' } }))).toEqual({
    ...{ word: 'dropped', reason: 'too much' },
  })
})
