import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, it } from 'vitest'
import { csvOf } from './csv.ts'

it.each([
  ['plain', 'plain'],
  ['a, b', '"a, b"'],
  ['say "yes"', '"say ""yes"""'],
  ['two\nlines', '"two\nlines"'],
  ['=SUM(A1)', "'=SUM(A1)"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@name', "'@name"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['=1,"2"', '"\'=1,""2"""'],
  ['größe 漢字 🌳', 'größe 漢字 🌳'],
  [-1.5, '-1.5'],
  [0, '0'],
  [null, ''],
])('writes %j as %s', (cell, text) => {
  expect(csvOf([[cell]])).toBe(`${text}\r\n`)
})

it('is read back by another reader cell by cell, whatever the cells hold', () => {
  const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\r\n', ',', '', "'", ' a '))
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }), (rows) => {
      const { data } = Papa.parse<string[]>(csvOf(rows), { newline: '\r\n', delimiter: ',' })
      const plain = rows.map((cells) => cells.map((one) => (/^[=+\-@\t\r]/.test(one) ? `'${one}` : one)))
      expect(data.slice(0, -1)).toEqual(plain)
    }),
  )
})
