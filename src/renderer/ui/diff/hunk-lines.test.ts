import { describe, expect, it } from 'vitest'
import { type NumberedLine, type Rows, splitRows, unifiedRows } from './hunk-lines.ts'
import { diffTexts } from './line-diff.ts'

const all = <Row>({ count, at }: Rows<Row>): readonly Row[] => Array.from({ length: count }, (_, index) => at(index))
const hunkOf = (before: string, after: string) => {
  const [hunk] = diffTexts(before, after)
  if (!hunk) throw new Error('no hunk')
  return hunk
}
const text = (line: NumberedLine | null) => line?.text ?? null

describe('the lines of a hunk', () => {
  it('are numbered on each side that has them', () => {
    const lines = all(unifiedRows(hunkOf('a\nb\nc\n', 'a\nx\nc\n')))
    expect(lines.map((line) => [line.old, line.new, line.text])).toEqual([
      [1, 1, 'a'],
      [2, null, 'b'],
      [null, 2, 'x'],
      [3, 3, 'c'],
    ])
  })

  it.each([
    ['a replacement is beside the line it replaces', 'a\nb\nc\n', 'a\nx\ny\nc\n', ['a|a', 'b|x', '|y', 'c|c']],
    ['a removal after an addition starts a new row', 'a\nb\n', 'x\na\n', ['|x', 'a|a', 'b|']],
    ['more removed than added', 'a\nb\nc\n', 'x\n', ['a|x', 'b|', 'c|']],
  ])('side by side: %s', (_, before, after, rows) => {
    const pairs = all(splitRows(hunkOf(before, after)))
    expect(pairs.map(([left, right]) => `${text(left) ?? ''}|${text(right) ?? ''}`)).toEqual(rows)
  })

  it('show a note without a number, on the side of the line above it', () => {
    const lines = ['-a', '+b', '\\ No newline at end of file']
    const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }
    expect(all(unifiedRows(hunk)).at(-1)).toEqual({
      kind: 'note',
      text: 'No newline at end of file',
      old: null,
      new: null,
    })
    const kinds = all(splitRows(hunk)).map(([left, right]) => [left?.kind, right?.kind])
    expect(kinds).toEqual([
      ['removed', 'added'],
      [undefined, 'note'],
    ])
  })
})
