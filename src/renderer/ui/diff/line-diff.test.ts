import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffTexts } from './line-diff.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''))

describe('line diff', () => {
  it('turns one text into the other', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = before.split('\n').slice(0, -1)
        let shift = 0
        for (const hunk of diffTexts(before, after)) {
          const added = hunk.lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1))
          const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
          lines.splice(start + shift, hunk.oldLines, ...added)
          shift += hunk.newLines - hunk.oldLines
        }
        expect(lines.map((line) => `${line}\n`).join('')).toBe(after)
      }),
    )
  })

  it('is empty for equal texts', () => {
    expect(diffTexts('a\n', 'a\n')).toEqual([])
  })

  it('is one replacement if the texts take too long to compare', () => {
    const many = (word: string): string => Array.from({ length: 9000 }, (_, index) => `${word} ${index}\n`).join('')
    const [hunk] = diffTexts(many('old'), many('new'))
    expect(hunk).toMatchObject({ oldLines: 9000, newLines: 9000 })
  })
})
