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

it('joins moments and stretches that touch, in any order', () => {
  const moments = Float64Array.of(40_000, 5_000, 12_000, 5_000)
  const stretches = [
    { start: 11_000, end: 20_000 },
    { start: 0, end: 10_000 },
    { start: 20_000, end: 21_000 },
  ]
  const scale = createTimeScale(stretches, moments)
  // 20 s of work. The second between the stretches is shown, and of the 19 s before the last moment only 1.2 s.
  expect([0, 5_000, 10_000, 11_000, 12_000, 21_000, 40_000].map((time) => scale.at(time))).toEqual([
    0, 5_000, 10_000, 11_000, 12_000, 21_000, 22_200,
  ])
  expect(scale.cuts).toEqual([21_600])
})

it('treats a moment like a stretch without length', () => {
  const interval = fc.tuple(fc.nat(1e5), fc.nat(1e4)).map(([start, length]) => ({ start, end: start + length }))
  fc.assert(
    fc.property(fc.array(interval), fc.array(fc.nat(2e5)), fc.nat(2e5), (stretches, moments, time) => {
      const scale = createTimeScale(stretches, Float64Array.from(moments))
      const same = createTimeScale([...stretches, ...moments.map((at) => ({ start: at, end: at }))])
      expect([scale.length, scale.at(time), scale.cuts]).toEqual([same.length, same.at(time), same.cuts])
    }),
  )
})

it('has a length even when nothing happened yet', () => expect(createTimeScale([]).length).toBe(1))
