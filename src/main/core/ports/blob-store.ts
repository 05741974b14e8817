import { defineError } from '#shared/base/define-error.ts'
import type { BlobHash } from '#shared/model/ids.ts'

/**
 * Content-addressed bytes. `put` keeps them in memory at once and durably with the next `Journal.append`. So a step and
 * its content commit together.
 */
export interface BlobStore {
  /** Returns the SHA-256 of the bytes. Putting equal bytes again changes nothing. */
  put(bytes: Uint8Array): BlobHash
  /** Throws `BlobStoreError` when nothing with this hash was ever put. */
  get(hash: BlobHash): Uint8Array
}

export const BlobStoreError = defineError<'missing' | 'damaged'>('BlobStoreError')
export type BlobStoreError = InstanceType<typeof BlobStoreError>

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
