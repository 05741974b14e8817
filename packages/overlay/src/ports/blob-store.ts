import type { BlobHash } from '../model/blob-hash.ts'
import type { Hashing } from './hashing.ts'

/** Content-addressed bytes. Trees and patches name contents by their hash and never hold them. */
export interface BlobStore {
  /** Returns the SHA-256 of the bytes. Putting equal bytes again changes nothing. */
  put(bytes: Uint8Array): BlobHash
  /** Throws `BlobStoreError` when nothing with this hash was ever put. */
  get(hash: BlobHash): Uint8Array
}

export class BlobStoreError extends Error {
  override readonly name = 'BlobStoreError'
  readonly code: 'missing' | 'damaged'

  constructor(code: 'missing' | 'damaged', message: string) {
    super(message)
    this.code = code
  }
}

/** Keeps everything that was put, until the store itself is dropped. */
export function createMemoryBlobStore(hashing: Pick<Hashing, 'hash'>): BlobStore {
  const blobs = new Map<BlobHash, Uint8Array>()
  return {
    put(bytes) {
      const hash = hashing.hash(bytes)
      if (!blobs.has(hash)) blobs.set(hash, bytes.slice())
      return hash
    },
    get(hash) {
      const bytes = blobs.get(hash)
      if (!bytes) throw new BlobStoreError('missing', `No content with the hash ${hash} was ever stored.`)
      return bytes.slice()
    },
  }
}
