import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCheckedRows } from './checked-rows.ts'

it('knows the same entries as a set, and how long their beginning without a gap is', () => {
  const range = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 40 }))
  fc.assert(
    fc.property(fc.nat({ max: 50 }), fc.array(range), (start, ranges) => {
      const checked = createCheckedRows(start)
      const known = new Set(Array.from({ length: start }, (_, index) => index + 1))
      for (const [first, more] of ranges) {
        checked.add(first, first + more)
        for (let sequence = first; sequence <= first + more; sequence += 1) known.add(sequence)
        let beginning = 0
        while (known.has(beginning + 1)) beginning += 1
        expect(checked.upTo()).toBe(beginning)
      }
      const all = Array.from({ length: 400 }, (_, index) => index + 1)
      expect(all.filter((sequence) => checked.has(sequence))).toEqual(all.filter((sequence) => known.has(sequence)))
    }),
  )
})
