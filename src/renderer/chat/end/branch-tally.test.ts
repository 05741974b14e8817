import { expect, it } from 'vitest'
import type { BranchReview } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { isOpen, tallyOf } from './branch-tally.ts'

const branch = (name: string, changes: Partial<Branch> = {}): Branch =>
  ({
    id: name as BranchId,
    threadId: name as ThreadId,
    parentId: 'w',
    status: 'open',
    merges: [],
    ...changes,
  }) as Branch
const thread = (status: ThreadState['status']): ThreadState => ({ status }) as ThreadState
const review = (...statuses: readonly string[]): BranchReview =>
  ({ files: statuses.map((status) => ({ status })) }) as unknown as BranchReview

it('counts branches by what they need', () => {
  const branches = [
    branch('w', { parentId: null }),
    ...['clean', 'clash', 'same', 'broken', 'busy'].map((name) => branch(name)),
    branch('gone', { status: 'discarded' }),
    branch('in', { merges: [{ undone: false }] as unknown as Branch['merges'] }),
  ]
  const threads = new Map(
    branches.map(({ threadId }) => [
      threadId,
      thread(threadId === 'broken' ? 'failed' : threadId === 'busy' ? 'working' : 'done'),
    ]),
  )
  const reviews = new Map([
    ['clean', review('clean', 'mergeable')],
    ['clash', review('clean', 'conflict')],
    ['same', review('identical')],
  ] as [BranchId, BranchReview][])
  const tally = tallyOf(branches, threads, reviews)
  expect(tally).toMatchObject({ total: 6, clean: ['clean'], conflicts: 1, merged: 1 })
  expect(tally.failed).toHaveLength(1)
  expect(isOpen(tally)).toBe(true)
})
