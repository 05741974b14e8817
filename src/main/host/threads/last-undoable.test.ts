import { expect, it } from 'vitest'
import type { Entry } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { findLastUndoable } from './last-undoable.ts'

const threads = new Set(['t' as ThreadId])
const found = (...entries: readonly object[]) =>
  findLastUndoable(
    entries.map((entry, index) => ({ sequence: index + 1, threadId: 't', ...entry }) as unknown as Entry),
    threads,
  )?.sequence

it('finds the last merge, discard, apply or rewind', () => {
  expect(found({ type: 'branch.merged' }, { type: 'message' })).toBe(1)
  expect(found({ type: 'branch.merged' }, { type: 'apply.finished' })).toBe(2)
  expect(found({ type: 'branch.merged', threadId: 'other' })).toBeUndefined()
})

it('passes over what was taken back, so that each undo goes one further', () => {
  const entries = [
    { type: 'branch.merged' },
    { type: 'branch.discarded' },
    { type: 'rewound', undoes: null },
    { type: 'rewound', undoes: 3 },
    { type: 'branch.restored', undoes: 2 },
  ]
  expect(found(...entries)).toBe(1)
  expect(found(...entries, { type: 'merge.undone', of: 1 })).toBeUndefined()
})

// Mutation: in `undoneBy`, give a restored branch without `undoes` no mark.
it('passes over what a journal of an older version took back without naming it, once for each undo', () => {
  const discard = { type: 'branch.discarded', branchId: 'b', whole: true }
  const restored = { type: 'branch.restored', branchId: 'b' }
  expect(found({ type: 'branch.merged' }, discard, restored)).toBe(1)
  expect(found(discard, discard, restored)).toBe(1)
  expect(found(discard, { ...restored, branchId: 'other' })).toBe(1)
})
