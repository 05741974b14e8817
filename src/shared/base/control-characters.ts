/** Characters that a terminal obeys, or that hide or reorder text. Line breaks and tabs are not among them. */
const controls = /[^\P{Cc}\n\t]|\p{Cf}|[\u2028\u2029]/gu

/** The text with such characters replaced by their codes, as in `\u{001b}`. */
export function escapeControls(text: string): string {
  return text.replace(controls, (character) => `\\u{${codeOf(character)}}`)
}

/** JSON in which such characters are escaped, so that it reads back the same and a terminal obeys nothing in it. */
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
