import fc from 'fast-check'
import { expect, it } from 'vitest'
import { noUsage } from '#shared/model/models/usage.ts'
import { binDays, daysOf, sum, usageSeries } from './usage-series.ts'

const used = (day: number, name: string, cost: number | null, outputTokens: number) => ({
  day,
  name,
  usage: { ...noUsage, cost, outputTokens },
})

it('orders parts by what they used and joins the rest', () => {
  const rows = [used(0, 'a', 1, 5), used(0, 'b', 3, 1), used(0, 'c', null, 9), used(1, 'a', 1, 5)]
  const bins = [{ days: [0] }, { days: [1] }]
  const of = (measure: 'cost' | 'tokens', named: number) =>
    usageSeries(rows, bins, measure, named).map(({ name, values }) => [name, ...values])
  expect(of('cost', 5)).toEqual([
    ['b', 3, 0],
    ['a', 1, 1],
    ['c', 0, 0],
  ])
  expect(of('tokens', 2)).toEqual([
    ['a', 5, 5],
    [null, 10, 0],
  ])
})

const now = new Date(2026, 10, 22, 15).getTime()

it('draws single days where they fit, and weeks or months that end today where they do not', () => {
  const sizes = (range: 'all' | '30', ago: number) => {
    const days = daysOf(range, now)
    const { size, bins } = binDays(days, [used(days.at(-1 - ago) ?? 0, 'a', 1, 1)])
    expect(bins.at(-1)?.days.at(-1)).toBe(days.at(-1))
    return [size, bins.length]
  }
  expect(sizes('30', 2)).toEqual(['day', 30])
  expect(sizes('all', 0)).toEqual(['day', 1])
  expect(sizes('all', 91)).toEqual(['day', 92])
  expect(sizes('all', 92)).toEqual(['week', 14])
  expect(sizes('all', 700)).toEqual(['month', 26])
  expect(sizes('all', 1_500)).toEqual(['month', 54])
  expect(binDays(daysOf('all', now), []).bins).toHaveLength(1)
})

it('draws everything that the rows hold, whatever the range', () => {
  const range = fc.constantFrom('7', '30', '90', 'all', 'thread')
  fc.assert(
    fc.property(range, fc.array(fc.tuple(fc.nat(1_500), fc.nat(3), fc.nat(100))), (chosen, given) => {
      const days = daysOf(chosen, now)
      const rows = given.map(([place, part, tokens]) => used(days[place % days.length] ?? 0, `p${part}`, null, tokens))
      const { bins } = binDays(days, rows)
      const drawn = usageSeries(rows, bins, 'tokens', 3).map(({ values }) => sum(values))
      expect(sum(drawn)).toBe(sum(given.map(([, , tokens]) => tokens)))
      expect(bins.length).toBeLessThanOrEqual(92)
    }),
  )
})
