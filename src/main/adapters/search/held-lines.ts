import { closeSync, readSync } from 'node:fs'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openSearchFile, type SearchFile, type SearchRoot } from './search-folder.ts'

/** A part of a file as the engine read it. */
export interface FoundText {
  /** In bytes, counted after a byte order mark if the engine removed one. */
  readonly offset: number
  readonly bytes: Buffer
}

/** What was read of a file while its lines were confirmed. */
export interface HeldText {
  /** The whole file. Null when it is not small. */
  readonly bytes: Uint8Array | null
}

const mostDecoded = 64 * 1024 * 1024
/** A file of up to this many bytes is read at once, which takes as long as reading a line of it. */
const smallBytes = 64 * 1024

/**
 * Undefined when the file at exactly this path does not contain everything that was found. The engine opens paths by
 * name, so a folder swapped for a link could lead it outside. Such results must not be shown.
 */
export function readHeld(root: SearchRoot, path: VirtualPath, found: readonly FoundText[]): HeldText | undefined {
  const file = openIfPossible(root, path)
  if (file === undefined) return undefined
  const { descriptor, size } = file
  try {
    const whole = size <= smallBytes ? readAt(descriptor, 0, size) : undefined
    const held = { bytes: whole ?? null }
    const at = (offset: number, length: number) =>
      whole ? whole.subarray(offset, offset + length) : readAt(descriptor, offset, length)
    if (found.every(({ offset, bytes }) => at(offset, bytes.length).equals(bytes))) return held
    const text = size <= mostDecoded ? decodeMarked(whole ?? readAt(descriptor, 0, size)) : undefined
    return text !== undefined && found.every(({ bytes }) => text.includes(bytes)) ? held : undefined
  } finally {
    closeSync(descriptor)
  }
}

/** What the system fails to open cannot be compared, so it is not shown. */
function openIfPossible(root: SearchRoot, path: VirtualPath): SearchFile | undefined {
  try {
    return openSearchFile(root, path)
  } catch {
    return undefined
  }
}

/**
 * The text as the engine searches it: a byte order mark decides the encoding, and the result is UTF-8. Undefined
 * without a mark.
 */
function decodeMarked(bytes: Buffer): Buffer | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return Buffer.from(new TextDecoder('utf-16le').decode(bytes))
  if (first === 0xfe && second === 0xff) return Buffer.from(new TextDecoder('utf-16be').decode(bytes))
  return first === 0xef && second === 0xbb ? bytes.subarray(3) : undefined
}

function readAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let done = 0
  for (let count = -1; done < length && count !== 0; done += count)
    count = readSync(descriptor, bytes, done, length - done, offset + done)
  return bytes.subarray(0, done)
}
