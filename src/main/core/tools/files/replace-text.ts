import { failure, type Result, success } from '#shared/base/result.ts'

/**
 * Bytes as text with one character per byte. Replacing in it leaves everything outside the match unchanged, whatever
 * the encoding.
 */
export type ByteText = string & { readonly byteText: unique symbol }

export interface Replacement {
  /** Must match exactly. Empty text is refused. */
  readonly old_string: string
  /** Empty text deletes the match. */
  readonly new_string: string
  /** False refuses a text that matches more than once. */
  readonly replace_all: boolean
}

export interface Replaced {
  /** The whole file after the change. */
  readonly text: ByteText
  /** 1-based lines of the matches, before the change. */
  readonly lines: readonly number[]
}

const shownLines = 20

export function replaceText(
  text: ByteText,
  { old_string, new_string, replace_all }: Replacement,
): Result<Replaced, string> {
  if (old_string === '') return failure('old_string is empty. Use write_file to create a file or replace all of it.')
  if (old_string === new_string)
    return failure('old_string and new_string are the same, so there is nothing to change.')
  const [wanted, replacement] = withLineEnds(text, toByteText(old_string), toByteText(new_string))
  const positions = positionsOf(text, wanted)
  if (positions.length === 0)
    return failure(
      `old_string was not found. It must match exactly, with spaces and line breaks.${closestLines(fromByteText(text), old_string)}`,
    )
  const lines = linesAt(text, positions)
  if (positions.length > 1 && !replace_all) {
    const shown = lines.slice(0, shownLines).join(', ') + (lines.length > shownLines ? ', …' : '')
    return failure(
      `old_string was found ${positions.length} times (lines ${shown}). Add lines around it until it is unique, or set replace_all.`,
    )
  }
  return success({ text: text.split(wanted).join(replacement) as ByteText, lines })
}

/**
 * Converts the wanted text and its replacement to CRLF if only that makes them match. A model sees CRLF files with
 * plain line breaks.
 */
function withLineEnds(text: ByteText, wanted: ByteText, replacement: ByteText): readonly [ByteText, ByteText] {
  if (text.includes(wanted) || !wanted.includes('\n') || wanted.includes('\r')) return [wanted, replacement]
  const crlf = (part: string) => part.replace(/\r?\n/g, '\r\n') as ByteText
  return text.includes(crlf(wanted)) ? [crlf(wanted), crlf(replacement)] : [wanted, replacement]
}

function positionsOf(text: string, wanted: string): readonly number[] {
  const positions: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) positions.push(at)
  return positions
}

function linesAt(text: string, positions: readonly number[]): readonly number[] {
  let line = 1
  let from = 0
  return positions.map((position) => {
    for (let at = text.indexOf('\n', from); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line += 1
    from = position
    return line
  })
}

const chunk = 32_768

export function bytesToText(bytes: Uint8Array): ByteText {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += chunk) parts.push(String.fromCharCode(...bytes.subarray(at, at + chunk)))
  return parts.join('') as ByteText
}

export function textToBytes(text: ByteText): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

function toByteText(text: string): ByteText {
  return bytesToText(new TextEncoder().encode(text))
}

function fromByteText(text: ByteText): string {
  return new TextDecoder().decode(textToBytes(text))
}

const maxComparedLines = 20_000
const maxComparedCharacters = 400
const leastSimilarity = 0.5
const shownClosestLines = 3

/** A sentence with the lines of a file that most resemble the first wanted line; empty when none does. */
export function closestLines(text: string, wanted: string): string {
  const first = wanted
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '')
  if (first === undefined) return ''
  const pairs = pairsOf(first)
  const scored = text
    .split('\n', maxComparedLines)
    .map((line, index) => ({ line, number: index + 1, score: similarity(pairs, line.trim(), first) }))
    .filter(({ score }) => score >= leastSimilarity)
    .sort((a, b) => b.score - a.score || a.number - b.number)
    .slice(0, shownClosestLines)
    .sort((a, b) => a.number - b.number)
  if (scored.length === 0) return ' No line of the file resembles it; read the file again.'
  const shown = scored.map(
    ({ line, number }) => `${number}\t${line.replace(/\r$/, '').slice(0, maxComparedCharacters)}`,
  )
  return ` The closest lines are:\n${shown.join('\n')}`
}

/** Dice's coefficient over pairs of neighbouring characters: 1 for equal lines, 0 for nothing in common. */
function similarity(pairs: ReadonlyMap<string, number>, line: string, first: string): number {
  if (line === first) return 1
  const [shorter, longer] = [line.length, first.length].sort((a, b) => a - b) as [number, number]
  if (shorter < 2 || shorter * 4 < longer) return 0
  let common = 0
  for (const [pair, count] of pairsOf(line)) common += Math.min(count, pairs.get(pair) ?? 0)
  return (
    (2 * common) / (Math.min(line.length, maxComparedCharacters) + Math.min(first.length, maxComparedCharacters) - 2)
  )
}

function pairsOf(line: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>()
  for (let at = 0; at + 1 < Math.min(line.length, maxComparedCharacters); at += 1) {
    const pair = line.slice(at, at + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}
