import type { BlobHash } from '#shared/model/ids.ts'

/** What was used last, up to a number of bytes: what an agent wrote is soon compared, merged and read again. */
export interface RecentBytes {
  get(hash: BlobHash): Uint8Array | undefined
  /** Keeps the very bytes it is given. */
  keep(hash: BlobHash, bytes: Uint8Array): void
  drop(hash: BlobHash): void
}

export function keepRecentBytes(most: number): RecentBytes {
  /** The one used longest ago comes first. */
  const kept = new Map<BlobHash, Uint8Array>()
  let size = 0

  function drop(hash: BlobHash): Uint8Array | undefined {
    const bytes = kept.get(hash)
    if (!bytes) return undefined
    kept.delete(hash)
    size -= bytes.length
    return bytes
  }

  function keep(hash: BlobHash, bytes: Uint8Array): void {
    if (bytes.length > most / 16) return
    drop(hash)
    kept.set(hash, bytes)
    size += bytes.length
    for (const oldest of kept.keys()) {
      if (size <= most) return
      drop(oldest)
    }
  }

  return {
    get(hash) {
      const bytes = drop(hash)
      if (bytes) keep(hash, bytes)
      return bytes
    },
    keep,
    drop: (hash) => void drop(hash),
  }
}
