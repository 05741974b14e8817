import { beginningOf } from '#shared/text/whole-characters.ts'
/** Most characters of one page of any file. */
export const maxShownCharacters = 80_000
/** Characters kept free for the notice below a page of lines. */
const noticeRoom = 500
const maxLineCharacters = 2_000
const lineFeed = 10
const carriageReturn = 13

export interface LinePage {
  /** Numbered lines without a final line end; long lines are cut. */
  readonly text: string
  /** 1-based and included. `last` is smaller than `first` when nothing was shown. */
  readonly first: number
  /** 1-based and included. */
  readonly last: number
  /** Lines of the whole file. */
  readonly total: number
}

/** Byte offsets of the line starts. A line end at the end of the file starts no further line. */
export function lineStarts(bytes: Uint8Array): number[] {
  const starts = bytes.length > 0 ? [0] : []
  for (let at = bytes.indexOf(lineFeed); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(lineFeed, at + 1))
    starts.push(at + 1)
  return starts
}

/** Numbered lines from `offset`, as many as `limit` and the limit on characters allow. */
export function pageLines(bytes: Uint8Array, starts: readonly number[], offset: number, limit: number): LinePage {
  const end = Math.min(starts.length, offset - 1 + limit)
  const textOf = reader(bytes, starts[offset - 1] ?? 0, starts[end] ?? bytes.length)
  const lines: string[] = []
  let room = maxShownCharacters - noticeRoom
  for (let index = offset - 1; index < end; index += 1) {
    const line = numberLine(bytes, starts, index, textOf)
    room -= line.length + 1
    if (room < 0) break
    lines.push(line)
  }
  return { text: lines.join('\n'), first: offset, last: offset - 1 + lines.length, total: starts.length }
}

const decoder = new TextDecoder()

/** The text between two byte offsets. */
type TextReader = (start: number, end: number) => string

/**
 * Reads lines of a range. If the range has as many characters as bytes, it is decoded once and lines are cut from the
 * text.
 */
function reader(bytes: Uint8Array, from: number, to: number): TextReader {
  const whole = to - from <= maxShownCharacters ? decoder.decode(bytes.subarray(from, to)) : ''
  if (whole.length === to - from) return (start, end) => whole.slice(start - from, end - from)
  return (start, end) => decoder.decode(bytes.subarray(start, end))
}

function numberLine(bytes: Uint8Array, starts: readonly number[], index: number, textOf: TextReader): string {
  const start = starts[index] ?? 0
  const end = starts[index + 1] ?? bytes.length
  const text = textOf(start, Math.min(lineEnd(bytes, start, end), start + 4 * maxLineCharacters))
  if (end - start <= 4 * maxLineCharacters && text.length <= maxLineCharacters) return `${index + 1}\t${text}`
  const shown = beginningOf(text, maxLineCharacters)
  const next = start + new TextEncoder().encode(shown).length
  return `${index + 1}\t${shown}… [${end - next} more bytes in this line; byte_offset=${next} reads on]`
}

/** Where a line ends without its line end. */
function lineEnd(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[end - 1] !== lineFeed) return end
  return end - 2 >= start && bytes[end - 2] === carriageReturn ? end - 2 : end - 1
}

export interface BytePage {
  /** Decoded as UTF-8. */
  readonly text: string
  /** Byte offset, included. */
  readonly start: number
  /** Byte offset, excluded. */
  readonly end: number
}

/** Bytes as text that ends with a whole character. */
export function pageBytes(bytes: Uint8Array, start: number, wanted: number, total: number): BytePage {
  const slice = bytes.subarray(0, wanted)
  const end = start + slice.length < total ? wholeCharacters(slice) : slice.length
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(slice.subarray(0, end)), start, end: start + end }
}

/** Leaves out a character that the cut would split. Bytes that are not UTF-8 stay unchanged. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    const cut = bytes.length - back
    return length > back && cut > 0 ? cut : bytes.length
  }
  return bytes.length
}
