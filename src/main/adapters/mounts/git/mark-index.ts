import { createHash } from 'node:crypto'

/** Git's mark for a file that is in the index and that it does not look for: `skip-worktree`. */
const skipped = 0x4000
/** Git's mark for an entry that has two more bytes of flags. */
const extended = 0x4000
const headerBytes = 12
/** Of an entry, before the object id. */
const statBytes = 40

/**
 * The index of a repository with exactly those entries marked as not looked for that `isMarked` names, by their path as
 * git has it and whether they are marked now. Null when nothing changes, and for an index that is damaged, split into
 * several files or of an unknown version.
 */
export function markIndex(index: Buffer, isMarked: (path: string, now: boolean) => boolean): Buffer | null {
  const sum = checksumOf(index)
  if (sum === null || index.toString('latin1', 0, 4) !== 'DIRC') return null
  const version = index.readUInt32BE(4)
  const count = index.readUInt32BE(8)
  if (version < 2 || version > 4) return null
  const body = index.subarray(0, index.length - sum.bytes)
  const read = createReader(body, version, sum.bytes)
  const entries: Buffer[] = []
  let changes = false
  try {
    for (let done = 0; done < count; done += 1) {
      const entry = read.next()
      const wanted = isMarked(entry.path.toString('latin1'), entry.isMarked)
      changes ||= wanted !== entry.isMarked
      entries.push(wanted === entry.isMarked ? entry.bytes : withMark(entry, wanted, version, sum.bytes))
    }
    if (!changes) return null
    const rest = extensionsAfter(body, read.at())
    if (rest === null) return null
    const header = Buffer.from(body.subarray(0, headerBytes))
    header.writeUInt32BE(Math.max(version, 3), 4)
    const text = Buffer.concat([header, ...entries, ...rest])
    return Buffer.concat([text, sum.isLeftOut ? Buffer.alloc(sum.bytes) : createHash(sum.kind).update(text).digest()])
  } catch (error) {
    // What is read beyond the end of a damaged index.
    if (error instanceof RangeError) return null
    throw error
  }
}

interface Checksum {
  readonly kind: 'sha1' | 'sha256'
  readonly bytes: number
  /** True where a setting of git leaves it out. */
  readonly isLeftOut: boolean
}

/** The kind of hash is that of the object ids. Null when none fits. */
function checksumOf(index: Buffer): Checksum | null {
  for (const [kind, bytes] of [
    ['sha1', 20],
    ['sha256', 32],
  ] as const) {
    if (index.length < headerBytes + bytes) return null
    const sum = index.subarray(index.length - bytes)
    if (
      createHash(kind)
        .update(index.subarray(0, index.length - bytes))
        .digest()
        .equals(sum)
    )
      return { kind, bytes, isLeftOut: false }
  }
  const isZero = (bytes: number) => index.subarray(index.length - bytes).every((byte) => byte === 0)
  if (isZero(32)) return { kind: 'sha256', bytes: 32, isLeftOut: true }
  return isZero(20) ? { kind: 'sha1', bytes: 20, isLeftOut: true } : null
}

interface IndexEntry {
  /** With its path and padding. */
  readonly bytes: Buffer
  readonly path: Buffer
  readonly isMarked: boolean
  readonly isExtended: boolean
}

/** Reads one entry after the other. Throws `RangeError` beyond the end. */
function createReader(body: Buffer, version: number, idBytes: number) {
  let at = headerBytes
  let path = Buffer.alloc(0)
  return {
    at: () => at,
    next(): IndexEntry {
      const flagsAt = at + statBytes + idBytes
      const isExtended = (body.readUInt16BE(flagsAt) & extended) !== 0
      const isMarked = isExtended && (body.readUInt16BE(flagsAt + 2) & skipped) !== 0
      let nameAt = flagsAt + (isExtended ? 4 : 2)
      let kept = 0
      if (version === 4) {
        const strip = readNumber(body, nameAt)
        nameAt = strip.end
        kept = path.length - strip.value
      }
      const end = body.indexOf(0, nameAt)
      if (end < 0 || kept < 0) throw new RangeError('The index ends within an entry.')
      path = Buffer.concat([path.subarray(0, kept), body.subarray(nameAt, end)])
      const next = version === 4 ? end + 1 : at + padded(end - at)
      if (next > body.length) throw new RangeError('The index ends within an entry.')
      const bytes = body.subarray(at, next)
      at = next
      return { bytes, path, isMarked, isExtended }
    },
  }
}

/** Bytes of an entry with so many bytes before its first NUL: at least one NUL follows, up to a multiple of 8. */
function padded(bytes: number): number {
  return Math.ceil((bytes + 1) / 8) * 8
}

/** Git's numbers of variable length, as in its packs. */
function readNumber(body: Buffer, start: number): { readonly value: number; readonly end: number } {
  let at = start
  let byte = body.readUInt8(at)
  let value = byte & 127
  while (byte & 128) {
    at += 1
    byte = body.readUInt8(at)
    value = (value + 1) * 128 + (byte & 127)
  }
  return { value, end: at + 1 }
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
