import { describe, expect, it } from 'vitest'
import type { Entry, EntryBody } from '../entry.ts'
import type { BranchId, ThreadId } from '../ids.ts'
import type { Patch } from '../patch.ts'
import type { VirtualPath } from '../virtual-path.ts'
import { inverse, undoMark, undoneBy } from './undo.ts'

const branchId = 'b' as BranchId
const patch: Patch = [['/a' as VirtualPath, [null, { node: null, pin: { kind: 'directory' } }]]]
const result = { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] }
const entryOf = (body: EntryBody): Entry => ({ ...body, threadId: 't' as ThreadId, sequence: 7, at: 0 })

const undoable: readonly EntryBody[] = [
  { type: 'branch.merged', branchId, into: branchId, patch, bases: [], result, forced: false, by: 'person' },
  { type: 'branch.discarded', branchId, patch: [], whole: true, by: 'agent' },
  { type: 'branch.discarded', branchId, patch, whole: false, by: 'person' },
  { type: 'tree.changed', branchId, patch, callId: null },
  { type: 'apply.finished', branchId, paths: ['/a'], patch },
  { type: 'thread.deleted' },
]

describe('an entry that takes another one back', () => {
  it.each(undoable)('names it, and is found by its mark where an older version did not: $type', (body) => {
    const entry = entryOf(body)
    const undo = inverse(entry)
    if (!undo) throw new Error('It cannot be undone.')
    expect(undoneBy({ ...undo, sequence: 8, at: 0 })).toEqual({ of: 7, mark: null })
    if ('of' in undo) return
    const { undoes: _, ...older } = undo as EntryBody & { readonly undoes?: number }
    expect(undoneBy(entryOf(older as EntryBody))).toEqual({ of: null, mark: undoMark(entry) })
    expect(undoMark(entry)).not.toBeNull()
  })

  it('is its own kind for what goes back to more than the entry says', () => {
    const undoing: readonly EntryBody[] = [
      { type: 'rewound', to: 1, files: null, conversation: true, undoes: 3 },
      { type: 'todos.written', todos: [], by: 'person', undoes: 3 },
      { type: 'user_memory.written', name: 'a', text: '', agent: null, callId: null, restores: null, undoes: 3 },
      { type: 'user_memory.deleted', name: 'a', agent: null, callId: null, undoes: 3 },
    ]
    for (const one of undoing) {
      expect(undoneBy(entryOf(one))).toEqual({ of: 3, mark: null })
      expect(inverse(entryOf(one))).toBeUndefined()
    }
    const written: EntryBody = { type: 'memory.written', name: 'a', text: '', agent: null, callId: null, restores: 1 }
    const deleted: EntryBody = { type: 'memory.deleted', name: 'a', agent: 'main', callId: null }
    expect(undoneBy(entryOf(written))).toEqual({ of: null, mark: undoMark(entryOf(deleted)) })
    expect(undoneBy(entryOf({ ...written, agent: 'main' }))).toBeNull()
  })
})
