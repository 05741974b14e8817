import { undrawn } from './control-characters.ts'
import { lookAlikes } from './look-alikes.ts'

/** A part of a text that may not be what it looks like. */
export interface OddRange {
  /** In UTF-16 code units, like the indexes of a string. */
  readonly start: number
  readonly end: number
  /** Such as `invisible`, `direction override`, `too many marks`, `control character` or `looks like Latin a (Cyrillic)`. */
  readonly reason: string
}

/** Most texts are plain ASCII, which has nothing odd. */
const plain = /^[\x20-\x7e\n\t]*$/

/**
 * The parts of a text that change its look but not its meaning, or its meaning but not its look. Words of another
 * script are not odd as long as they cannot be taken for Latin: `сору` is, `привет` is not.
 */
export function findOddCharacters(text: string): readonly OddRange[] {
  if (plain.test(text)) return []
  const found = [...hiddenIn(text), ...variantsIn(text), ...lookAlikesIn(text)]
  return found.sort((one, other) => one.start - other.start)
}

const direction = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const hidden = new RegExp(String.raw`${undrawn}|[\p{Zs}--[ ]]`, 'gv')

/** The places of all characters that are not drawn or that reorder others. Line breaks and tabs are none. */
export function findHiddenCharacters(text: string): readonly { readonly index: number; readonly character: string }[] {
  if (plain.test(text)) return []
  const found: { readonly index: number; readonly character: string }[] = []
  // `matchAll` would compile this large class again for every text.
  hidden.lastIndex = 0
  for (let match = hidden.exec(text); match; match = hidden.exec(text)) {
    const [character] = match
    if (character !== '\n' && character !== '\t') found.push({ index: match.index, character })
  }
  return found
}

function hiddenIn(text: string): readonly OddRange[] {
  return findHiddenCharacters(text).map(({ index, character }) => rangeOf(character, index, hiddenReason(character)))
}

function hiddenReason(character: string): string {
  if (direction.test(character)) return 'direction override'
  if (/\p{M}/u.test(character) && !new RegExp(undrawn, 'v').test(character)) return 'too many marks'
  return /\p{Cc}/u.test(character) ? 'control character' : 'invisible'
}

/** Other forms of ASCII characters, such as full-width and mathematical letters, and marks that look like one. */
function variantsIn(text: string): readonly OddRange[] {
  return [...text.matchAll(/[^\p{ASCII}\p{Z}\p{C}]/gu)].flatMap(({ 0: character, index }) => {
    const like = marks.get(character) ?? character.normalize('NFKC')
    return /^[!-~]$/.test(like) && !isSmallSign(character) ? [rangeOf(character, index, `looks like ${like}`)] : []
  })
}

/** Raised and lowered digits, the letters of ordinal numbers and small pictures are read as what they are. */
function isSmallSign(character: string): boolean {
  return /[\u00aa\u00b9\u00b2\u00b3\u00ba\u2070-\u209c\u2460-\u24ff]|\p{Extended_Pictographic}/u.test(character)
}

const marks: ReadonlyMap<string, string> = new Map(
  [
    '\u2215/',
    '\u2044/',
    '\u29f8/',
    '\u2024.',
    '\ua4f8.',
    '\u037e;',
    '\ua789:',
    '\u0589:',
    '\u01c3!',
    '\u2212-',
    '\u2010-',
    '\u2011-',
  ].map((pair) => [pair.slice(0, 1), pair.slice(1)]),
)

interface LookAlike {
  readonly letter: string
  readonly script: string
}

const letters: ReadonlyMap<string, LookAlike> = new Map(
  Object.entries(lookAlikes).flatMap(([script, pairs]) =>
    pairs.split(' ').map((pair): [string, LookAlike] => {
      const [character = '', letter = ''] = pair
      return [character, { letter, script: script.replace('_', ' ') }]
    }),
  ),
)

/**
 * Words with look-alikes beside Latin letters, and words of nothing but look-alikes. Among other words of the same
 * language, the latter are ordinary: the Russian for "and" is one letter.
 */
function lookAlikesIn(text: string): readonly OddRange[] {
  return [...text.matchAll(/[^A-Za-z]*(?:[A-Za-z][^A-Za-z\s]*)*/gu)].flatMap(({ 0: phrase, index }) => {
    const isForeign = [...phrase].some(isUnmistakable)
    return [...phrase.matchAll(/[\p{L}\p{M}]+/gu)].flatMap((word) => {
      const characters = [...word[0]]
      if (!characters.some((character) => letters.has(character))) return []
      const isMixed = /[A-Za-z]/.test(word[0])
      if (!isMixed && (isForeign || characters.some(isUnmistakable))) return []
      return rangesOf(characters, index + word.index)
    })
  })
}

function rangesOf(characters: readonly string[], start: number): readonly OddRange[] {
  const found: OddRange[] = []
  let at = start
  for (const character of characters) {
    const like = letters.get(character)
    if (like) found.push(rangeOf(character, at, `looks like Latin ${like.letter} (${like.script})`))
    at += character.length
  }
  return found
}

/** True for a letter that nobody takes for a Latin one. */
function isUnmistakable(character: string): boolean {
  return /\p{L}/u.test(character) && !/\p{Script=Latin}/u.test(character) && !letters.has(character)
}

function rangeOf(character: string, start: number, reason: string): OddRange {
  return { start, end: start + character.length, reason }
}
