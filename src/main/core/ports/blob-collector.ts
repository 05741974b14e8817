import type { BlobHash } from '#shared/model/ids.ts'

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
