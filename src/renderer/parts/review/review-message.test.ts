import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { LineComment } from './line-comment.ts'
import { readReview, writeReview } from './review-message.ts'

const comment: LineComment = {
  path: '/src/a, line 3.ts' as VirtualPath,
  range: { side: 'new', from: 5, to: 6 },
  quote: ['const a = 1', ''],
  text: 'Name it.\n\nAnd test it.',
}
const removed: LineComment = { ...comment, range: { side: 'old', from: 9, to: 9 }, quote: ['gone'], text: 'Why?' }

describe('the message of a review', () => {
  test('has path, lines, quote and text', () => {
    expect(writeReview([comment, removed])).toBe(
      [
        'Review comments on your changes:',
        '### /src/a, line 3.ts, lines 5-6\n> const a = 1\n> \nName it.\n\nAnd test it.',
        '### /src/a, line 3.ts, removed line 9\n> gone\nWhy?',
      ].join('\n\n'),
    )
  })

  test('cuts a long quote and says so', () => {
    const quote = Array.from({ length: 90 }, (_, index) => `line ${index}`)
    expect(writeReview([{ ...comment, quote }])).toContain('> line 29\n> … and 60 more\nName it.')
  })

  test('can be read back as it was written', () => {
    const line = fc.string({ maxLength: 12 }).filter((text) => !text.includes('\n'))
    const word = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/^(> |### )|\n(### )/.test(text))
    const number = fc.integer({ min: 1, max: 10_000 })
    const any = fc.record({
      path: line.map((name) => `/${name}` as VirtualPath),
      range: fc.record({ side: fc.constantFrom('old' as const, 'new' as const), from: number, to: number }),
      quote: fc.array(line, { maxLength: 30 }),
      text: word,
    })
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 5 }), (comments) => {
        expect(readReview(writeReview(comments))).toEqual(comments)
      }),
    )
  })

  test.each(['Hello', 'Review comments on your changes:', 'Review comments on your changes:\n\n### no place\n> a\nb'])(
    'is not found in any other text: %j',
    (text) => expect(readReview(text)).toBeNull(),
  )
})
