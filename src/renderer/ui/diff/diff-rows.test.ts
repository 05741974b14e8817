import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DiffRow, type DiffRowsOptions, diffRows, longestLine } from './diff-rows.ts'
import { diffTexts } from './line-diff.ts'

const before = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`)
const after = before.with(19, 'new 20').with(39, 'new 40').toSpliced(40, 0, 'new 41')
const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')
const options = (change: Partial<DiffRowsOptions> = {}): DiffRowsOptions => ({
  hunks: diffTexts(text(before), text(after)),
  layout: 'unified',
  after: null,
  opened: new Set(),
  gaps: 'all',
  ...change,
})
const all = (given: DiffRowsOptions): readonly DiffRow[] => {
  const { count, at } = diffRows(given)
  return Array.from({ length: count }, (_, index) => at(index))
}
const kinds = (change?: Partial<DiffRowsOptions>) =>
  all(options(change)).flatMap((row) => (row.kind === 'gap' ? [[row.gap, row.lines]] : []))

describe('rows of a diff', () => {
  it('say how many lines are between hunks, and after the last one only once the file is known', () => {
    expect(kinds()).toEqual([
      [0, 16],
      [1, 13],
      [2, null],
    ])
    expect(kinds({ after })).toEqual([
      [0, 16],
      [1, 13],
      [2, 17],
    ])
    expect(kinds({ gaps: 'between' })).toEqual([
      [0, 16],
      [1, 13],
    ])
    expect(kinds({ gaps: 'none' })).toEqual([])
  })

  it('do not end with a gap if the last hunk reaches the end', () => {
    const hunks = diffTexts(text(before), text(before.with(59, 'last')))
    expect(kinds({ hunks })).toEqual([[0, 56]])
  })

  it('hold both files with their line numbers when all gaps are open', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
    fc.assert(
      fc.property(lines, lines, (old, fresh) => {
        const hunks = diffTexts(text(old), text(fresh))
        fc.pre(hunks.length > 0 && old.length > 0 && fresh.length > 0)
        const opened = new Set(Array.from({ length: hunks.length + 1 }, (_, gap) => gap))
        const rows = all({ hunks, layout: 'unified', after: fresh, opened, gaps: 'all' })
        const shown = rows.flatMap((row) => (row.kind === 'line' ? [row.line] : []))
        const left = shown.filter((line) => line.old !== null)
        const right = shown.filter((line) => line.new !== null)
        expect(left.map((line) => [line.old, line.text])).toEqual(old.map((line, place) => [place + 1, line]))
        expect(right.map((line) => [line.new, line.text])).toEqual(fresh.map((line, place) => [place + 1, line]))
      }),
    )
  })

  it('have one row for each pair side by side', () => {
    const given = options({ layout: 'split', gaps: 'none' })
    expect(all(given).filter(({ kind }) => kind === 'pair')).toHaveLength(7 + 8)
    expect(diffRows(given).hunks).toEqual([0, 8])
  })

  it('know the longest line, with tabs counted', () => {
    const hunks = diffTexts('\tabc\n', 'long line\n')
    expect(longestLine(hunks, null)).toBe(9)
    expect(longestLine(Array(200_000).fill(hunks).flat(), null), 'of more hunks than a call takes arguments').toBe(9)
    expect(longestLine(hunks, ['\t\tlonger line'])).toBe(19)
  })
})
