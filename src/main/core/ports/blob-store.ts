import type { BlobHash } from '#shared/model/ids.ts'

/**
 * Content-addressed bytes, which belong to the overlay. Here `put` keeps them in memory at once and durably with the next
 * `Journal.append`. So a step and its content commit together.
 */
export { type BlobStore, BlobStoreError } from '#overlay'

export interface StoredBlob {
  /** SHA-256 of the content as it was put, not as it is stored. */
  readonly hash: BlobHash
  /** Size on disk, after compression. */
  readonly bytes: number
  /** True when it was put since the store was opened. A running call may need it before its entry is stored. */
  readonly fresh: boolean
}

/** Lists the stored blobs, and removes the unused ones that the caller names. */
export interface BlobCollector {
  /** Yields every stored blob in pages of at most `limit`. Throws `JournalError`. */
  stored(limit: number): Iterable<readonly StoredBlob[]>
  /** Removes them in one transaction. Skips every blob that has become fresh meanwhile. */
  remove(unused: readonly StoredBlob[]): void
}
