import type { VirtualPath } from '../model/virtual-path.ts'

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}
const unescapes = new Map(Object.entries(escapes).map(([character, written]) => [written[1], character]))

/** A name as git writes it in a patch. It has C-style quotes when it contains characters that would break the line. */
export function quoteName(name: string, always = false): string {
  const bytes = toBinaryText(new TextEncoder().encode(name))
  const needsQuotes = [...bytes].some(
    (character) => character < ' ' || character === '\x7f' || character === '"' || character === '\\',
  )
  if (!needsQuotes && !always) return bytes
  const inner = [...bytes].map(
    (character) => escapes[character] ?? (character < ' ' || character === '\x7f' ? octal(character) : character),
  )
  return `"${inner.join('')}"`
}

/** A name after `---` or `+++`. A name with a space ends with a tab, because readers would take the rest for a time. */
export function nameLine(name: string): string {
  const quoted = quoteName(name)
  return quoted.startsWith('"') || !quoted.includes(' ') ? quoted : `${quoted}\t`
}

/** The name at the start of a text, and the rest of the text. Undefined when a quote is not closed. */
export function readName(text: string): { readonly name: string; readonly rest: string } | undefined {
  if (!text.startsWith('"')) return { name: decode(text.replace(/\t$/, '')), rest: '' }
  const match = /^"((?:[^"\\]|\\.)*)"/.exec(text)
  if (!match) return undefined
  return { name: decode(unquote(match[1] ?? '')), rest: text.slice(match[0].length) }
}

function unquote(inner: string): string {
  return inner.replace(/\\([0-3][0-7]{2}|.)/g, (_, written: string) =>
    written.length === 3 ? String.fromCharCode(Number.parseInt(written, 8)) : (unescapes.get(written) ?? written),
  )
}

function decode(bytes: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(fromBinaryText(bytes))
}

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
}

export type PatchMode = '100644' | '100755' | '120000'

/** A file or link on one side of a patch; a link's bytes are its target. */
export interface PatchSide {
  /** Git's mode: a file, an executable file or a link. */
  readonly mode: PatchMode
  /** The content, or the target of a link. Of a large file, a short text that stands for the content. */
  readonly bytes: Uint8Array
  /** Git's object id of a large file, which a patch only names. Absent for all others. */
  readonly largeId?: string
  /** What else is known of such a file: the SHA-256 and the bytes of its content. */
  readonly large?: { readonly sha256: string; readonly size: number }
}

/** One path of a git patch. Paths are relative to the root of the project, without a leading slash. */
export interface PatchFile {
  /** Relative to the root; the new path of a rename. */
  readonly path: string
  /** Null for a new file. */
  readonly before: PatchSide | null
  /** Null for a deleted file. */
  readonly after: PatchSide | null
  /** The old path, when the patch moves the file. */
  readonly renamedFrom?: string
}

/** A changed path that a git patch cannot carry. */
export interface LeftOut {
  /** The path of the change that is missing. */
  readonly path: VirtualPath
  /** A sentence for a person. */
  readonly why: string
}

/** Begins each line of a note above the first file of a patch. Git skips such lines. */
export const noteMark = '# '
export const regularMode = '100644'
export const linkMode = '120000'

/**
 * Turns every byte into one character, because patches carry lines in any encoding and names that are not valid text.
 */
export function toBinaryText(bytes: Uint8Array): string {
  const text = asciiDecoder.decode(bytes)
  if (text.length === bytes.length && !text.includes(replacement)) return text
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 32_768) parts.push(String.fromCharCode(...bytes.subarray(at, at + 32_768)))
  return parts.join('')
}

export function fromBinaryText(text: string): Uint8Array {
  const encoded = new TextEncoder().encode(text)
  if (encoded.length === text.length) return encoded
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** For text with as many characters as bytes, which is ASCII. The decoder reads it far faster than own code could. */
const asciiDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
const replacement = '\ufffd'

/** Splits text into lines with their ends. The last one may have none. */
export function splitLines(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let end = text.indexOf('\n') + 1; end > 0; end = text.indexOf('\n', end) + 1) {
    lines.push(text.slice(start, end))
    start = end
  }
  if (start < text.length) lines.push(text.slice(start))
  return lines
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false
  return true
}
