import { deflateSync, inflateSync } from 'node:zlib'

/** In bytes. The step waits for compression, and more would be noticeable. */
const largestPacked = 1024 * 1024

/**
 * Returns the compressed bytes. Undefined when that saves less than a tenth, or there are fewer bytes than `smallest`.
 */
export function pack(bytes: Uint8Array, smallest: number): Uint8Array | undefined {
  if (bytes.length < smallest || bytes.length > largestPacked) return undefined
  const deflated = deflateSync(bytes, { level: 1 })
  return deflated.length < bytes.length * 0.9 ? deflated : undefined
}

/** Throws for bytes that `pack` did not make. */
export function unpack(bytes: Uint8Array, largest?: number): Uint8Array {
  return inflateSync(bytes, largest === undefined ? {} : { maxOutputLength: Math.max(largest, 1) })
}
