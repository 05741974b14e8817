import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { offerSchema, withOwnKeys } from './tool-schema.ts'

const text = { type: 'string' }
const number = { type: 'number' }
const both = { type: 'object', properties: { a: text, b: number } }

describe('the schema of a tool', () => {
  it.each<readonly [string, JsonObject]>([
    ['one that every maker takes', { $schema: 'x', properties: { a: text }, type: 'object', required: ['a'] }],
    ['choices below the root', { type: 'object', properties: { a: { anyOf: [text, { type: 'null' }] } } }],
    ['null as a value', { type: 'object', properties: { a: { default: null, enum: ['x', null], examples: [null] } } }],
    ['a tool without arguments', { type: 'object' }],
  ])('stays as it is: %s', (_, schema) => {
    expect(JSON.stringify(offerSchema(schema).schema)).toBe(JSON.stringify(schema))
  })

  it.each<readonly [string, JsonObject, JsonObject]>([
    ['no type', { properties: { a: text } }, { type: 'object', properties: { a: text } }],
    ['an object or null', { type: ['object', 'null'] }, { type: 'object' }],
    ['properties that are none', { type: 'object', properties: [] }, { type: 'object' }],
    [
      'null fields',
      { type: 'object', description: null, properties: { a: null, b: { title: null, items: null } } },
      { type: 'object', properties: { a: {}, b: {} } },
    ],
    [
      'null within a type and within a key of somebody’s own',
      { type: 'object', properties: { a: { type: ['string', null], 'x-values': ['y', null, { z: null }] } } },
      { type: 'object', properties: { a: { type: ['string'], 'x-values': ['y', {}] } } },
    ],
    [
      'a number that is too large',
      { type: 'object', properties: { a: { type: 'number', maximum: Number.POSITIVE_INFINITY } } },
      { type: 'object', properties: { a: { type: 'number' } } },
    ],
    ['required that is no list', { type: 'object', required: true }, { type: 'object' }],
    [
      'anyOf',
      {
        anyOf: [
          { properties: { a: text }, required: ['a'] },
          { properties: { b: number }, required: ['b'] },
        ],
      },
      both,
    ],
    [
      'oneOf beside own properties',
      { type: 'object', properties: { a: text }, required: ['a'], oneOf: [{ properties: { b: number } }, {}] },
      { ...both, required: ['a'] },
    ],
    [
      'what all of anyOf require',
      {
        anyOf: [
          { ...both, required: ['a', 'b'] },
          { ...both, required: ['b'] },
        ],
      },
      { ...both, required: ['b'] },
    ],
    [
      'allOf',
      {
        allOf: [
          { properties: { a: text }, required: ['a'] },
          { properties: { b: number }, required: ['b'] },
        ],
      },
      { ...both, required: ['a', 'b'] },
    ],
    [
      'the same key with other values',
      { anyOf: [{ properties: { a: text } }, { properties: { a: number } }] },
      { type: 'object', properties: { a: { anyOf: [text, number] } } },
    ],
    ['a reference', { $ref: '#/$defs/in', $defs: { in: both } }, { $defs: { in: both }, ...both }],
    [
      'a reference to a choice',
      { $ref: '#/$defs/in', $defs: { in: { oneOf: [both] } } },
      { $defs: { in: { oneOf: [both] } }, ...both },
    ],
    ['a reference to nothing', { $ref: '#/$defs/gone' }, { type: 'object', properties: {} }],
    [
      'a condition',
      {
        if: { properties: { a: { const: 1 } } },
        ...JSON.parse(`{"then":${JSON.stringify(both)}}`),
        else: false,
        not: {},
      },
      both,
    ],
    [
      'a list of allowed values',
      { type: 'object', enum: [{ a: 1 }], properties: { a: number } },
      { type: 'object', properties: { a: number } },
    ],
  ])('becomes one object: %s', (_, schema, offered) => {
    expect(offerSchema(schema).schema).toEqual(offered)
  })

  it('has keys within the makers’ pattern, none of them twice, and gives the arguments their own again', () => {
    const inner = { type: 'object', properties: { '@type': text, ['ä'.repeat(80)]: text } }
    const { schema, renamed } = offerSchema({
      type: 'object',
      properties: { $filter: text, _filter: text, 'a b': inner, 'a?b': text },
      required: ['$filter', 'a b'],
    })
    expect(schema).toMatchObject({
      properties: { _filter_2: text, _filter: text, a_b: { properties: { _type: text } }, a_b_2: text },
      required: ['_filter_2', 'a_b'],
    })
    const given = { _filter_2: 'x', _filter: 'y', a_b: { _type: 'z' }, list: [{ a_b_2: 1 }], free: 2 }
    expect(withOwnKeys(given, renamed)).toEqual({
      ...{ $filter: 'x', _filter: 'y', 'a b': { '@type': 'z' }, list: [{ 'a?b': 1 }], free: 2 },
    })
  })
})
