import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTimeScale } from './time-scale.ts'

const minute = 60_000

it('shows work as long as it was, and cuts long pauses short', () => {
  const scale = createTimeScale([
    { start: 0, end: minute },
    { start: 60 * minute, end: 61 * minute },
  ])
  const pause = 2 * minute * 0.06
  expect(scale.length).toBe(2 * minute + pause)
  expect([0, minute, 60 * minute, 61 * minute].map(scale.at)).toEqual([0, minute, minute + pause, 2 * minute + pause])
  expect(scale.cuts).toEqual([minute + pause / 2])
  expect(scale.timeAt(2 * minute + pause)).toBe(61 * minute)
})

it('never puts a later moment before an earlier one', () => {
  const interval = fc.tuple(fc.nat(1e6), fc.nat(1e4)).map(([start, length]) => ({ start, end: start + length }))
  fc.assert(
    fc.property(fc.array(interval, { minLength: 1, maxLength: 12 }), fc.array(fc.nat(2e6)), (intervals, times) => {
      const scale = createTimeScale(intervals)
      const places = times.toSorted((a, b) => a - b).map(scale.at)
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      for (const place of places) expect(place).toBeLessThanOrEqual(scale.length)
    }),
  )
})

it('has a length even when nothing happened yet', () => expect(createTimeScale([]).length).toBe(1))
