import { defineError } from '#shared/base/define-error.ts'
import type { NonEmpty } from '#shared/base/non-empty.ts'
import type { SearchedPlace } from '#shared/model/derived/searched-text.ts'
import type { Entry, EntryDraft, EntryType } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'

export interface WordQuery {
  /** Which texts are searched: messages, or versions of memories. */
  readonly place: SearchedPlace
  /** In the form that `wordsOf` returns. A word of the text must begin with each of them. */
  readonly words: readonly string[]
  /** Only entries with a smaller sequence. */
  readonly before?: Sequence
  /** The most sequences to return. */
  readonly limit: number
}

export interface EntryQuery {
  /** Exclusive; 0 reads from the start. */
  readonly after: Sequence
  /** Entries of all threads by default. */
  readonly threadId?: ThreadId
  /** Only entries of this root thread and of every subagent below it. */
  readonly family?: ThreadId
  /** All types by default. */
  readonly types?: readonly EntryType[]
  /** All entries by default. */
  readonly limit?: number
}

/** Asks for a piece of the entries of a root thread and of every subagent below it. */
export interface PieceQuery {
  readonly family: ThreadId
  /** Exclusive; 0 reads from the start. */
  readonly after: Sequence
  /** The most entries of a piece. */
  readonly limit: number
}

export interface FamilyPiece {
  readonly entries: readonly Entry[]
  /** What the next piece begins after; null when there was no later entry. */
  readonly next: Sequence | null
}

/** Append-only entries of one project, in one global order. */
export interface Journal {
  /**
   * Commits the entries durably, in one transaction with all blobs and scratch files put since the last append. Throws
   * `JournalError`. The end of the process loses none of them, and a loss of power only `areRepeatableStarts` that no
   * other commit followed.
   */
  append(drafts: NonEmpty<EntryDraft>): NonEmpty<Entry>
  /** Entries with a larger sequence than `after`, in order. */
  read(query: EntryQuery): readonly Entry[]
  /**
   * Every entry in order, or those of a root thread and every subagent below it, read piece by piece, so that a long
   * journal is never in memory as a whole. Nothing may be stored meanwhile.
   */
  each(family?: ThreadId): Iterable<Entry>
  /** Reads a family in pieces. All of them take a time that grows with its entries, however many threads it has. */
  piece(query: PieceQuery): FamilyPiece
  /** The last entry's sequence; 0 for an empty journal. */
  last(): Sequence
  /** The root thread above a thread, or above the owner of a branch. Undefined for one that no entry created. */
  rootOf(id: ThreadId | BranchId): ThreadId | undefined
  /** Every root thread, in the order in which they were created. */
  roots(): readonly ThreadId[]
  /** Every thread with an entry after this sequence, in any order. */
  threadsSince(after: Sequence): readonly ThreadId[]
  /** Entries whose `searchedText` contains all the words, latest first. An empty list of words finds nothing. */
  find(query: WordQuery): readonly Sequence[]
}

export const JournalError = defineError<'locked' | 'full' | 'read_only' | 'failing' | 'damaged' | 'newer_schema'>(
  'JournalError',
)
export type JournalError = InstanceType<typeof JournalError>
