import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beginningOf, tailOf, withWholeCharacters } from './whole-characters.ts'

const text = fc.array(fc.constantFrom('a', 'é', '😀', '👩‍👩‍👧', '𝒳')).map((pieces) => pieces.join(''))

describe('a cut of a text', () => {
  /** Mutation: with `slice` in their place, half an emoji is left at a cut. */
  it('leaves whole characters, as many as fit', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: -2, max: 30 }), (whole, most) => {
        const [start, end] = [beginningOf(whole, most), tailOf(whole, most)]
        expect([start.isWellFormed(), end.isWellFormed()]).toEqual([true, true])
        expect([whole.startsWith(start), whole.endsWith(end)]).toEqual([true, true])
        for (const { length } of [start, end]) {
          expect(length).toBeLessThanOrEqual(Math.max(0, most))
          expect(length).toBeGreaterThanOrEqual(Math.min(whole.length, Math.max(0, most) - 1, most))
        }
      }),
    )
  })
})

describe('whole characters', () => {
  it('come in place of half ones in every text and key, and nothing else changes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const mended = withWholeCharacters(value)
        expect(JSON.stringify(mended)).not.toMatch(/(?<!\\)(\\\\)*\\ud[89a-f]/)
        if (!/(?<!\\)(\\\\)*\\ud[89a-f]/.test(JSON.stringify(value))) expect(mended).toBe(value)
      }),
    )
  })

  it('keep keys apart that differed in their halves alone', () => {
    expect(withWholeCharacters({ '\ud83d': 1, '\ud83e': 2, ok: ['\ude00'] })).toEqual({
      '\ufffd': 1,
      '\ufffd\ufffd': 2,
      ok: ['\ufffd'],
    })
  })
})
