import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addUsage, assumedCost, noUsage, type Usage } from './usage.ts'

const usage: fc.Arbitrary<Usage> = fc.record({
  modelCalls: fc.nat(3),
  inputTokens: fc.nat(1000),
  outputTokens: fc.nat(1000),
  cacheReadTokens: fc.nat(1000),
  cacheWriteTokens: fc.nat(1000),
  cost: fc.option(fc.nat(100), { nil: null }),
})
const price = { input: 3, output: 15 }

describe('the sum of usages', () => {
  it('costs what its parts cost, known prices as they are and unknown ones as assumed', () => {
    const property = fc.property(fc.array(usage, { maxLength: 6 }), (parts) => {
      const sum = parts.reduce(addUsage, noUsage)
      const costs = parts.map((part) => part.cost ?? assumedCost(part, price))
      expect(assumedCost(sum, price)).toBeCloseTo(costs.reduce((total, cost) => total + cost, 0))
      expect(sum.cost === null).toBe(parts.some(({ cost }) => cost === null))
    })
    fc.assert(property)
  })

  it('holds plain values alone, so that two equal sums are told equal field by field', () => {
    const sum = addUsage({ ...noUsage, cost: null, inputTokens: 5 }, { ...noUsage, cost: 2 })
    expect(Object.values(sum).every((value) => value === null || typeof value === 'number')).toBe(true)
  })
})
