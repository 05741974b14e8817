import fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeControls, oneLine, printableJson, shownName, undrawn } from './control-characters.ts'

const obeyed = new RegExp(String.raw`(?![\n\t])${undrawn}`, 'v')
/** Also blanks that are letters or marks by Unicode, and the signs in which a text can carry another one. */
const unseen = [
  '\u2800',
  '\u3164',
  '\uffa0',
  '\u115f',
  '\u034f',
  '\u180e',
  '\u{e0041}',
  '\u{e0101}',
  '\u17b4',
  '\ue000',
]
const text = fc.array(
  fc.oneof(
    fc.constantFrom('\u001b[2J', '\u009b2J', '\u007f', '\u202e', '\u2028', '\u0085', '\r', 'ä', '👩‍🚀', ...unseen),
    fc.string(),
  ),
)

// Mutation: escape controls and signs of format alone, as terminals did.
it('leaves nothing that a terminal obeys or hides', () => {
  fc.assert(
    fc.property(text, (parts) => {
      expect(escapeControls(parts.join(''))).not.toMatch(obeyed)
      expect(printableJson(parts)).not.toMatch(obeyed)
      expect(printableJson(parts, 2)).not.toMatch(obeyed)
    }),
  )
})

it('writes JSON that reads back the same', () => {
  fc.assert(
    fc.property(text, (parts) => {
      expect(JSON.parse(printableJson(parts))).toEqual(parts)
    }),
  )
})

it('keeps line breaks, tabs and letters', () => {
  expect(escapeControls('a\n\tä 漢 \u001b[0m')).toBe('a\n\tä 漢 \\u{001b}[0m')
  expect(escapeControls('1️⃣ ❤️ ☺︎')).toBe('1️⃣ ❤️ ☺︎')
  expect(escapeControls(`z${'\u0301'.repeat(10)}`)).toBe(`z${'\u0301'.repeat(8)}\\u{0301}\\u{0301}`)
  expect(escapeControls('a\u3164b\ufe0f')).toBe('a\\u{3164}b\\u{fe0f}')
})

// Mutation: show names with commas or quotes as they are.
it('shows no name that reads as several, in a list or a line of its own', () => {
  const name = fc.array(fc.constantFrom('a', ', ', '; ', '"', ' ', '\n', '\u202e', ',', '/'), { minLength: 1 })
  const property = fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
    const list = names.map((parts) => shownName(parts.join(''))).join(', ')
    const read = [...list.matchAll(/(?:^|, )("(?:[^"\\]|\\.)*"|[^"]*?)(?=, |$)/gu)].map(([, one = '']) => one)
    expect(read.map((one) => (one.startsWith('"') ? JSON.parse(one) : one))).toEqual(
      names.map((parts) => parts.join('')),
    )
  })
  fc.assert(property, { seed: 20_261_129 })
})

// Mutation: with `escapeControls` in its place, blanks that are letters by Unicode stay in names of agents and in titles.
it('makes one line in which everything is drawn', () => {
  const unseen = ['\u2800', '\u3164', '\uffa0', '\u115f', '\u034f', '\u180e', '\ufe0f', '\u{e0041}', '\u202e', '\u0000']
  const word = fc.constantFrom(...unseen, '\n', '\r\n', '\u2028', '\u0085', '\t', 'a', '漢', '❤\ufe0f')
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const line = oneLine(words.join(''))
      expect(line).not.toMatch(new RegExp(undrawn, 'v'))
      expect(line).not.toMatch(/[\n\r\t]/)
    }),
  )
  expect(oneLine(' a\u3164b\n❤\ufe0f 漢 ')).toBe('a\\u{3164}b ❤\ufe0f 漢')
})

// Mutation: without the ends of a name, each of these changes what stands around it, or looks like nothing or another name.
it.each(['', ' ', ' a', 'a ', '\u0338a', '\u20dda', '\u0489'])(
  'quotes a name that changes what is around it: %j',
  (name) => {
    expect(shownName(name)).toBe(JSON.stringify(name))
    expect(shownName('a b.txt')).toBe('a b.txt')
    expect(shownName('e\u0301t\u00e9')).toBe('e\u0301t\u00e9')
  },
)
