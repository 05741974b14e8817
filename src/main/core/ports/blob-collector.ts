import type { BlobHash } from '#shared/model/ids.ts'

export interface StoredBlob {
  readonly hash: BlobHash
  /** As they lie on the disk. */
  readonly bytes: number
}

/**
 * Finds and removes content that nothing refers to. What was put since the store was opened is never among it, whether it was there
 * before or not: a call that runs may hold it, and its entry is yet to come.
 */
export interface BlobCollector {
  unused(used: ReadonlySet<string>): readonly StoredBlob[]
  /** Those of the given that are still unused by what was put; in one transaction. */
  remove(unused: readonly StoredBlob[]): void
}
