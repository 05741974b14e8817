import { describe, expect, it } from 'vitest'
import type { LayerId } from '#shared/model/ids.ts'
import { planDrops } from './layer-budget.ts'

const id = (name: string) => name as LayerId
const usage = [
  { id: id('old'), bytes: 40, usedAt: 1 },
  { id: id('middle'), bytes: 30, usedAt: 2 },
  { id: id('new'), bytes: 50, usedAt: 3 },
]

describe('the budget of environments', () => {
  it.each([
    [120, [], [], []],
    [119, [], [], ['old']],
    [60, [], [], ['old', 'middle']],
    [60, ['old'], [], ['middle', 'new']],
    [0, ['old', 'middle', 'new'], [], []],
    [100, [], ['old'], ['middle']],
    [30, [], ['old', 'middle'], ['new', 'old']],
  ])('of %i bytes, with %j in use and %j wanted longest, drops %j', (budget, needed, last, dropped) => {
    expect([...planDrops(usage, budget, new Set(needed.map(id)), new Set(last.map(id)))]).toEqual(dropped)
  })
})
