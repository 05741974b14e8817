import type { Database } from 'better-sqlite3'
import type { WordQuery } from '#core/ports/journal.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { type SearchedPlace, searchedText, withShortWords } from '#shared/model/searched-text.ts'

/** The words of entries. `add` is called inside the transaction that stores the entry. */
export interface SqliteWords {
  add(sequence: Sequence, draft: EntryDraft): void
  find(query: WordQuery): readonly Sequence[]
}

const tables: Record<SearchedPlace, string> = { messages: 'message_words', memories: 'memory_words' }

export function createSqliteWords(database: Database): SqliteWords {
  const messages = statements(database, tables.messages)
  const memories = statements(database, tables.memories)
  const of = (place: SearchedPlace) => (place === 'messages' ? messages : memories)
  return {
    add(sequence, draft) {
      const searched = searchedText(draft)
      if (searched) of(searched.place).insert.run(sequence, withShortWords(searched.text))
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
    select: database
      .prepare<[string, number, number], number>(
        `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?`,
      )
      .pluck(),
  }
}

/** Quoted, so that no word is taken for an operator; a word of more than a letter stands for all that begin with it. */
function term(word: string): string {
  return word.length > 1 ? `"${word}"*` : `"${word}"`
}
