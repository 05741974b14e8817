import { findHiddenCharacters } from '#shared/text/odd-characters.ts'

/**
 * A command or path can hold characters that change its look but not its meaning: control codes, direction overrides,
 * zero-width and tag characters. They are shown as escapes, so that a person approves what they read.
 */
interface TextPiece {
  readonly text: string
  /** True if the text is an escape for an invisible character. */
  readonly escaped: boolean
}

/** The text with every invisible character as an escape, for places that take only a string. */
export function visibleText(text: string): string {
  return splitVisible(text)
    .map((piece) => piece.text)
    .join('')
}

/** Splits a text into visible pieces and escapes for invisible characters. */
export function splitVisible(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = []
  let end = 0
  for (const { index, character } of findHiddenCharacters(text)) {
    if (index > end) pieces.push({ text: text.slice(end, index), escaped: false })
    pieces.push({ text: escapeOf(character), escaped: true })
    end = index + character.length
  }
  if (end < text.length || end === 0) pieces.push({ text: text.slice(end), escaped: false })
  return pieces
}

function escapeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`
}
