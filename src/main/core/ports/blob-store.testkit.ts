import type { BlobHash } from '#shared/model/ids.ts'
import { type BlobStore, BlobStoreError } from './blob-store.ts'
import type { Hashing } from './hashing.ts'

export function createMemoryBlobStore(hashing: Hashing): BlobStore {
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
