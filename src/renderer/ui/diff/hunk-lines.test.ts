import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NumberedLine, partnersOf, type Rows, splitRows, unifiedRows } from './hunk-lines.ts'
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

it('finds the other version of a line as the side-by-side view shows it', () => {
  const some = fc.nat({ max: 4 })
  const partWith = (notes: fc.Arbitrary<boolean>) =>
    fc
      .tuple(some, some, some, notes)
      .map(([same, gone, fresh, noted]) => [
        ...Array<string>(same).fill(' same'),
        ...Array<string>(gone).fill('-gone'),
        ...(noted && gone > 0 ? ['\\ No newline'] : []),
        ...Array<string>(fresh).fill('+new'),
      ])
  // A note stands only below the last line of a side.
  const parts = fc
    .tuple(fc.array(partWith(fc.constant(false)), { maxLength: 5 }), partWith(fc.boolean()))
    .map(([first, last]) => [...first.flat(), ...last])
  fc.assert(
    fc.property(parts, (texts) => {
      const lines = texts.map((text, index) => (text.startsWith('\\') ? text : `${text} ${index}`))
      const hunk = { oldStart: 7, oldLines: 1, newStart: 3, newLines: 1, lines }
      const partner = partnersOf([hunk])
      const rows = splitRows(hunk)
      for (let index = 0; index < rows.count; index++) {
        const [left, right] = rows.at(index)
        const isChange = left?.kind === 'removed' && right?.kind === 'added'
        if (left?.kind === 'removed') expect(partner(left)).toBe(isChange ? right?.text : null)
        if (right?.kind === 'added') expect(partner(right)).toBe(isChange ? left?.text : null)
      }
    }),
  )
})
