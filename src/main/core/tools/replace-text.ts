import { failure, type Result, success } from '#shared/base/result.ts'
import { closestLines } from './closest-lines.ts'

/**
 * Exact replacement on bytes: they are looked at one character to a byte, so that all outside the match stays as it is,
 * whatever the encoding.
 */
export type ByteText = string & { readonly byteText: unique symbol }

export interface Replacement {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all: boolean
}

export interface Replaced {
  readonly text: ByteText
  /** 1-based lines of the matches, as they were before. */
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

/** A model sees CRLF files with plain line breaks: where only that keeps a match from being exact, both sides get CRLF. */
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
    from = Math.max(from, text.lastIndexOf('\n', position - 1) + 1)
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
