import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type JsonNode, readJson } from './read-json.ts'

function plain(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.entries.map(({ name, value }) => [name, plain(value)]))
    case 'array':
      return node.entries.map(({ value }) => plain(value))
    default:
      return JSON.parse(node.text)
  }
}

const entriesOf = (text: string) => {
  const node = readJson(text)
  return node && 'entries' in node
    ? node.entries.map(({ name, value, doubled }) => [name, 'text' in value ? value.text : value.kind, doubled])
    : null
}

it('keeps numbers and texts as they are written', () => {
  expect(entriesOf('{"id": 12345678901234567890, "rate": 0.10, "big": 1E400, "text": "\\u0041"}')).toEqual([
    ['id', '12345678901234567890', false],
    ['rate', '0.10', false],
    ['big', '1E400', false],
    ['text', '"\\u0041"', false],
  ])
})

it('keeps the order of keys, and marks a key that occurs more than once', () => {
  expect(entriesOf('{"b": 1, "2": 2, "b": 3, "__proto__": 4, "\\u0062": []}')).toEqual([
    ['b', '1', true],
    ['2', '2', false],
    ['b', '3', true],
    ['__proto__', '4', false],
    ['b', 'array', true],
  ])
})

it('reads the same values as the language does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1), (value, indent) => {
      const node = readJson(` ${JSON.stringify(value, null, indent)}\n`)
      expect(node && plain(node)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

it('reads deep nesting, and nothing from a text that is not JSON', () => {
  expect(readJson(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)?.kind).toBe('array')
  for (const text of ['', '{', '[1,]', '{"a" 1}', '01', "'a'", 'NaN', '[1] 2']) expect(readJson(text)).toBeNull()
})
