import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LayeredMap } from './layered-map.ts'

describe('layered map', () => {
  it('is what a plain map is after every step, in the same order, and earlier versions stay', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer()), { maxLength: 400 }), (steps) => {
        const plain = new Map<number, number>()
        let layered = LayeredMap.empty<number, number>()
        for (const [key, value] of steps) {
          const before = [...layered]
          const next = layered.with(key, value)
          expect([...layered]).toEqual(before)
          plain.set(key, value)
          layered = next
          expect(layered.get(key)).toBe(value)
        }
        expect([...layered]).toEqual([...plain])
        expect([...layered.keys()]).toEqual([...plain.keys()])
        expect(layered.size).toBe(plain.size)
        expect([layered.has(7), layered.get(99)]).toEqual([plain.has(7), undefined])
      }),
      { numRuns: 60 },
    )
  })
})
