import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { isQuicklyChecked, schemaLimit } from './schema-limits.ts'

const list = { type: 'object', properties: { next: { $ref: '#' }, value: { type: 'string', pattern: '^a' } } }

describe('a JSON Schema', () => {
  it.each<readonly [string, JsonObject]>([
    ['a plain one', { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } }],
    ['one that contains itself in a value', list],
    ['one with definitions', { $defs: { a: { type: 'string' } }, properties: { x: { $ref: '#/$defs/a' } } }],
    ['one that refers to nothing', { $ref: '#/$defs/none' }],
    ['one with a text that looks like a reference', { enum: ['#'], const: { $ref: 1 } }],
  ])('is used: %s', (_, schema) => {
    expect(schemaLimit(schema)).toBeUndefined()
    expect(isQuicklyChecked(schema)).toBe(true)
  })

  const doubled = Array.from({ length: 20 }, (_, index) => [
    `a${index}`,
    { allOf: [{ $ref: `#/$defs/a${index + 1}` }, { $ref: `#/$defs/a${index + 1}` }] },
  ])
  const chained = Array.from({ length: 200 }, (_, index) => [`a${index}`, { $ref: `#/$defs/a${index + 1}` }])
  const deep = Array.from({ length: 5_000 }).reduce<JsonObject>((inner) => ({ items: inner }), {})

  it.each<readonly [string, JsonObject, RegExp]>([
    ['refers to itself', { $ref: '#' }, /refers to itself/],
    ['refers to itself through others', { anyOf: [{ not: { $ref: '#/anyOf/0' } }] }, /refers to itself/],
    ['refers along a long chain', { $defs: Object.fromEntries(chained), $ref: '#/$defs/a0' }, /too many references/],
    ['doubles itself at each level', { $defs: Object.fromEntries(doubled), $ref: '#/$defs/a0' }, /judge one value/],
    ['is too deep', deep, /deeper than 64/],
    ['is too long', { description: 'x'.repeat(300_000) }, /longer than/],
  ])('that %s is not used', (_, schema, reason) => {
    expect(schemaLimit(schema)).toMatch(reason)
    expect(isQuicklyChecked(schema)).toBe(false)
  })

  it('whose alternatives contain it is not checked where nothing ends a long check', () => {
    const tree = { anyOf: [{ properties: { next: { $ref: '#' } } }, { properties: { next: { $ref: '#' } } }] }
    expect([schemaLimit(tree), isQuicklyChecked(tree)]).toEqual([undefined, false])
  })
})
