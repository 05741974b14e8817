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
