import { createHash, hash } from 'node:crypto'
import { deflateSync, inflateSync } from 'node:zlib'
import type { BlobHash } from './model/blob-hash.ts'
import type { Deflate, Hashing } from './ports/hashing.ts'

export const nodeHashing: Hashing = {
  hash: (bytes) => hash('sha256', bytes) as BlobHash,
  gitObjectId: (bytes, format = 'sha1') =>
    createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
}

export const nodeDeflate: Deflate = {
  deflate: (bytes) => new Uint8Array(deflateSync(bytes)),
  /** The expected size is a bound, so that a small hostile input cannot grow without end. */
  inflate(bytes, expectedSize) {
    const inflated = inflate(bytes, expectedSize)
    if (inflated.length !== expectedSize) {
      throw new RangeError(`Inflated to ${inflated.length} bytes where ${expectedSize} were announced.`)
    }
    return new Uint8Array(inflated)
  },
}

function inflate(bytes: Uint8Array, largest: number): Uint8Array {
  try {
    return inflateSync(bytes, { maxOutputLength: Math.max(largest, 1) })
  } catch (error) {
    throw new RangeError(`The packed bytes cannot be unpacked: ${error instanceof Error ? error.message : error}.`)
  }
}
