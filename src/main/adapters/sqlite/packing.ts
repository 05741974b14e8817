import { deflateSync, inflateSync } from 'node:zlib'

/** Compressing more at once would be felt: the step waits for it. */
const largestPacked = 1024 * 1024

/** The bytes compressed, or nothing when that saves less than a tenth of them, or they are fewer than `smallest`. */
export function pack(bytes: Uint8Array, smallest: number): Uint8Array | undefined {
  if (bytes.length < smallest || bytes.length > largestPacked) return undefined
  const deflated = deflateSync(bytes, { level: 1 })
  return deflated.length < bytes.length * 0.9 ? deflated : undefined
}

/** Throws on what `packed` never gave. */
export function unpack(bytes: Uint8Array, largest?: number): Uint8Array {
  return inflateSync(bytes, largest === undefined ? {} : { maxOutputLength: Math.max(largest, 1) })
}
