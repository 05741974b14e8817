import type { BlobHash } from '../model/blob-hash.ts'
import type { ObjectFormat } from './git-attributes.ts'

export interface Hashing {
  /** SHA-256. */
  hash(bytes: Uint8Array): BlobHash
  /** Git's object id for a blob of these bytes: the hash of `blob <size>\0` and the bytes. Absent `format` for SHA-1. */
  gitObjectId(bytes: Uint8Array, format?: ObjectFormat): string
}

export interface Deflate {
  /** zlib format, as in git binary patches. */
  deflate(bytes: Uint8Array): Uint8Array
  /** Throws `RangeError` for damaged bytes, and when the result does not have `expectedSize` bytes. */
  inflate(bytes: Uint8Array, expectedSize: number): Uint8Array
}
