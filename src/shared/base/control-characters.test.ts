import fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeControls, printableJson } from './control-characters.ts'

const obeyed = /[^\P{Cc}\n\t]|\p{Cf}/u
const text = fc.array(
  fc.oneof(fc.constantFrom('\u001b[2J', '\u009b2J', '\u007f', '\u202e', '\u{e0041}', '\r', 'ä', '👩‍🚀'), fc.string()),
)

it('leaves nothing that a terminal obeys', () => {
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
})
