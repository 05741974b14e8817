import { failure, type Result, success } from '../model/result.ts'
import { isBinary } from './binary.ts'
import { fitLineEnds, plainLineEnds } from './line-ends.ts'

/**
 * The text of a file in the form that the file has: its encoding, byte-order mark and line ends. Encoding the text again
 * gives the same bytes.
 */
export interface FormedText {
  /** `bytes`: text in no known encoding, with one character per byte. It can be changed, but takes only ASCII. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'bytes'
  /** Begins with U+FEFF if the file has a byte-order mark. */
  readonly text: string
}

const mark = '\ufeff'

/**
 * Undefined for bytes that are no text. UTF-16 counts as text only with its byte-order mark, and without NUL: with it, it is
 * UTF-32 or no text.
 */
export function readText(bytes: Uint8Array): FormedText | undefined {
  const marked = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff
  const wide = marked === true ? 'utf-16be' : marked
  if (wide) {
    const text = decode(bytes, wide)
    if (text !== undefined && !text.includes('\0')) return { encoding: wide, text }
  }
  if (isBinary(bytes)) return undefined
  const text = decode(bytes, 'utf-8')
  return text === undefined ? { encoding: 'bytes', text: bytesToText(bytes) } : { encoding: 'utf-8', text }
}

/** The text for a person or a model, who see line feeds alone and U+FFFD for what is no UTF-8. */
export function shownText(file: FormedText): string {
  return plainLineEnds(file.encoding === 'bytes' ? new TextDecoder().decode(writeText(file)) : file.text)
}

/** Text from outside, as it stands in a file of this encoding. */
export function textIn(encoding: FormedText['encoding'], text: string): string {
  return encoding === 'bytes' ? bytesToText(new TextEncoder().encode(text)) : text
}

/** The inverse of `readText`. */
export function writeText({ encoding, text }: FormedText): Uint8Array {
  switch (encoding) {
    case 'utf-8':
      return new TextEncoder().encode(text)
    case 'bytes':
      return Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    default: {
      const bytes = new DataView(new ArrayBuffer(2 * text.length))
      for (let at = 0; at < text.length; at += 1) bytes.setUint16(2 * at, text.charCodeAt(at), encoding === 'utf-16le')
      return new Uint8Array(bytes.buffer)
    }
  }
}

/**
 * A whole new text for a file, in the form of the old one: what a person or a program wrote may have lost the file's
 * byte-order mark, encoding and line ends, because readers do not show them. Writing back what was read gives the same
 * bytes. A file that is no text has no form to keep, and what a reader of it made of its bytes is refused. The error says why
 * the text does not fit.
 */
export function rewriteText(before: Uint8Array, text: string): Result<Uint8Array, string> {
  const old = readText(before)
  if (!old && text.includes(replacement)) return failure(whyNoText)
  if (!old || before.length === 0) return success(new TextEncoder().encode(text))
  if (old.encoding === 'bytes' && !isAscii(text)) return failure(whyOnlyAscii)
  const body = old.text.startsWith(mark) ? old.text.slice(1) : old.text
  const lead = old.text.startsWith(mark) ? mark : ''
  const fresh = lead !== '' && text.startsWith(mark) ? text.slice(1) : text
  return success(writeText({ ...old, text: lead + fitLineEnds(body)(0, body.length, fresh) }))
}

/** Ends a sentence about a file. */
export const whyOnlyAscii =
  'it is text in another encoding than UTF-8, which new characters outside ASCII would mix with UTF-8'

/** What stands for bytes that are no text. */
const replacement = '\ufffd'
const whyNoText = 'it is no text, and the new text has characters (U+FFFD) in place of bytes of it, which would be lost'

export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

function decode(bytes: Uint8Array, encoding: 'utf-8' | 'utf-16le' | 'utf-16be'): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const chunk = 32_768

function bytesToText(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += chunk) parts.push(String.fromCharCode(...bytes.subarray(at, at + chunk)))
  return parts.join('')
}
