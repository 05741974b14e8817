import { describe, expect, it } from 'vitest'
import { answerJson, isNumeric, tableOf } from './answer-shape.ts'

describe('the JSON of an answer', () => {
  it('is the whole text, or the last block that is JSON', () => {
    expect(answerJson(' {"a": 1} ')).toEqual({ a: 1 })
    expect(answerJson('So:\n```json\n{"a": 1}\n```\nor\n```\n[2]\n```\n')).toEqual([2])
    expect(answerJson('So:\n```json\n{"a": 1}\n```\nrun\n```sh\nls\n```\n')).toEqual({ a: 1 })
  })

  it('is not a single word or number, or a text that only holds JSON', () => {
    for (const text of ['42', '"word"', 'In words {"a": 1}', '{"a": 1', '']) expect(answerJson(text)).toBeUndefined()
  })
})

describe('a table', () => {
  it('is a list of flat records with the fields of all of them', () => {
    expect(tableOf([{ id: 1 }, { id: 2, note: null }])).toMatchObject({ columns: ['id', 'note'], field: null })
    expect(tableOf({ files: [{ path: '/a' }] })).toMatchObject({ columns: ['path'], field: 'files' })
  })

  it('is not made of nested, mixed or empty values', () => {
    for (const value of [[{ a: [1] }], [{ a: { b: 1 } }], [{ a: 1 }, 2], [], [{}], { a: 1 }, { a: [{ b: 1 }], c: 2 }])
      expect(tableOf(value)).toBeNull()
  })

  it('aligns columns of numbers', () => {
    const table = tableOf([{ n: 1, mixed: 1 }, { n: null, mixed: 'x' }, { n: 2.5 }])
    expect(table && [isNumeric(table, 'n'), isNumeric(table, 'mixed')]).toEqual([true, false])
  })
})
