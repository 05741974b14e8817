import { expect, it } from 'vitest'
import type { Entry, EntryBody } from '../entry.ts'
import type { BlobHash, BranchId, Handle, ThreadId } from '../ids.ts'
import type { Patch } from '../patch.ts'
import type { VirtualPath } from '../virtual-path.ts'
import { emptyBranchGraph, foldBranchGraph } from './branch-graph.ts'

const threadId = 'thread' as ThreadId
const [main, child] = ['main' as BranchId, 'child' as BranchId]
const file = { node: { kind: 'file', blob: 'x' as BlobHash, size: 1, executable: false }, pin: null } as const
const folder = { node: { kind: 'directory' }, pin: null } as const
const patch: Patch = [
  ['/d' as VirtualPath, [null, folder]],
  ['/d/a' as VirtualPath, [null, file]],
]
const noResult = { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] }

const forked = (branchId: BranchId, parentId: BranchId | null): EntryBody => {
  return { type: 'branch.forked', branchId, parentId, ownerThreadId: threadId, handle: 'h' as Handle, name: branchId }
}
const merged = (forced: boolean): EntryBody => {
  return { type: 'branch.merged', branchId: child, into: main, patch, bases: [], result: noResult, forced, by: 'agent' }
}
const work: EntryBody = { type: 'tree.changed', branchId: child, patch, callId: null }
const checkpoint: EntryBody = { type: 'checkpoint', step: 1, treeHash: '' }
const created = { type: 'thread.created', branchId: child } as unknown as EntryBody

/** The child's events after these entries, as `kind files`. */
function eventsAfter(...bodies: readonly EntryBody[]): readonly string[] {
  const entries = bodies.map((body, index): Entry => ({ ...body, threadId, sequence: index + 1, at: index }))
  const { events } = entries.reduce(foldBranchGraph, emptyBranchGraph)
  return (events.get(child) ?? []).map(({ kind, files, sequence }) => `${kind} ${files} at ${sequence}`)
}

const start = [created, forked(child, main)]

it('joins neighbouring work into one event, and counts files but not folders', () => {
  expect(eventsAfter(...start, work, work)).toEqual(['fork 0 at 2', 'work 2 at 4'])
})

it('shows one checkpoint per changed tree, however many checkpoints store the same tree', () => {
  const events = eventsAfter(...start, checkpoint, work, checkpoint, checkpoint, work)
  expect(events).toEqual(['fork 0 at 2', 'work 1 at 4', 'checkpoint 0 at 6', 'work 1 at 7'])
})

it('distinguishes merge from force, and marks what was undone', () => {
  const undone: EntryBody = { type: 'merge.undone', branchId: child, into: main, of: 4, patch }
  const discarded: EntryBody = { type: 'branch.discarded', branchId: child, patch: [], whole: true, by: 'person' }
  const restored: EntryBody = { type: 'branch.restored', branchId: child, patch: [] }
  const applied: EntryBody = { type: 'apply.finished', branchId: child, paths: ['/d/a'], patch }
  const unapplied: EntryBody = { type: 'apply.undone', branchId: child, of: 8, patch }
  expect(eventsAfter(...start, merged(false), merged(true), undone, discarded, restored, applied, unapplied)).toEqual([
    'fork 0 at 2',
    'merge 1 at 3',
    'force 1 at 4',
    'undo 1 at 5',
    'discard 0 at 6',
    'restore 0 at 7',
    'apply 1 at 8',
    'undo 1 at 9',
  ])
})
