import { createHash } from 'node:crypto'
import { deflateSync, inflateSync } from 'node:zlib'
import type { Deflate, Hashing } from '#core/ports/hashing.ts'
import type { BlobHash } from '#shared/model/ids.ts'

export const nodeHashing: Hashing = {
  hash: (bytes) => createHash('sha256').update(bytes).digest('hex') as BlobHash,
  gitObjectId: (bytes) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
}

export const nodeDeflate: Deflate = {
  deflate: (bytes) => new Uint8Array(deflateSync(bytes)),
  /** The expected size is a bound, so that a small hostile input cannot grow without end. */
  inflate(bytes, expectedSize) {
    const inflated = inflateSync(bytes, { maxOutputLength: Math.max(expectedSize, 1) })
    if (inflated.length !== expectedSize) {
      throw new RangeError(`Inflated to ${inflated.length} bytes where ${expectedSize} were announced.`)
    }
    return new Uint8Array(inflated)
  },
}
