import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isoDay, lastDays, parseIsoDay } from './days.ts'

it('names days by their beginning, with today as the last, also where an hour is missing', () => {
  const days = lastDays(new Date(2026, 10, 22, 15).getTime(), 30)
  expect(days).toHaveLength(30)
  expect(new Date(days.at(-1) ?? 0)).toEqual(new Date(2026, 10, 22))
  expect(new Date(days[0] ?? 0)).toEqual(new Date(2026, 9, 24))
})

it('reads back every day that it writes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60_000 }), (count) => {
      const day = new Date(1970, 0, 1 + count).getTime()
      expect(parseIsoDay(isoDay(day))).toBe(day)
    }),
  )
})

it.each(['', '2026-2-1', '2026-02-30', '2026-13-01', '22.11.2026', '2026-11-22T00:00', 'yesterday'])(
  'refuses %j as a day',
  (text) => {
    expect(parseIsoDay(text)).toBeNull()
  },
)
