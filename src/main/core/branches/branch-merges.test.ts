import { expect, it } from 'vitest'
import type { EntryBody } from '#shared/model/entry.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import { createBranchMerges } from './branch-merges.ts'
import { planDiscard } from './branch-sides.ts'
import { emptyBranchTrees, foldTrees } from './branch-trees.ts'

const threadId = 'thread' as ThreadId
const day = 24 * 60 * 60 * 1000
const choice = { paths: null, force: false, strategy: 'refuse' } as const

/** The agent's merges over a thread with one branch per handle, after more entries, at the time `now`. */
function mergesAfter(handles: readonly string[], more: readonly EntryBody[], now: number) {
  const created = { type: 'thread.created', branchId: 'main' as BranchId, parent: null } as unknown as EntryBody
  const forked = handles.map((name): EntryBody => {
    const [branchId, parentId, handle] = [name as BranchId, 'main' as BranchId, name as Handle]
    return { type: 'branch.forked', branchId, parentId, ownerThreadId: `thread of ${name}` as ThreadId, handle, name }
  })
  const entries = [created, ...forked, ...more].map((body, sequence) => ({ threadId, ...body, sequence, at: 0 }))
  const state = entries.reduce(fold, emptyProject)
  const trees = entries.reduce(foldTrees, emptyBranchTrees)
  const planMerge = () => Promise.reject(new Error('nothing is to be merged here'))
  return createBranchMerges({ state: () => state, trees: () => trees, now: () => now, planMerge, planDiscard })
}

const dropped = (name: string): EntryBody => {
  return { type: 'branch.discarded', branchId: name as BranchId, patch: [], whole: true, by: 'agent' }
}

it('names the known handles to an agent that uses an unknown one', async () => {
  const merges = mergesAfter(['subagent_0', 'subagent_1'], [], 0)
  const error = expect.stringContaining('subagent_0, subagent_1')
  expect(await merges.merge(threadId, ['subagent_7' as Handle], choice)).toEqual({ ok: false, error })
  expect(merges.discard(threadId, 'subagent_7' as Handle, null)).toEqual({ ok: false, error })
})

it.each([
  [7 * day, 'restore it'],
  [7 * day + 1, 'is gone'],
])('answers for a branch discarded %i ms ago: %s', async (now, words) => {
  const merges = mergesAfter(['subagent_0'], [dropped('subagent_0')], now)
  const error = expect.stringContaining(words)
  expect(await merges.merge(threadId, ['subagent_0' as Handle], choice)).toEqual({ ok: false, error })
  expect(merges.discard(threadId, 'subagent_0' as Handle, null)).toEqual({ ok: false, error })
})

it('leaves a branch whose agent still works, and a proposal for a conflict', async () => {
  const created = (name: string, parent: object) =>
    ({
      type: 'thread.created',
      threadId: `thread of ${name}`,
      branchId: name,
      parent: { threadId, ...parent },
    }) as const
  const more = [
    created('working', { todoIndex: null }),
    created('proposal', { todoIndex: null, resolves: { branchId: 'main', path: '/a' } }),
    { type: 'run.started', threadId: 'thread of working' },
  ] as unknown as readonly EntryBody[]
  const merges = mergesAfter(['working', 'proposal'], more, 0)
  const branchIds = ['working', 'proposal'] as BranchId[]
  expect(await merges.mergeReady(branchIds)).toEqual({ entries: [], left: branchIds })
})
