import { createHash } from 'node:crypto'

/** Git's mark for a file that is in the index and that it does not look for: `skip-worktree`. */
export const skipped = 0x4000
/** Git's mark for an entry that has two more bytes of flags. */
export const extended = 0x4000
export const headerBytes = 12
/** Of an entry, before the object id. */
export const statBytes = 40

export interface IndexEntry {
  /** With its path and padding. */
  readonly bytes: Buffer
  /** As git has it. That of a folder of a sparse index, of which all files stand elsewhere, ends with a slash. */
  readonly path: Buffer
  readonly isMarked: boolean
  readonly isExtended: boolean
}

/** An index of git, of which the entries can be read one after the other. */
export interface OpenIndex {
  readonly version: number
  readonly sum: Checksum
  /** All bytes but the checksum. */
  readonly body: Buffer
  /** The files and, in a sparse index, folders. Throws `RangeError` at the end of a damaged index. */
  readonly entries: () => Generator<IndexEntry, EntriesEnd>
}

/** Where the entries end in the body. */
interface EntriesEnd {
  readonly end: number
}

/** Null for one that is damaged or of an unknown version. Its parts behind the entries are not looked at. */
export function openIndex(index: Buffer): OpenIndex | null {
  const sum = checksumOf(index)
  if (sum === null || index.toString('latin1', 0, 4) !== 'DIRC') return null
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)]
  if (version < 2 || version > 4) return null
  const body = index.subarray(0, index.length - sum.bytes)
  return { version, sum, body, entries: () => readEntries(body, version, count, sum.bytes) }
}

/** The paths in an index, as git has them. Null for one that is damaged or of an unknown version. */
export function pathsInIndex(
  index: Buffer,
  isWanted: (entry: IndexEntry) => boolean = () => true,
): readonly string[] | null {
  try {
    const opened = openIndex(index)
    return opened && [...opened.entries()].filter(isWanted).map(({ path }) => path.toString())
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

export interface Checksum {
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

function* readEntries(
  body: Buffer,
  version: number,
  count: number,
  idBytes: number,
): Generator<IndexEntry, EntriesEnd> {
  let at = headerBytes
  let path: Buffer = Buffer.alloc(0)
  for (let done = 0; done < count; done += 1) {
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
    path = kept === 0 ? body.subarray(nameAt, end) : Buffer.concat([path.subarray(0, kept), body.subarray(nameAt, end)])
    const next = version === 4 ? end + 1 : at + padded(end - at)
    if (next > body.length) throw new RangeError('The index ends within an entry.')
    yield { bytes: body.subarray(at, next), path, isMarked, isExtended }
    at = next
  }
  return { end: at }
}

/** Bytes of an entry with so many bytes before its first NUL: at least one NUL follows, up to a multiple of 8. */
export function padded(bytes: number): number {
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
