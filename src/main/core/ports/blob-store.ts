import type { BlobHash } from '#shared/model/ids.ts'

/**
 * Content-addressed bytes. `put` keeps them at once in memory and durably with the next `Journal.append`, so that a
 * step and the content it wrote commit together.
 */
export interface BlobStore {
  put(bytes: Uint8Array): BlobHash
  /** Throws `BlobStoreError` when nothing with this hash was ever put. */
  get(hash: BlobHash): Uint8Array
}

export class BlobStoreError extends Error {
  readonly code: 'missing' | 'damaged'

  constructor(code: 'missing' | 'damaged', message: string) {
    super(message)
    this.name = 'BlobStoreError'
    this.code = code
  }
}

export interface StoredBlob {
  readonly hash: BlobHash
  /** As it lies on the disk. */
  readonly bytes: number
  /** It was put since the store was opened, whether it was there before or not: a call that runs may hold it, and its entry is yet to come. */
  readonly fresh: boolean
}

/** Lists what is stored, and removes what somebody found to be unused. */
export interface BlobCollector {
  stored(limit: number): Iterable<readonly StoredBlob[]>
  /** In one transaction, but for what is fresh by then. */
  remove(unused: readonly StoredBlob[]): void
}
