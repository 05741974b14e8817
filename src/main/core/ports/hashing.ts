/** Hashes and packing, which the overlay asks for. */
export type { Deflate, Hashing } from '#overlay'
