import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canBeSaved, chooseAll, choosePart, countDecided, startResult, typeInto } from './conflict-result.ts'
import { conflictParts, joinParts, type Side } from './conflict-text.ts'

const parts = conflictParts('a\nb\nc\nd\ne', 'a\nours\nc\nd\nO', 'a\ntheirs\nc\nd\nT')
const start = startResult(parts)
const sides: readonly Side[] = ['ours', 'theirs', 'both', 'both_reversed']

describe('the result of a conflict', () => {
  it('has nothing decided at first, and cannot be saved', () => {
    expect([start.text, countDecided(start), canBeSaved(start)]).toEqual(['a\nb\nc\nd\ne', 0, false])
  })

  it('can be saved once every part is decided', () => {
    const one = choosePart(parts, start, 0, 'theirs')
    const both = choosePart(parts, one, 1, 'both_reversed')
    expect([one.text, canBeSaved(one)]).toEqual(['a\ntheirs\nc\nd\ne', false])
    expect([both.text, countDecided(both), canBeSaved(both)]).toEqual(['a\ntheirs\nc\nd\nT\nO', 2, true])
  })

  it('keeps what was typed outside of a part that is chosen', () => {
    const typed = typeInto(start, 'a\nb\nc // mine\nd\ne')
    const chosen = choosePart(parts, choosePart(parts, typed, 0, 'ours'), 1, 'both')
    expect(chosen.text).toBe('a\nours\nc // mine\nd\nO\nT')
    expect(chosen.parts.map(({ typed }) => typed)).toEqual([false, false])
  })

  it('knows which part was typed into, and can be saved then', () => {
    const typed = typeInto(choosePart(parts, start, 0, 'ours'), 'a\nours // EDIT\nc\nd\ne')
    expect(typed.parts.map(({ typed }) => typed)).toEqual([true, false])
    expect(canBeSaved(typed)).toBe(true)
    expect(typed.text.slice(typed.parts[0]?.from, typed.parts[0]?.to)).toBe('ours // EDIT\n')
  })

  it('equals the joined parts in whatever order they are chosen', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 9 }).map((lines) => lines.join('\n'))
    const choices = fc.array(fc.constantFrom(...sides), { minLength: 9, maxLength: 9 })
    fc.assert(
      fc.property(texts, texts, texts, choices, (base, ours, theirs, chosen) => {
        const split = conflictParts(base, ours, theirs)
        let result = startResult(split)
        for (const place of result.parts.keys()) result = choosePart(split, result, place, chosen[place] ?? 'ours')
        expect(result.text).toBe(joinParts(split, chosen))
        expect(chooseAll(split, 'theirs').text).toBe(
          joinParts(
            split,
            result.parts.map(() => 'theirs' as const),
          ),
        )
      }),
    )
  })

  it('keeps the lines of all other parts when text above them changes', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 6 }), fc.constantFrom(...sides), (inserted, side) => {
        const typed = typeInto(start, `${inserted}${start.text}`)
        const last = typed.parts.at(-1)
        expect(typed.text.slice(last?.from, last?.to)).toBe('e')
        expect(choosePart(parts, typed, 0, side).text.endsWith('\nc\nd\ne')).toBe(true)
      }),
    )
  })
})
