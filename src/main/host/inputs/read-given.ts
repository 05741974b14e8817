import { readBounded } from '#adapters/system/read-bounded.ts'

/** A pipe, such as `<(…)` of a shell, is waited for so long. In milliseconds. */
const longestWait = 10_000

/**
 * The bytes of a file that a person names on a command line: 16 MB, or `most`. Throws an error whose message says what is
 * wrong with it, as for a device without an end.
 */
export function readGiven(file: string, most?: number): Buffer {
  return readBounded(file, { waitMs: longestWait, ...(most !== undefined && { most }) })
}

/** The beginning of one, up to a byte more than `most`, so that whoever takes it can tell that it is too large. */
export function readGivenStart(file: string, most: number): Buffer {
  return readBounded(file, { waitMs: longestWait, most: most + 1, cuts: true })
}
