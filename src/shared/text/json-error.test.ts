import fc from 'fast-check'
import { expect, it } from 'vitest'
import { locateJsonError } from './json-error.ts'

const at = (text: string): string | null => {
  const found = locateJsonError(text)
  return found && `${found.line}:${found.column} ${found.message}`
}

it('agrees with the parser on every JSON value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      expect(locateJsonError(JSON.stringify(value, null, indent))).toBeNull()
    }),
  )
})

it('finds an error in every text that the parser refuses', () => {
  const broken = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', 'x', '\\'))
  fc.assert(
    fc.property(broken, ([json, place, sign]) => {
      const offset = place % (json.length + 1)
      const text = json.slice(0, offset) + sign + json.slice(offset + 1)
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      expect(locateJsonError(text) === null).toBe(isJson)
    }),
  )
})

it('names the place and what was expected there', () => {
  expect(at('{\n  "a": 1\n  "b": 2\n}')).toBe('3:3 Expected "," or "}"')
  expect(at('{ a: 1 }')).toBe('1:3 Expected a name in double quotes')
  expect(at('[1, 2,]')).toBe('1:7 Expected a value')
  expect(at('{"a" 1}')).toBe('1:6 Expected ":"')
  expect(at('hello')).toBe('1:1 Expected a value')
  expect(at('{"a": 1} more')).toBe('1:10 Unexpected text after the end')
  expect(at('{"a": [1')).toBe('1:9 The text ends too early')
  expect(at('')).toBe('1:1 The text ends too early')
})

it('reads nesting of any depth', () => {
  const deep = 200_000
  expect(locateJsonError('['.repeat(deep) + ']'.repeat(deep))).toBeNull()
})
