import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineStarts, pageLines } from './text-page.ts'

const line = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', ' ', '\t', '\r', '"'), maxLength: 8 }).map((text) => Buffer.from(text)),
  fc.string({ unit: fc.constantFrom('a', 'é', '日', '👩', '\ufeff'), maxLength: 8 }).map((text) => Buffer.from(text)),
  fc.constantFrom([0xff], [0xe6, 0x97], [0xef, 0xbb, 0xbf, 0x61]).map((bytes) => Buffer.from(bytes)),
)

describe('a page of lines', () => {
  it('shows each line the same, whatever bytes the neighbouring lines have', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 6 }),
        (lines, endsInFeed, offset, limit) => {
          const bytes = Buffer.concat(
            lines.flatMap((one, at) => [one, Buffer.from(at < lines.length - 1 || endsInFeed ? '\n' : '')]),
          )
          const starts = lineStarts(bytes)
          const alone = starts.map((start, at) => {
            const text = new TextDecoder().decode(bytes.subarray(start, starts[at + 1] ?? bytes.length))
            return `${at + 1}\t${text.replace(/\r?\n$/, '')}`
          })
          expect(pageLines(bytes, starts, offset, limit).text).toBe(
            alone.slice(offset - 1, offset - 1 + limit).join('\n'),
          )
        },
      ),
      { numRuns: 500 },
    )
  })
})
