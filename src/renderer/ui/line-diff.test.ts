import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffTexts, numberLines, splitRows } from './line-diff.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''))

describe('line diff', () => {
  it('leads from the one text to the other', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = before.split('\n').slice(0, -1)
        let shift = 0
        for (const hunk of diffTexts(before, after)) {
          const added = hunk.lines.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)
          const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
          lines.splice(start + shift, hunk.oldLines, ...added)
          shift += hunk.newLines - hunk.oldLines
        }
        expect(lines.map((line) => `${line}\n`).join('')).toBe(after)
      }),
    )
  })

  it('says nothing of equal texts', () => {
    expect(diffTexts('a\n', 'a\n')).toEqual([])
  })

  it('gives up on texts that take too long, and shows them as replaced', () => {
    const many = (word: string): string => Array.from({ length: 9000 }, (_, index) => `${word} ${index}\n`).join('')
    const [hunk] = diffTexts(many('old'), many('new'))
    expect(hunk).toMatchObject({ oldLines: 9000, newLines: 9000 })
  })

  it('numbers lines on the sides where they stand', () => {
    const [hunk] = diffTexts('a\nb\nc\n', 'a\nx\nc\n')
    const numbered = hunk ? numberLines(hunk) : []
    expect(numbered.map(({ old, new: after, text }) => [old, after, text])).toEqual([
      [1, 1, 'a'],
      [2, null, 'b'],
      [null, 2, 'x'],
      [3, 3, 'c'],
    ])
  })

  it('puts what replaced a line beside it', () => {
    const [hunk] = diffTexts('a\nb\nc\n', 'a\nx\ny\nc\n')
    const rows = hunk ? splitRows(numberLines(hunk)) : []
    expect(rows.map(([left, right]) => [left?.text ?? null, right?.text ?? null])).toEqual([
      ['a', 'a'],
      ['b', 'x'],
      [null, 'y'],
      ['c', 'c'],
    ])
  })
})
