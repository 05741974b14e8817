import { createHash } from 'node:crypto'
import { type BigIntStats, fstat, read } from 'node:fs'
import { promisify } from 'node:util'
import type { BlobHash } from '#shared/model/ids.ts'

/** The names of a file's content. */
export interface ContentNames {
  /** SHA-256. */
  readonly blob: BlobHash
  /** Git's object id. */
  readonly gitId: string
}

const readAsync = promisify(read)
const statAsync = promisify(fstat) as (descriptor: number, options: { readonly bigint: true }) => Promise<BigIntStats>
const chunkBytes = 1024 * 1024

/** By the stamp of the file, which changes with every write. A rename changes it too. */
const known = new Map<string, ContentNames>()
const mostKnown = 1_000

/**
 * A file system may give two writes within this time the same stamp. A file that was changed a moment ago is therefore
 * read again. In nanoseconds.
 */
const tooFresh = 2_000_000_000n

/**
 * The names of the content of an open file of any size, read in pieces. Undefined when the file changed meanwhile. An
 * untouched file is read once. Throws the signal's reason.
 */
export async function hashFile(descriptor: number, signal?: AbortSignal): Promise<ContentNames | undefined> {
  const before = await statAsync(descriptor, { bigint: true })
  const stamp = stampOf(before)
  const found = known.get(stamp)
  if (found) return found
  const started = BigInt(Date.now()) * 1_000_000n
  const names = await readThrough(descriptor, before.size, signal)
  if (!names || stampOf(await statAsync(descriptor, { bigint: true })) !== stamp) return undefined
  const changed = before.ctimeNs > before.mtimeNs ? before.ctimeNs : before.mtimeNs
  if (started - changed > tooFresh) remember(stamp, names)
  return names
}

/** Forgets the oldest one when there are too many. */
function remember(stamp: string, names: ContentNames): void {
  known.set(stamp, names)
  for (const oldest of known.keys()) {
    if (known.size <= mostKnown) return
    known.delete(oldest)
  }
}

async function readThrough(
  descriptor: number,
  size: bigint,
  signal: AbortSignal | undefined,
): Promise<ContentNames | undefined> {
  const sha256 = createHash('sha256')
  const sha1 = createHash('sha1').update(`blob ${size}\0`)
  const buffer = Buffer.allocUnsafe(size < BigInt(chunkBytes) ? Number(size) : chunkBytes)
  let done = 0
  while (done < size) {
    signal?.throwIfAborted()
    const { bytesRead } = await readAsync(descriptor, buffer, 0, buffer.length, done)
    if (bytesRead === 0) return undefined
    const piece = buffer.subarray(0, bytesRead)
    sha256.update(piece)
    sha1.update(piece)
    done += bytesRead
  }
  return { blob: sha256.digest('hex') as BlobHash, gitId: sha1.digest('hex') }
}

/** Changes with every write to the file, and when it is renamed. */
export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
}
