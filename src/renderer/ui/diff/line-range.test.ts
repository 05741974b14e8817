import { describe, expect, test } from 'vitest'
import type { DiffHunk } from '#shared/contract/views/files.ts'
import { type DiffLayout, diffRows } from './diff-rows.ts'
import { unifiedRows } from './hunk-lines.ts'
import { changedRange, extendRange, quoteOf, rangeOf, rowOfEnd } from './line-range.ts'

const hunk: DiffHunk = {
  oldStart: 4,
  oldLines: 4,
  newStart: 4,
  newLines: 5,
  lines: [' four', '-five', '-six', '+FIVE', '+SIX', '+SIX AND A HALF', ' seven'],
}
const rowsIn = (layout: DiffLayout) => diffRows({ hunks: [hunk], layout, after: null, opened: new Set(), gaps: 'none' })
const lines = Array.from({ length: hunk.lines.length }, (_, index) => unifiedRows(hunk).at(index))

describe('a range of lines', () => {
  test('names a line by its new number, a removed one by its old number', () => {
    expect(lines.map(rangeOf).map((range) => range && `${range.side} ${range.from}`)).toEqual([
      'new 4',
      'old 5',
      'old 6',
      'new 5',
      'new 6',
      'new 7',
      'new 8',
    ])
    expect(rangeOf({ kind: 'note', text: 'No newline at end of file', old: null, new: null })).toBeNull()
  })

  test('grows in both directions on its side, and starts again on the other', () => {
    const six = { side: 'new', from: 6, to: 6 } as const
    expect(extendRange(six, { side: 'new', from: 4, to: 4 })).toEqual({ side: 'new', from: 4, to: 6 })
    expect(extendRange(six, { side: 'new', from: 8, to: 8 })).toEqual({ side: 'new', from: 6, to: 8 })
    expect(extendRange(six, { side: 'old', from: 5, to: 5 })).toEqual({ side: 'old', from: 5, to: 5 })
  })

  test('covers the lines a hunk added, or those it removed if it added none', () => {
    expect(changedRange(lines)).toEqual({ side: 'new', from: 5, to: 7 })
    expect(changedRange(lines.filter(({ kind }) => kind !== 'added'))).toEqual({ side: 'old', from: 5, to: 6 })
    expect(changedRange(lines.filter(({ kind }) => kind === 'context'))).toBeNull()
  })

  test.each(['unified', 'split'] as const)('can be quoted and found in a %s diff', (layout) => {
    const rows = rowsIn(layout)
    expect(quoteOf(rows, { side: 'new', from: 4, to: 6 })).toEqual(['four', 'FIVE', 'SIX'])
    expect(quoteOf(rows, { side: 'old', from: 5, to: 6 })).toEqual(['five', 'six'])
    expect(quoteOf(rows, { side: 'new', from: 90, to: 91 })).toEqual([])
    const last = rowOfEnd(rows, { side: 'new', from: 8, to: 8 })
    expect(last).toBe(rows.count - 1)
    expect(rowOfEnd(rows, { side: 'new', from: 90, to: 90 })).toBe(-1)
  })
})
