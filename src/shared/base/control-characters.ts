/** Characters that a terminal obeys, or that hide or reorder text. Line breaks and tabs are not among them. */
const controls = /[^\P{Cc}\n\t]|\p{Cf}|[\u2028\u2029]/gu

/** The text with such characters replaced by their codes, as in `\u{001b}`. */
export function escapeControls(text: string): string {
  return text.replace(controls, (character) => `\\u{${codeOf(character)}}`)
}

/**
 * JSON in which such characters are escaped, so that it reads back the same and a terminal obeys nothing in it. Without
 * `indent` it is one line.
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(controls, (character) =>
    [...Array(character.length).keys()].map((at) => `\\u${hex(character.charCodeAt(at))}`).join(''),
  )
}

function codeOf(character: string): string {
  return hex(character.codePointAt(0) ?? 0)
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0')
}

/** Line breaks, and characters that hide text or reverse its direction. They would be invisible in a name. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * A name as one line of a listing or a prompt shows it. A name that could look like another one, or like a line of its
 * own, is quoted as JSON with its invisible characters escaped.
 */
export function shownName(name: string): string {
  return unseen.test(name) ? printableJson(name) : name
}

/** A text as one line, with invisible characters escaped. Line breaks become spaces. */
export function oneLine(text: string): string {
  return escapeControls(text.replace(/\s+/g, ' ').trim())
}

/** A word as a shell reads it whole. */
export function shellWord(word: string): string {
  return /^[\w./:@~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
