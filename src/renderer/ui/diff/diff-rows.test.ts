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
  it('says how many lines lie between hunks; what follows the last is known with the file', () => {
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

  it('offers no end where the last hunk reaches it', () => {
    const hunks = diffTexts(text(before), text(before.with(59, 'last')))
    expect(kinds({ hunks })).toEqual([[0, 56]])
  })

  it('opened in full, reads as both files, with every line numbered where it stands', () => {
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

  it('side by side has a row for each pair', () => {
    const given = options({ layout: 'split', gaps: 'none' })
    expect(all(given).filter(({ kind }) => kind === 'pair')).toHaveLength(7 + 8)
    expect(diffRows(given).hunks).toEqual([0, 8])
  })

  it('knows its longest line, tabs counted', () => {
    const hunks = diffTexts('\tabc\n', 'long line\n')
    expect(longestLine(hunks, null)).toBe(9)
    expect(longestLine(hunks, ['\t\tlonger line'])).toBe(19)
  })
})
