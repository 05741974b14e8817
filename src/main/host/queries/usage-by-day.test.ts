import { expect, it } from 'vitest'
import type { Entry } from '#shared/model/entry.ts'
import { noUsage } from '#shared/model/usage.ts'
import { usageByDay } from './usage-by-day.ts'

const used = (at: number, model: string, cost: number | null) =>
  ({ type: 'usage', at, model, usage: { ...noUsage, modelCalls: 1, inputTokens: 10, cost } }) as Entry

it('sums requests by day and model, and leaves out what came before', () => {
  const log = {
    entries: () => [used(50, 'a', 9), used(100, 'a', 1), used(199, 'b', 2), used(150, 'a', 1), used(900, 'b', null)],
  }
  const days = usageByDay(log, [100, 200, 300])
  expect(
    days.map(({ start, models }) => [start, models.map(({ model, usage }) => [model, usage.modelCalls, usage.cost])]),
  ).toEqual([
    [
      100,
      [
        ['a', 2, 2],
        ['b', 1, 2],
      ],
    ],
    [200, []],
    [300, [['b', 1, null]]],
  ])
})
