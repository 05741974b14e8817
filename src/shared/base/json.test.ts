import { describe, expect, it } from 'vitest'
import { isJson, structureIn } from './json.ts'

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

describe('isJson', () => {
  it.each([null, true, 0, -1.5, '', 'a', [], {}, [1, { a: [null, 'b'] }], nested(100_000)].map((value) => [value]))(
    'accepts what JSON can hold',
    (value) => expect(isJson(value)).toBe(true),
  )

  it.each(
    [
      undefined,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1n,
      () => 1,
      new Date(),
      new Map(),
      [undefined],
      { a: Symbol() },
    ].map((value) => [value]),
  )('refuses what JSON would drop or change', (value) => expect(isJson(value)).toBe(false))

  it('refuses what is nested deeper than allowed', () => {
    expect([isJson(nested(3), 3), isJson(nested(4), 3)]).toEqual([true, false])
  })
})

describe('structureIn', () => {
  it('reads a list or an object that is the whole text, and nothing else', () => {
    expect([' [1, 2]\n', '{"a": null}'].map(structureIn)).toEqual([[1, 2], { a: null }])
    for (const text of ['', '7', '"a"', 'null', '[1', '{"a": 1} and more', 'see [1]'])
      expect(structureIn(text), text).toBeUndefined()
  })
})
