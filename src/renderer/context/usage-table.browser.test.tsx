import { expect, it } from 'vitest'
import { noUsage } from '#shared/model/models/usage.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { spendingOf } from './usage-table.tsx'

const thread = (agent: string, ...spent: readonly (readonly [string, number])[]) =>
  ({
    agent,
    usageByModel: new Map(spent.map(([model, cost]) => [model, { ...noUsage, modelCalls: 1, cost }])),
  }) as unknown as ThreadState

it('sums the spending of agents that share a name, for each model', () => {
  const family = [
    thread('main', ['big', 1], ['small', 0.5]),
    thread('helper', ['small', 2]),
    thread('helper', ['small', 3]),
  ]
  expect(spendingOf(family).map(({ agent, model, usage }) => [agent, model, usage.modelCalls, usage.cost])).toEqual([
    ['main', 'big', 1, 1],
    ['main', 'small', 1, 0.5],
    ['helper', 'small', 2, 5],
  ])
})
