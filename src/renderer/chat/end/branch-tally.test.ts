import { expect, it } from 'vitest'
import type { BranchSurvey } from '#shared/contract/views/branches.ts'
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
const survey = (name: string, ready: number, conflicts: readonly string[] = [], rivals: readonly string[] = []) =>
  [
    name as BranchId,
    { branchId: name, ready, conflicts, rivals: rivals.map((branchId) => ({ branchId, path: '/a' })) },
  ] as unknown as readonly [BranchId, BranchSurvey]
const merged = { merges: [{ undone: false }] as unknown as Branch['merges'] }

it('counts branches by what they need', () => {
  const branches = [
    branch('w', { parentId: null }),
    ...['clean', 'clash', 'same', 'broken', 'halted', 'busy'].map((name) => branch(name)),
    branch('gone', { status: 'discarded' }),
    branch('in', merged),
    branch('partly', merged),
    branch('one'),
    branch('two'),
  ]
  const threads = new Map(
    branches.map(({ threadId }) => [
      threadId,
      thread(({ broken: 'failed', busy: 'working', halted: 'stopped' } as const)[String(threadId)] ?? 'done'),
    ]),
  )
  const asked = branch('asked')
  branches.push(asked)
  threads.set(asked.threadId, { status: 'done', parent: { resolves: { branchId: 'clash', path: '/a' } } } as never)
  const surveys = new Map([
    survey('clean', 2),
    survey('clash', 1, ['/a']),
    survey('same', 0),
    survey('in', 0),
    survey('partly', 0, ['/b']),
    survey('one', 1, [], ['two']),
    survey('two', 1, [], ['one']),
  ])
  const tally = tallyOf(branches, threads, surveys)
  expect(tally).toMatchObject({
    total: 10,
    clean: ['clean'],
    conflicts: 2,
    overlaps: 2,
    merged: 1,
    stopped: 1,
    unchanged: 1,
  })
  expect(tally.failed).toHaveLength(1)
  expect(isOpen(tally)).toBe(true)
})
