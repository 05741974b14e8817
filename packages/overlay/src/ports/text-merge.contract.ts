import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TextDiff, TextMerge } from './text-merge.ts'

export interface TextMergeUnderTest extends AsyncDisposable {
  readonly textMerge: TextMerge
}

/** Few different lines, so that texts repeat themselves. Line ends are mixed, and the last one is often missing. */
const line = fc.constantFrom('a', 'b', 'c', 'dd', '', ' ', '}', '\r')
const ending = fc.constantFrom('\n', '\n', '\n', '\r\n')
export const anyText: fc.Arbitrary<string> = fc
  .tuple(fc.array(fc.tuple(line, ending), { maxLength: 12 }), fc.constantFrom('', '', 'end'))
  .map(([lines, end]) => lines.flat().join('') + end)

export function describeTextMerge(name: string, create: () => TextMergeUnderTest): void {
  describe(`TextMerge: ${name}`, () => {
    it('merges changes of different lines and keeps line ends', async () => {
      await using under = create()
      const base = 'one\r\ntwo\nthree\nfour\nfive\nsix'
      const merged = await under.textMerge.merge(base, base.replace('one', 'ONE'), base.replace('six', 'SIX'))
      expect(merged).toEqual({ text: 'ONE\r\ntwo\nthree\nfour\nfive\nSIX' })
    })

    it('takes an equal change once, and refuses different changes of the same or neighbouring lines', async () => {
      await using under = create()
      const base = 'a\nb\nc\n'
      expect(await under.textMerge.merge(base, 'a\nB\nc\n', 'a\nB\nc\n')).toEqual({ text: 'a\nB\nc\n' })
      expect(await under.textMerge.merge(base, 'a\nB\nc\n', 'a\nX\nc\n')).toBeNull()
      expect(await under.textMerge.merge(base, 'a\nB\nc\n', 'a\nb\nX\n')).toBeNull()
      expect(await under.textMerge.merge('', 'x\n', 'y\n')).toBeNull()
    })

    it('notices an added or removed final newline', async () => {
      await using under = create()
      const base = '1\n2\n3\n4\n5\n'
      expect(await under.textMerge.merge(base, '1\n2\n3\n4\n5', 'one\n2\n3\n4\n5\n')).toEqual({
        text: 'one\n2\n3\n4\n5',
      })
    })

    it('returns the other side when one side did nothing', async () => {
      await using under = create()
      const property = fc.asyncProperty(anyText, anyText, async (base, changed) => {
        expect(await under.textMerge.merge(base, changed, base)).toEqual({ text: changed })
        expect(await under.textMerge.merge(base, base, changed)).toEqual({ text: changed })
      })
      await fc.assert(property, { numRuns: 100 })
    })

    it('returns hunks that turn one text into the other exactly', async () => {
      await using under = create()
      const property = fc.asyncProperty(anyText, anyText, fc.nat(3), async (before, after, context) => {
        const diff = await under.textMerge.hunks(before, after, context)
        expect(applyHunks(before, diff)).toBe(after)
        expect(diff.approximate).toBe(false)
        if (before === after) expect(diff).toMatchObject({ hunks: [], added: 0, removed: 0 })
      })
      await fc.assert(property, { numRuns: 300 })
    })
  })
}

/** Applies hunks as a reader of unified diffs would. */
export function applyHunks(before: string, { hunks }: TextDiff): string {
  const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? []
  let at = 0
  let result = ''
  for (const hunk of hunks) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
    result += lines.slice(at, start).join('')
    at = start + hunk.oldLines
    result += newSide(hunk.lines)
  }
  return result + lines.slice(at).join('')
}

function newSide(lines: readonly string[]): string {
  let text = ''
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('-') || line.startsWith('\\')) continue
    text += line.slice(1) + (lines[index + 1]?.startsWith('\\') ? '' : '\n')
  }
  return text
}
