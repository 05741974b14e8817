import { describe, expect, it } from 'vitest'
import type { Entry } from '#shared/model/entry.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { branchId, created, event, threadId, userMessage } from './entries.testkit.ts'
import { createTimelineFold, emptyTimeline } from './timeline.ts'

const workspace = 'workspace' as BranchId
const patchOf = (...paths: readonly string[]): Patch => paths.map((path) => [path as VirtualPath, [null, null]])
const changeEntry = (sequence: number, ...paths: readonly string[]): Entry =>
  event(sequence, { type: 'tree.changed', branchId, patch: patchOf(...paths), callId: null }) as Entry
const mergeEntry = (sequence: number, forced: boolean): Entry =>
  event(sequence, {
    type: 'branch.merged',
    branchId,
    into: workspace,
    patch: patchOf('/a'),
    bases: [],
    result: { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] },
    forced,
    by: 'person',
  }) as Entry
const foldAll = (...entries: readonly Entry[]): typeof emptyTimeline => {
  let project = emptyProject
  return entries.reduce((state, entry) => {
    project = fold(project, entry)
    return createTimelineFold()(state, entry, project)
  }, emptyTimeline)
}

describe('timeline of branches', () => {
  it('joins consecutive changes into one event that counts them', () => {
    const { branches } = foldAll(
      changeEntry(1, '/a'),
      changeEntry(2, '/b', '/c'),
      mergeEntry(3, false),
      changeEntry(4, '/d'),
    )
    expect(branches.get(branchId)?.map(({ kind, paths }) => [kind, paths])).toEqual([
      ['work', 3],
      ['merge', 1],
      ['work', 1],
    ])
  })

  it('counts files, not folders', () => {
    const folder = { node: { kind: 'directory' }, pin: null } as const
    const patch: Patch = [['/new' as VirtualPath, [null, folder]], ...patchOf('/new/a')]
    const { branches } = foldAll(event(1, { type: 'tree.changed', branchId, patch, callId: null }) as Entry)
    expect(branches.get(branchId)?.[0]?.paths).toBe(1)
  })

  it('distinguishes a force from a merge', () => {
    expect(foldAll(mergeEntry(1, true)).branches.get(branchId)?.[0]?.kind).toBe('force')
  })

  it('makes both sides of a merge stale', () => {
    const { versions } = foldAll(changeEntry(1, '/a'), mergeEntry(7, false))
    expect([versions.get(branchId), versions.get(workspace)]).toEqual([7, 7])
  })
})

describe('authors', () => {
  const undoEntry = (sequence: number, of: number): Entry =>
    event(sequence, { type: 'merge.undone', branchId, into: workspace, of, patch: patchOf('/a') }) as Entry
  const authorOf = (state: typeof emptyTimeline): unknown => state.authors.get(workspace)?.get('/a' as VirtualPath)
  const byPerson = event(
    1,
    { type: 'tree.changed', branchId: workspace, patch: patchOf('/a'), callId: null },
    'root' as ThreadId,
  ) as Entry

  it('come from the branch after a merge, and are the earlier ones again after its undo', () => {
    expect(authorOf(foldAll(byPerson, mergeEntry(2, true)))).toBe(threadId)
    expect(authorOf(foldAll(byPerson, mergeEntry(2, true), undoEntry(3, 2)))).toBeNull()
    expect(authorOf(foldAll(mergeEntry(2, true), undoEntry(3, 2)))).toBeUndefined()
  })
})

describe('ends of runs', () => {
  it('say what only this run changed and cost', () => {
    const usage = {
      modelCalls: 1,
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      cost: 0.5,
    }
    const run = (start: number, ...paths: readonly string[]): readonly Entry[] => [
      event(start, { type: 'run.started' }) as Entry,
      event(start + 1, userMessage(`m${start}`, 'go')) as Entry,
      event(start + 2, { type: 'usage', usage, model: 'demo' }) as Entry,
      changeEntry(start + 3, ...paths),
      event(start + 4, { type: 'run.ended', status: 'done', reason: 'completed', message: '' }) as Entry,
    ]
    const { ends } = foldAll(event(1, created) as Entry, ...run(2, '/a', '/b'), ...run(10, '/a'))
    expect(ends.get(threadId)).toMatchObject([
      { after: 'm2', changedPaths: 2, durationMs: 4000, usage: { cost: 0.5 } },
      { after: 'm10', changedPaths: 1, usage: { modelCalls: 1 } },
    ])
  })
})
