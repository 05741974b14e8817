import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ticksUpTo } from './ticks.ts'

it.each([
  [100, 3, [0, 50, 100]],
  [7, 4, [0, 2, 4, 6]],
  [1.66, 4, [0, 0.5, 1, 1.5]],
  [0.42, 4, [0, 0.2, 0.4]],
  [23_000, 4, [0, 10_000, 20_000]],
  [0, 4, [0]],
])('places round values up to %s, at most %s of them', (highest, most, ticks) => {
  expect(ticksUpTo(highest, most)).toEqual(ticks)
})

it('counts in whole numbers', () => {
  expect(ticksUpTo(1, 4, true)).toEqual([0, 1])
  expect(ticksUpTo(3, 4, true)).toEqual([0, 1, 2, 3])
  expect(ticksUpTo(7, 4, true)).toEqual([0, 2, 4, 6])
  expect(ticksUpTo(9, 4, true)).toEqual([0, 3, 6, 9])
})

const extremes = [0, Number.MIN_VALUE, 1e-310, Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NaN]

it('has a few round values for any highest value', () => {
  const anyHighest = fc.oneof(fc.constantFrom(...extremes), fc.double({ min: 0 }))
  fc.assert(
    fc.property(anyHighest, fc.integer({ min: 1, max: 8 }), fc.boolean(), (highest, most, whole) => {
      const ticks = ticksUpTo(highest, most, whole)
      expect(ticks.length).toBeLessThanOrEqual(most)
      expect(ticks[0]).toBe(0)
      for (const tick of ticks.slice(1)) expect(tick).toBeLessThanOrEqual(highest * (1 + 1e-8))
    }),
  )
})
