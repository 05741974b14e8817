import { expect, it } from 'vitest'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { doWithEach, failuresOf, findNamedBranches } from './thread-verb.ts'

const branchOf = (id: string, handle: string): Branch =>
  ({ id, handle, name: `${handle} of it`, parentId: 'workspace' }) as unknown as Branch
const [one, two] = [branchOf('branch-1', 'subagent_0'), branchOf('branch-2', 'subagent_1')]
const thread = { id: 't' as ThreadId, branchId: 'branch-1' as BranchId } as ThreadState
const child = { ...thread, id: 'c', branchId: 'branch-2' }
const state = {
  threads: new Map<string, unknown>([
    ['t', thread],
    ['c', child],
  ]),
  children: new Map([['t', ['c']]]),
  branches: new Map<string, Branch>([
    ['branch-1', one],
    ['branch-2', two],
  ]),
} as unknown as ProjectState

it('takes a branch once that was named twice, by its handle and by its id', () => {
  expect(findNamedBranches(state, thread, ['subagent_0', 'branch-2', 'branch-1'])).toEqual([one, two])
})

it('goes on after a branch that fails, and says which one it was', async () => {
  const work = async (branch: Branch) => {
    if (branch === one) throw new WireError('CONFLICT', 'This branch was discarded.')
    return 1
  }
  const outcomes = await doWithEach([one, two], work)
  expect(outcomes).toMatchObject({ done: [{ branch: two, result: 1 }], code: 3 })
  expect(failuresOf(outcomes)).toMatchObject([{ handle: 'subagent_0', error: { code: 'CONFLICT' } }])
  await expect(doWithEach([one], work)).rejects.toThrow('discarded')
})
