import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shownName } from './control-characters.ts'
import { findOddCharacters } from './odd-characters.ts'

const marked = (text: string) =>
  findOddCharacters(text).map(({ start, end, reason }) => [text.slice(start, end), reason])

describe('odd characters', () => {
  it.each([
    ['rm -rf b\u0443ild', [['\u0443', 'looks like Latin y (Cyrillic)']]],
    [
      '\u0441\u043e\u0440\u0443 x',
      'сору'.split('').map((one, at) => [one, `looks like Latin ${'copy'[at]} (Cyrillic)`]),
    ],
    ['git c\u03bfmmit', [['\u03bf', 'looks like Latin o (Greek)']]],
    ['a\u202eb', [['\u202e', 'direction override']]],
    [
      'a\u2066b\u200fc',
      [
        ['\u2066', 'direction override'],
        ['\u200f', 'direction override'],
      ],
    ],
    ['a\u200bb', [['\u200b', 'invisible']]],
    ['a\u{e0041}b', [['\u{e0041}', 'invisible']]],
    [
      'a\u0007b\r',
      [
        ['\u0007', 'control character'],
        ['\r', 'control character'],
      ],
    ],
    [
      '\uff52\uff4d x',
      [
        ['\uff52', 'looks like r'],
        ['\uff4d', 'looks like m'],
      ],
    ],
    [
      '\u{1d44e}\u037e',
      [
        ['\u{1d44e}', 'looks like a'],
        ['\u037e', 'looks like ;'],
      ],
    ],
    ['src\u2215x', [['\u2215', 'looks like /']]],
    ['пр\u0438вет/ls \u0430bc', [['\u0430', 'looks like Latin a (Cyrillic)']]],
  ])('are found in %j', (text, expected) => {
    expect(marked(text)).toEqual(expected)
  })

  // Mutation: a list of characters in place of Unicode's properties lets most of these pass an allow rule.
  it.each([...'\u2800\u3164\ufe0f\ufe00\u{1d159}\u{16fe4}\u{13441}\u1680\u2061\u{e0100}\u{fff0}\ue000'])(
    'are found where nothing is drawn, as for %j',
    (character) => {
      expect(marked(`rm ${character} x`)).toEqual([[character, 'invisible']])
      expect(shownName(`rm ${character} x`)).toMatch(/^"/)
    },
  )

  it.each([
    'npm test\n\t',
    'Grüße an Zoë — ½ m² „gut“',
    'git commit -m "привет, а он и я"',
    'Καλημέρα κόσμε',
    'こんにちは مرحبا שלום 你好 안녕하세요',
    'naïve café Straße ﬁn Łódź',
    'git commit -m "I ❤️ it ☎︎"',
  ])('are not found in %j', (text) => {
    expect(marked(text)).toEqual([])
  })

  it('are ranges of the text in order, and never overlap', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        let end = 0
        for (const range of findOddCharacters(text)) {
          expect(range.start).toBeGreaterThanOrEqual(end)
          expect(range.end).toBeGreaterThan(range.start)
          end = range.end
        }
        expect(end).toBeLessThanOrEqual(text.length)
      }),
      { numRuns: 500 },
    )
  })
})
