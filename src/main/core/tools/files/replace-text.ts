import { type FormedText, fitLineEnds, isAscii, plainLineEnds, shownText, textIn, whyOnlyAscii } from '#overlay'
import { failure, type Result, success } from '#shared/base/result.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

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
  readonly text: FormedText
  /** 1-based lines of the matches, before the change. */
  readonly lines: readonly number[]
}

const shownLines = 20

/** Replaces text of a file. What is outside the matches stays; what comes in gets the line ends around it. */
export function replaceText(
  file: FormedText,
  { old_string, new_string, replace_all }: Replacement,
): Result<Replaced, string> {
  if (old_string === '') return failure('old_string is empty. Use write_file to create a file or replace all of it.')
  if (old_string === new_string)
    return failure('old_string and new_string are the same, so there is nothing to change.')
  if (file.encoding === 'bytes' && isAscii(old_string) && !isAscii(new_string))
    return failure(`new_string does not fit into the file: ${whyOnlyAscii}.`)
  const { text } = file
  const [wanted, replacement] = [textIn(file.encoding, old_string), textIn(file.encoding, new_string)]
  const matches = matchesOf(text, wanted)
  if (matches.length === 0)
    return failure(
      `old_string was not found. It must match exactly, with spaces and line breaks.${closestLines(shownText(file), old_string)}`,
    )
  const lines = linesAt(text, matches)
  if (matches.length > 1 && !replace_all) {
    const shown = lines.slice(0, shownLines).join(', ') + (lines.length > shownLines ? ', …' : '')
    return failure(
      `old_string was found ${matches.length} times (lines ${shown}). Add lines around it until it is unique, or set replace_all.`,
    )
  }
  return success({ text: { ...file, text: replaceAt(text, matches, wanted, replacement) }, lines })
}

interface Match {
  readonly start: number
  /** Excluded. */
  readonly end: number
}

/**
 * Where the text is. A line feed of it stands for any line end of the file, because that is how readers show them. A
 * carriage return stands for itself.
 */
function matchesOf(text: string, wanted: string): readonly Match[] {
  if (!text.includes('\r') || wanted.includes('\r'))
    return positionsOf(text, wanted).map((start) => matchAt(start, wanted))
  const plain = plainLineEnds(text)
  if (plain.length === text.length) return positionsOf(plain, wanted).map((start) => matchAt(start, wanted))
  let pairs = 0
  let pair = text.indexOf('\r\n')
  /** The place in the text of a rising place in the plain text. */
  const placeOf = (place: number): number => {
    for (; pair >= 0 && pair - pairs < place; pair = text.indexOf('\r\n', pair + 2)) pairs += 1
    return place + pairs
  }
  return positionsOf(plain, wanted).map((start) => ({ start: placeOf(start), end: placeOf(start + wanted.length) }))
}

function matchAt(start: number, wanted: string): Match {
  return { start, end: start + wanted.length }
}

/** Texts that differ only in line ends are meant as they are. */
function replaceAt(text: string, matches: readonly Match[], wanted: string, replacement: string): string {
  const isAboutLineEnds = wanted.replaceAll('\r', '') === replacement.replaceAll('\r', '')
  const fitted = fitLineEnds(text)
  const parts: string[] = []
  let at = 0
  for (const { start, end } of matches) {
    parts.push(text.slice(at, start), isAboutLineEnds ? replacement : fitted(start, end, replacement))
    at = end
  }
  return [...parts, text.slice(at)].join('')
}

function positionsOf(text: string, wanted: string): readonly number[] {
  const positions: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) positions.push(at)
  return positions
}

function linesAt(text: string, matches: readonly Match[]): readonly number[] {
  let line = 1
  let from = 0
  return matches.map(({ start }) => {
    for (let at = text.indexOf('\n', from); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) line += 1
    from = start
    return line
  })
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
    ({ line, number }) => `${number}\t${beginningOf(line.replace(/\r$/, ''), maxComparedCharacters)}`,
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
