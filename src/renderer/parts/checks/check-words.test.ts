import { expect, test } from 'vitest'
import type { BranchId } from '#shared/model/ids.ts'
import { countStates, firstToShow, isWorking, redRequired } from './check-words.ts'
import { standingOf, viewOf } from './checks.testkit.ts'

const branch = 'b' as BranchId

test('the output that is shown first is that of the check that needs a person most', () => {
  expect(firstToShow([viewOf('a', 'green'), viewOf('b', 'stale'), viewOf('c', 'red')])).toBe('c')
  expect(firstToShow([viewOf('a', 'none'), viewOf('b', 'flaky')])).toBe('b')
  expect(firstToShow([])).toBeNull()
})

test('branches are counted by state, and the urgent ones come first', () => {
  const states = ['green', 'red', 'green', 'queued'] as const
  expect(countStates(states.map((state) => standingOf(branch, state, [])))).toEqual([
    ['red', 1],
    ['queued', 1],
    ['green', 2],
  ])
})

test('only a required check that failed on these files asks once more before an apply', () => {
  const checks = [viewOf('a', 'red'), viewOf('b', 'red', false), viewOf('c', 'flaky'), viewOf('d', 'stale')]
  expect(redRequired(standingOf(branch, 'red', checks))).toEqual(['a', 'c'])
})

test('checks are at work while one runs or waits', () => {
  expect(isWorking(standingOf(branch, 'queued', [viewOf('a', 'green'), viewOf('b', 'queued')]))).toBe(true)
  expect(isWorking(standingOf(branch, 'stale', [viewOf('a', 'stale')]))).toBe(false)
})
