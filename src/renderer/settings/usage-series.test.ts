import { expect, it } from 'vitest'
import { noUsage } from '#shared/model/usage.ts'
import { lastDays, usageSeries } from './usage-series.ts'

const used = (model: string, cost: number | null, outputTokens: number) => ({
  model,
  usage: { ...noUsage, cost, outputTokens },
})

it('names days by their beginning, with today as the last, also where an hour is missing', () => {
  const days = lastDays(new Date(2026, 10, 22, 15).getTime(), 30)
  expect(days).toHaveLength(30)
  expect(new Date(days.at(-1) ?? 0)).toEqual(new Date(2026, 10, 22))
  expect(new Date(days[0] ?? 0)).toEqual(new Date(2026, 9, 24))
})

it('orders models by what they used and joins the rest', () => {
  const days = [
    { start: 0, models: [used('a', 1, 5), used('b', 3, 1), used('c', null, 9)] },
    { start: 1, models: [used('a', 1, 5)] },
  ]
  const of = (measure: 'cost' | 'tokens', named: number) =>
    usageSeries(days, measure, named).map(({ model, values }) => [model, ...values])
  expect(of('cost', 5)).toEqual([
    ['b', 3, 0],
    ['a', 2 - 1, 1],
    ['c', 0, 0],
  ])
  expect(of('tokens', 2)).toEqual([
    ['a', 5, 5],
    [null, 10, 0],
  ])
})
