import { createHash } from 'node:crypto'
import {
  extended,
  headerBytes,
  type IndexEntry,
  openIndex,
  padded,
  skipped,
  statBytes,
} from '../../system/git/git-index.ts'

/**
 * The index of a repository with exactly those entries marked as not looked for that `isMarked` names, by their path as
 * git has it and whether they are marked now. Null when nothing changes, and for an index that is damaged, split into
 * several files or of an unknown version.
 */
export function markIndex(index: Buffer, isMarked: (path: string, now: boolean) => boolean): Buffer | null {
  const opened = openIndex(index)
  if (opened === null) return null
  const { version, sum, body } = opened
  const marked: Buffer[] = []
  let changes = false
  try {
    const entries = opened.entries()
    let next = entries.next()
    for (; !next.done; next = entries.next()) {
      const entry = next.value
      const wanted = isMarked(entry.path.toString('latin1'), entry.isMarked)
      changes ||= wanted !== entry.isMarked
      marked.push(wanted === entry.isMarked ? entry.bytes : withMark(entry, wanted, version, sum.bytes))
    }
    if (!changes) return null
    const rest = extensionsAfter(body, next.value.end)
    if (rest === null) return null
    const header = Buffer.from(body.subarray(0, headerBytes))
    header.writeUInt32BE(Math.max(version, 3), 4)
    const text = Buffer.concat([header, ...marked, ...rest])
    return Buffer.concat([text, sum.isLeftOut ? Buffer.alloc(sum.bytes) : createHash(sum.kind).update(text).digest()])
  } catch (error) {
    // What is read beyond the end of a damaged index.
    if (error instanceof RangeError) return null
    throw error
  }
}

function withMark(
  { bytes, path, isExtended }: IndexEntry,
  isMarked: boolean,
  version: number,
  idBytes: number,
): Buffer {
  const flagsAt = statBytes + idBytes
  const start = Buffer.from(bytes.subarray(0, flagsAt + 2))
  start.writeUInt16BE(start.readUInt16BE(flagsAt) | extended, flagsAt)
  const more = Buffer.alloc(2)
  const before = isExtended ? bytes.readUInt16BE(flagsAt + 2) : 0
  more.writeUInt16BE(isMarked ? before | skipped : before & ~skipped)
  const rest = bytes.subarray(flagsAt + (isExtended ? 4 : 2))
  if (version === 4) return Buffer.concat([start, more, rest])
  const text = Buffer.concat([start, more, path])
  return Buffer.concat([text, Buffer.alloc(padded(text.length) - text.length)])
}

/** Tables of places in the file, which are no longer true. Git makes them again. */
const placeTables = new Set(['EOIE', 'IEOT'])

/** The parts behind the entries. Null for what cannot be kept: an index that goes on in another file. */
function extensionsAfter(body: Buffer, start: number): readonly Buffer[] | null {
  const kept: Buffer[] = []
  for (let at = start; at < body.length; ) {
    const name = body.toString('latin1', at, at + 4)
    const end = at + 8 + body.readUInt32BE(at + 4)
    if (name === 'link' || end > body.length) return null
    if (!placeTables.has(name)) kept.push(body.subarray(at, end))
    at = end
  }
  return kept
}
