import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LayeredMap } from './layered-map.ts'

describe('layered map', () => {
  it('behaves like a plain map after every step, keeps its order, and leaves earlier versions unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer()), { maxLength: 400 }), (steps) => {
        const plain = new Map<number, number>()
        let layered = LayeredMap.empty<number, number>()
        const versions = [layered]
        for (const [key, value] of steps) {
          const before = [...layered]
          const next = layered.with(key, value)
          expect([...layered]).toEqual(before)
          plain.set(key, value)
          expect([...next.touchedSince(layered)]).toContain(key)
          layered = next
          versions.push(layered)
          expect(layered.get(key)).toBe(value)
        }
        const early = versions[steps.length >> 1] ?? layered
        const touched = layered.touchedSince(early)
        for (const [at, value] of layered) if (early.get(at) !== value) expect(touched).toContain(at)
        expect(early.touchedSince(layered)).toEqual(touched)
        expect([...layered]).toEqual([...plain])
        expect([...layered.keys()]).toEqual([...plain.keys()])
        expect(layered.size).toBe(plain.size)
        expect([layered.has(7), layered.get(99)]).toEqual([plain.has(7), undefined])
      }),
      { numRuns: 60 },
    )
  })

  it('takes over other pairs like a plain map, and stays itself when there are none', () => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer()), { maxLength: 40 })
    fc.assert(
      fc.property(pairs, pairs, (first, second) => {
        const known = LayeredMap.empty<number, number>().withAll(first)
        const others = LayeredMap.empty<number, number>().withAll(second)
        const plain = new Map([...first, ...second])
        for (const given of [second, others]) expect(new Map(known.withAll(given))).toEqual(plain)
        expect([...known.withAll(second).keys()]).toEqual([...plain.keys()])
        expect(known.withAll([])).toBe(known)
        expect(known.withAll(LayeredMap.empty())).toBe(known)
        expect(LayeredMap.empty<number, number>().withAll(known)).toBe(known)
      }),
    )
  })
})
