import { closeSync, fstatSync, readSync } from 'node:fs'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openSearchFile, type SearchRoot } from './search-folder.ts'

/** A part of a file as the engine read it. */
export interface FoundText {
  /** In bytes, counted after a byte order mark if the engine removed one. */
  readonly offset: number
  readonly bytes: Buffer
}

const mostDecoded = 64 * 1024 * 1024

/**
 * True when the file at exactly this path contains everything that was found. The engine opens paths by name, so a
 * folder swapped for a link could lead it outside. Such results must not be shown.
 */
export function holdsFound(root: SearchRoot, path: VirtualPath, found: readonly FoundText[]): boolean {
  const descriptor = openIfPossible(root, path)
  if (descriptor === undefined) return false
  try {
    const { size } = fstatSync(descriptor)
    if (found.every(({ offset, bytes }) => readAt(descriptor, offset, bytes.length).equals(bytes))) return true
    const text = size <= mostDecoded ? decodeMarked(readAt(descriptor, 0, size)) : undefined
    return text !== undefined && found.every(({ bytes }) => text.includes(bytes))
  } finally {
    closeSync(descriptor)
  }
}

/** What the system fails to open cannot be compared, so it is not shown. */
function openIfPossible(root: SearchRoot, path: VirtualPath): number | undefined {
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
