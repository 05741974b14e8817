import type { Sequence } from '#shared/model/ids.ts'

/** A fold of the journal, as it was written down. */
export interface StoredFold {
  /** Names the form in which it was written. */
  readonly version: string
  /** The last entry that it includes. */
  readonly sequence: Sequence
  /** JSON. */
  readonly body: string
}

/**
 * Keeps a fold beside the journal, so that the next opening need not read every entry. The journal alone is the truth:
 * a fold may be lost at any time, and whoever reads one must be able to do without.
 */
export interface FoldStore {
  /** Null when there is none, or when its bytes changed since they were written. */
  read(): StoredFold | null
  /** Replaces the fold. Throws `JournalError` when it cannot be stored. */
  write(fold: StoredFold): void
}
