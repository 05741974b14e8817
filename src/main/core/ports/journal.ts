import type { NonEmpty } from '#shared/base/non-empty.ts'
import type { Entry, EntryDraft, EntryType } from '#shared/model/entry.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import type { SearchedPlace } from '#shared/model/searched-text.ts'

export interface WordQuery {
  readonly place: SearchedPlace
  /** As `wordsOf` gives them; each must begin a word of the text. */
  readonly words: readonly string[]
  /** Only entries with a smaller sequence. */
  readonly before?: Sequence
  readonly limit: number
}

export interface EntryQuery {
  readonly after: Sequence
  readonly threadId?: ThreadId
  /** All types when left out. */
  readonly types?: readonly EntryType[]
  readonly limit?: number
}

/** Append-only entries of one project, in one global order. */
export interface Journal {
  /** Commits the entries, and all blobs and scratch files given since the last append, in one transaction, durably, and returns them. */
  append(drafts: NonEmpty<EntryDraft>): NonEmpty<Entry>
  /** Entries with a larger sequence than `after`, in order. */
  read(query: EntryQuery): readonly Entry[]
  /** Entries whose `searchedText` holds all the words, latest first; none for no words. */
  find(query: WordQuery): readonly Sequence[]
}

export class JournalError extends Error {
  readonly code: 'locked' | 'full' | 'read_only' | 'damaged' | 'newer_schema'

  constructor(code: JournalError['code'], message: string) {
    super(message)
    this.name = 'JournalError'
    this.code = code
  }
}
