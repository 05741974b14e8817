/** One kind of proof, with the size that it must reach. */
export interface Part {
  readonly name: string
  readonly about: string
  /** What is counted. */
  readonly unit: string
  readonly goal: number
  /** The smallest chunk that makes sense. Every chunk is a multiple of it, except the last one. */
  readonly step: number
  /** Seconds that one step takes, until it was measured. */
  readonly guessSeconds: number
  readonly work: Work
}

/** What a chunk starts. */
export type Work =
  | {
      readonly kind: 'vitest'
      readonly projects: readonly string[]
      readonly files: readonly string[]
      /** A pattern for the names of the tests. Null for all tests of the files. */
      readonly title: string | null
    }
  | { readonly kind: 'playwright'; readonly spec: string }
  | { readonly kind: 'fuzz'; readonly targets: readonly string[] }

export interface Chunk {
  readonly seed: number
  /** In units of the part. */
  readonly size: number
  /** Units done before this chunk. */
  readonly from: number
}
