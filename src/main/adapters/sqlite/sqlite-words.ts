import { type Database, SqliteError } from 'better-sqlite3'
import type { WordQuery } from '#core/ports/journal.ts'
import { type SearchedPlace, searchedText, withShortWords } from '#shared/model/derived/searched-text.ts'
import type { Entry, EntryDraft } from '#shared/model/entry.ts'
import type { Sequence } from '#shared/model/ids.ts'

/** The word index of entries. */
interface SqliteWords {
  /** Call inside the transaction that stores the entry. */
  add(sequence: Sequence, draft: EntryDraft): void
  find(query: WordQuery): readonly Sequence[]
  /** Empties the index and fills it from all entries. Call inside a transaction. */
  remake(entries: Iterable<Entry>): void
}

const tables: Record<SearchedPlace, string> = { messages: 'message_words', memories: 'memory_words' }

export function createSqliteWords(database: Database): SqliteWords {
  const messages = statements(database, tables.messages)
  const memories = statements(database, tables.memories)
  const of = (place: SearchedPlace) => (place === 'messages' ? messages : memories)
  function add(sequence: Sequence, draft: EntryDraft): void {
    const searched = searchedText(draft)
    if (searched) of(searched.place).insert.run(sequence, withShortWords(searched.text))
  }
  return {
    add,
    remake(entries) {
      for (const { clear } of [messages, memories]) clear.run()
      for (const entry of entries) add(entry.sequence, entry)
    },
    find({ place, words, before, limit }) {
      if (words.length === 0) return []
      return of(place).select.all(words.map(term).join(' AND '), before ?? Number.MAX_SAFE_INTEGER, limit)
    },
  }
}

function statements(database: Database, table: string) {
  return {
    insert: database.prepare<[number, string]>(`INSERT INTO ${table} (rowid, text) VALUES (?, ?)`),
    clear: database.prepare<[]>(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`),
    select: database
      .prepare<[string, number, number], number>(
        `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?`,
      )
      .pluck(),
  }
}

/** True for damage in the tables of the index, as far as the index itself notices it. */
export function isWordDamage(error: unknown): boolean {
  return error instanceof SqliteError && error.code === 'SQLITE_CORRUPT_VTAB'
}

/** Quoted, so that a word is never an operator. A word longer than one letter also matches words that begin with it. */
function term(word: string): string {
  return word.length > 1 ? `"${word}"*` : `"${word}"`
}
