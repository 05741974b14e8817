import { expect, it } from 'vitest'
import type { BranchId } from '#shared/model/ids.ts'
import { createRunningApplies } from './apply.ts'

const [one, other] = ['one', 'other'] as BranchId[] as [BranchId, BranchId]
const untilAborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted')))

it('cancels every running apply of a branch, and no other', async () => {
  const applies = createRunningApplies()
  const running = [one, one].map((branchId) => applies.run(branchId, untilAborted))
  const beside = applies.run(other, async (signal) => signal.aborted)
  applies.cancel(one)
  expect(await Promise.all(running)).toEqual(['aborted', 'aborted'])
  expect(await beside).toBe(false)
})

it('does not cancel an apply that starts afterwards', async () => {
  const applies = createRunningApplies()
  await applies.run(one, async () => undefined)
  applies.cancel(one)
  expect(await applies.run(one, async (signal) => signal.aborted)).toBe(false)
})
