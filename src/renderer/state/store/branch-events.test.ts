import { describe, expect, it } from 'vitest'
import { copied } from '#shared/base/grow.ts'
import { LayeredMap } from '#shared/base/layered-map.ts'
import type { EntryBody } from '#shared/model/entry.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { BlobHash, BranchId, Handle } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type BranchEvents, foldBranchEvents } from './branch-events.ts'
import { agentReply, branchId, callId, created, event, threadId, userMessage } from './entries.testkit.ts'

const child = 'child' as BranchId
const file = { node: { kind: 'file', blob: 'x' as BlobHash, size: 1, executable: false }, pin: null } as const
const folder = { node: { kind: 'directory' }, pin: null } as const
const patch: Patch = [
  ['/d' as VirtualPath, [null, folder]],
  ['/d/a' as VirtualPath, [null, file]],
]
const nothing = { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] }

const forked = (id: BranchId, parentId: BranchId | null): EntryBody => {
  return { type: 'branch.forked', branchId: id, parentId, ownerThreadId: threadId, handle: 'h' as Handle, name: id }
}
const merged = (forced: boolean): EntryBody => {
  return {
    type: 'branch.merged',
    branchId: child,
    into: branchId,
    patch,
    bases: [],
    result: nothing,
    forced,
    by: 'agent',
  }
}
const work = (id: BranchId, call: string | null = null): EntryBody => {
  return { type: 'tree.changed', branchId: id, patch, callId: call === null ? null : callId(call) }
}
const start = [created, forked(branchId, null), forked(child, branchId)]

/** The events of a branch after these entries, which follow `start`. The first has the sequence 4. */
function eventsOf(id: BranchId, ...bodies: readonly EntryBody[]) {
  let events: BranchEvents = LayeredMap.empty()
  let project = emptyProject
  for (const [index, body] of [...start, ...bodies].entries()) {
    const entry = event(index + 1, body) as Parameters<typeof fold>[1]
    project = fold(project, entry)
    events = foldBranchEvents(events, entry, project, copied)
  }
  return events.get(id) ?? []
}

/** The events as `kind paths at last sequence`. */
function summaries(id: BranchId, ...bodies: readonly EntryBody[]): readonly string[] {
  return eventsOf(id, ...bodies).map(({ kind, paths, sequence }) => `${kind} ${paths} at ${sequence}`)
}

describe('the events of a branch', () => {
  it('join neighbouring work into one event with all its calls, and count files but not folders', () => {
    expect(summaries(child, work(child), work(child))).toEqual(['fork 0 at 3', 'work 2 at 5'])
    const [, joined] = eventsOf(child, work(child, 'one'), work(child, 'two'), work(child, 'two'))
    expect(joined).toMatchObject({ id: 4, calls: [{ callId: 'one' }, { callId: 'two' }] })
  })

  it('have a checkpoint for each message of a person, and none for other messages', () => {
    const events = eventsOf(branchId, userMessage('m', '  Do it\nnow'), agentReply('r', 'Done.'), work(branchId))
    expect(events.map(({ kind, label }) => `${kind} ${label}`)).toEqual(['fork ', 'checkpoint Do it', 'work '])
    expect(events[1]?.messageId).toBe('m')
  })

  it('distinguish merge from force, and show undos, discards and applies', () => {
    const undone: EntryBody = { type: 'merge.undone', branchId: child, into: branchId, of: 5, patch }
    const discarded: EntryBody = { type: 'branch.discarded', branchId: child, patch: [], whole: true, by: 'person' }
    const restored: EntryBody = { type: 'branch.restored', branchId: child, patch: [] }
    const applied: EntryBody = { type: 'apply.finished', branchId: child, paths: ['/d/a'], patch }
    const unapplied: EntryBody = { type: 'apply.undone', branchId: child, of: 9, patch }
    const all = [merged(false), merged(true), undone, discarded, restored, applied, unapplied]
    expect(summaries(child, ...all)).toEqual([
      'fork 0 at 3',
      'merge 1 at 4',
      'force 1 at 5',
      'undo 1 at 6',
      'discard 0 at 7',
      'restore 0 at 8',
      'apply 1 at 9',
      'undo 1 at 10',
    ])
    expect(summaries(branchId, ...all)).toEqual(['fork 0 at 2', 'taken 1 at 4', 'taken 1 at 5'])
  })
})
