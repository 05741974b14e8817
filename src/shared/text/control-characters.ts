/**
 * What is not drawn, as a class of a regular expression with the flag `v`: by Unicode's properties, and the few that are
 * drawn as nothing although no property says so. The signs that choose how a picture is drawn are none after a picture, nor
 * in a key such as 1️⃣. A mark on top of eight others is drawn, but over the lines around it.
 */
export const undrawn = String.raw`(?:[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}\u{1d159}\u{13441}-\u{13446}\u{16fe4}]--[\u{fe0e}\u{fe0f}]]|(?<!\p{Extended_Pictographic})(?!\u{fe0f}\u{20e3})[\u{fe0e}\u{fe0f}]|\p{M}(?<=\p{M}{9}))`

/** What a terminal obeys, and what hides or reorders text or data in it. Line breaks and tabs are not among them. */
const controls = new RegExp(String.raw`(?![\n\t])${undrawn}`, 'gv')

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

/**
 * In a name, all that is not drawn, or is drawn as a space and is none, what lists of names have around them, and a mark at its
 * beginning, which would be drawn over what stands before it.
 */
const unseen = new RegExp(String.raw`${undrawn}|[\p{Zs}--[ ]]|"|[,;] |^(?: |\p{M}|$)| $`, 'v')

/**
 * A name as one line of a listing or a prompt shows it. A name that could look like another one, like several, or like a
 * line of its own, is quoted as JSON with its invisible characters escaped.
 */
export function shownName(name: string): string {
  return unseen.test(name) ? printableJson(name) : name
}

const everyUndrawn = new RegExp(undrawn, 'gv')

/** A text as one line, with invisible characters escaped. Line breaks become spaces. */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(everyUndrawn, (character) => `\\u{${codeOf(character)}}`)
}

/** A word as a shell reads it whole. */
export function shellWord(word: string): string {
  return /^[\w./:@-][\w./:@~-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
