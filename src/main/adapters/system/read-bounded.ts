import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/** In bytes. More text than any settings, rules or definitions that a person keeps have. */
const mostOfText = 16 * 1024 * 1024
const pieceBytes = 64 * 1024

export interface ReadBounds {
  /** The most bytes. Absent for 16 MB. */
  readonly most?: number
  /** False refuses a link at the end of the path. Absent for true. */
  readonly follows?: boolean
  /** True reads no more than that of a longer file. Absent refuses it. */
  readonly cuts?: boolean
  /**
   * How long to wait for bytes of a pipe or a device, in milliseconds. Absent refuses all but regular files: what a
   * project contains is never waited for.
   */
  readonly waitMs?: number
}

/**
 * All bytes of a file that somebody else may have put there. Opening never waits, and reading ends at the bounds, so that
 * neither a pipe without a writer nor a device or link without an end keeps the app. Throws the system's errors, and
 * others of the same shape: `EFTYPE` for what is no regular file, `EFBIG` for too much, `ETIMEDOUT` for too late.
 */
export function readBounded(
  file: string,
  { most = mostOfText, follows = true, cuts = false, waitMs }: ReadBounds = {},
): Buffer {
  const noFollow = follows ? 0 : (constants.O_NOFOLLOW ?? 0)
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | noFollow)
  try {
    const stats = fstatSync(descriptor)
    if (stats.isDirectory()) throw refusal('EISDIR', 'it is a folder')
    if (!stats.isFile() && waitMs === undefined) throw refusal('EFTYPE', 'it is not a regular file')
    if (stats.size > most && !cuts) throw tooMuch(most)
    const bytes = readToEnd(descriptor, stats, most, waitMs ?? 0)
    if (bytes.length > most && !cuts) throw tooMuch(most)
    return bytes.subarray(0, most)
  } finally {
    closeSync(descriptor)
  }
}

/** The same as text. Undefined for whatever cannot be read within the bounds. */
export function textIfReadable(file: string, bounds?: ReadBounds): string | undefined {
  try {
    return readBounded(file, bounds).toString('utf8')
  } catch {
    return undefined
  }
}

function readToEnd(descriptor: number, stats: Stats, most: number, waitMs: number): Buffer {
  const isPipe = stats.isFIFO()
  const pieces: Buffer[] = []
  let done = 0
  // Most files are small and as long as they say: one piece holds them, with room to see that nothing follows.
  let room = Buffer.allocUnsafe(stats.isFile() ? Math.min(stats.size + 1, pieceBytes) : pieceBytes)
  const end = performance.now() + waitMs
  while (done <= most) {
    if (room.length === 0) room = Buffer.allocUnsafe(pieceBytes)
    const count = readNow(descriptor, room)
    // The end of a pipe also looks like this before its first writer is there.
    if (count === undefined || (count === 0 && isPipe && done === 0)) {
      if (performance.now() >= end) throw refusal('ETIMEDOUT', `nothing came within ${waitMs / 1000} s`)
      Atomics.wait(idle, 0, 0, 5)
      continue
    }
    if (count === 0) break
    pieces.push(room.subarray(0, count))
    room = room.subarray(count)
    done += count
  }
  return Buffer.concat(pieces)
}

/** Makes a pause. */
const idle = new Int32Array(new SharedArrayBuffer(4))

/** Undefined when nothing is there yet. */
function readNow(descriptor: number, piece: Buffer): number | undefined {
  try {
    return readSync(descriptor, piece)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}

function tooMuch(most: number): Error {
  return refusal('EFBIG', `it holds more than ${most / 1024 / 1024} MB`)
}

function refusal(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
