import { describe, expect, it } from 'vitest'
import type { EntryBody } from '#shared/model/entry.ts'
import type { BranchId, InterruptId } from '#shared/model/ids.ts'
import { invert, type Patch } from '#shared/model/patch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { foldEvents, initialState } from './app-state.ts'
import { agentReply, branchId, callId, created, event } from './entries.testkit.ts'

const child = 'child' as BranchId
const gone = { node: null, pin: null }
const patch: Patch = [['/a' as VirtualPath, [null, gone]]]
const nothing = { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] }
const discard: EntryBody = { type: 'branch.discarded', branchId: child, patch, whole: true, by: 'agent' }
const restored: EntryBody = { type: 'branch.restored', branchId: child, patch: [] }
const change = (by: Patch): EntryBody => ({ type: 'tree.changed', branchId, patch: by, callId: null })
const merge = (forced: boolean): EntryBody => ({
  type: 'branch.merged',
  branchId: child,
  into: branchId,
  patch,
  bases: [],
  result: nothing,
  forced,
  by: 'person',
})
const rewind = (undoes: number | null): EntryBody => ({ type: 'rewound', to: 1, files: [], conversation: true, undoes })
const reject = (name: string): EntryBody => ({
  type: 'interrupt.decided',
  interruptId: 'i' as InterruptId,
  decision: { type: 'reject', callId: callId(name), message: '' },
})

/** The kinds of the items; a minus marks an undone one. */
function items(...bodies: readonly EntryBody[]) {
  const { history } = foldEvents(
    initialState,
    [created, ...bodies].map((body, index) => event(index + 1, body)),
  )
  return history.map(({ kind, undone }) => `${undone ? '-' : ''}${kind}`)
}

describe('the history', () => {
  it('has discards and forced merges, and marks undone ones', () => {
    expect(items(discard)).toEqual(['discard'])
    expect(items(discard, restored, discard)).toEqual(['-discard', 'discard'])
    expect(items(merge(false))).toEqual([])
    expect(items(merge(true))).toEqual(['force'])
    expect(items(merge(true), { type: 'merge.undone', branchId: child, into: branchId, of: 2, patch })).toEqual([
      '-force',
    ])
  })

  it('has todos that a person took away', () => {
    const todo = { content: 'Write', status: 'pending' } as const
    const written = { type: 'todos.written', by: 'person', todos: [] } as const
    expect(items({ ...written, todos: [todo] })).toEqual([])
    expect(items({ ...written, removed: { todo, index: 0 } })).toEqual(['remove_todo'])
    expect(items({ ...written, removed: { todo, index: 0 } }, { ...written, undoes: 2 })).toEqual(['-remove_todo'])
  })

  it('recognises the inverse of a change by hand as its undo', () => {
    expect(items(change(patch))).toEqual(['revert'])
    expect(items(change(patch), change(invert(patch)))).toEqual(['-revert'])
    expect(items(change(patch), change(patch))).toEqual(['revert', 'revert'])
  })

  it('marks the change that an undo names, even where another looks the same', () => {
    const undo: EntryBody = { type: 'tree.changed', branchId, patch: invert(patch), callId: null, undoes: 2 }
    expect(items(change(patch), change(patch), undo)).toEqual(['-revert', 'revert'])
    expect(items(change(patch), { ...undo, undoes: 99 })).toEqual(['revert', 'revert'])
  })

  it('lists an apply and its undo separately, since both wrote to the disk', () => {
    const apply: EntryBody = { type: 'apply.finished', branchId, paths: ['/a'], patch }
    const undo: EntryBody = { type: 'apply.undone', branchId, of: 2, patch }
    expect(items(apply, undo)).toEqual(['-apply', 'undo_apply'])
  })

  it('has one item for a rewind, its redo, and the redo of that', () => {
    expect(items(rewind(null))).toEqual(['rewind'])
    expect(items(rewind(null), rewind(2))).toEqual(['-rewind'])
    expect(items(rewind(null), rewind(2), rewind(3))).toEqual(['rewind'])
  })

  it('has deleted threads and memories, and calls rejected together as one', () => {
    const deleted: EntryBody = { type: 'memory.deleted', name: 'a.md', agent: 'main', callId: null }
    const written: EntryBody = {
      type: 'memory.written',
      name: 'a.md',
      text: 'x',
      agent: null,
      callId: null,
      restores: 1,
    }
    expect(items({ type: 'thread.deleted' }, { type: 'thread.restored' })).toEqual(['-delete_thread'])
    expect(items(deleted, written)).toEqual(['-delete_memory'])
    const forAll: EntryBody = { ...deleted, type: 'user_memory.deleted' }
    expect(items(forAll, { ...written, type: 'user_memory.written', undoes: 2 })).toEqual(['-delete_user_memory'])
    expect(items(forAll, { ...written, type: 'user_memory.written' })).toEqual(['delete_user_memory'])
    const { history } = foldEvents(initialState, [
      event(1, created),
      event(2, agentReply('m', '', ['one', 'execute'], ['two', 'delete'])),
      ...[3, 4].map((sequence) => ({ ...event(sequence, reject(sequence === 3 ? 'one' : 'two')), at: 9 })),
    ])
    expect(history).toMatchObject([{ kind: 'reject', tools: ['execute', 'delete'], agent: null }])
  })
})
