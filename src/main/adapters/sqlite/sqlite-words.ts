import { type Database, SqliteError } from 'better-sqlite3'
import type { WordQuery } from '#core/ports/journal.ts'
import {
  haveWords,
  type SearchedPlace,
  searchedText,
  withShortWords,
  wordsOf,
} from '#shared/model/derived/searched-text.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { type EntryRow, selectEntries, toEntry } from './rows/entry-rows.ts'
import type { WrittenWithStep } from './rows/written-with-step.ts'

/**
 * The words of entries. They are written many entries at a time, with the step after the last of them, because each
 * writing changes two pages of the database, however few words it has. Until then they are looked for in memory. After a
 * crash the entries say them again.
 */
interface SqliteWords extends WrittenWithStep {
  /** Call it when the entries have been stored, after `flush` and `committed`. */
  stored(entries: readonly Entry[]): void
  find(query: WordQuery): readonly Sequence[]
  /** Empties the index and fills it from all entries that can be read. Call it outside of a transaction. */
  remake(): void
}

interface Text {
  readonly sequence: Sequence
  readonly place: SearchedPlace
  readonly text: string
}

/** The text of an entry that the index does not hold yet. */
interface Waiting extends Text {
  /** Null until a search needs them. */
  words: readonly string[] | null
}

/** What SQLite calls damage that an index of words notices in its own tables. */
const wordDamage = 'SQLITE_CORRUPT_VTAB'

/** Characters of text, which take two and a half milliseconds to write. */
const mostWaiting = 32 * 1024
/** Entries after the last one in the index, which are read again after a crash. */
const mostUnread = 1_000
const rowsAtOnce = 500

const tables: Record<SearchedPlace, string> = { messages: 'message_words', memories: 'memory_words' }

export function createSqliteWords(database: Database): SqliteWords {
  const messages = statements(database, tables.messages)
  const memories = statements(database, tables.memories)
  const of = (place: SearchedPlace) => (place === 'messages' ? messages : memories)
  const readMark = database.prepare<[], number>('SELECT up_to FROM indexed_words').pluck()
  const writeMark = database.prepare<[number]>('INSERT OR REPLACE INTO indexed_words (key, up_to) VALUES (1, ?)')
  const readRows = database.prepare<[number, number], EntryRow>(
    `${selectEntries} WHERE sequence > ? AND type IN ('message', 'memory.written') ORDER BY sequence LIMIT ?`,
  )
  const lastSequence = database.prepare<[], number | null>('SELECT max(sequence) FROM entries').pluck()
  let waiting: Waiting[] | null = null
  let characters = 0
  let mark = 0
  let last = 0
  /** True between a writing and the end of its transaction. */
  let isWritten = false

  function wait(more: readonly Text[]): void {
    const texts = waiting ?? []
    for (const text of more) {
      texts.push({ ...text, words: null })
      characters += text.text.length
    }
    waiting = texts
  }

  function whatWaits(): readonly Waiting[] {
    if (waiting) return waiting
    const stored = readMark.get()
    // Nobody knows then what the index holds.
    if (stored === undefined) throw new SqliteError('The index of words has no mark.', wordDamage)
    mark = stored
    last = lastSequence.get() ?? 0
    characters = 0
    wait(readRows.all(mark, -1).flatMap(readable))
    return waiting ?? []
  }

  function write(texts: readonly Text[]): void {
    for (const { sequence, place, text } of texts) of(place).insert.run(sequence, withShortWords(text))
  }

  const writeAll = database.transaction(() => {
    for (const { clear } of [messages, memories]) clear.run()
    for (let after = 0; ; ) {
      const rows = readRows.all(after, rowsAtOnce)
      write(rows.flatMap(readable))
      const end = rows.at(-1)
      if (!end) break
      after = end.sequence
    }
    writeMark.run(lastSequence.get() ?? 0)
  })

  return {
    stored(entries) {
      last = entries.at(-1)?.sequence ?? last
      wait(entries.flatMap(textOf))
    },
    flush() {
      const texts = whatWaits()
      isWritten = false
      if (characters < mostWaiting && last - mark < mostUnread) return
      write(texts)
      writeMark.run(last)
      isWritten = true
    },
    committed() {
      if (isWritten) [waiting, characters, mark] = [[], 0, last]
      isWritten = false
    },
    remake() {
      writeAll.immediate()
      waiting = null
    },
    find({ place, words, before = Number.MAX_SAFE_INTEGER, limit }) {
      if (words.length === 0) return []
      const recent = whatWaits()
        .filter((one) => one.place === place && one.sequence < before && haveWords(wordsIn(one), words))
        .map(({ sequence }) => sequence)
        .toReversed()
        .slice(0, limit)
      const more = limit - recent.length
      return more === 0 ? recent : [...recent, ...of(place).select.all(words.map(term).join(' AND '), before, more)]
    },
  }
}

function textOf(entry: Entry): readonly Text[] {
  const searched = searchedText(entry)
  return searched ? [{ sequence: entry.sequence, ...searched }] : []
}

function wordsIn(waiting: Waiting): readonly string[] {
  waiting.words ??= wordsOf(waiting.text)
  return waiting.words
}

/** Nothing for an entry that cannot be read, because a search still finds the others. Who opens its thread is told. */
function readable(row: EntryRow): readonly Text[] {
  try {
    return textOf(toEntry(row))
  } catch {
    return []
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
  return error instanceof SqliteError && error.code === wordDamage
}

/** Quoted, so that a word is never an operator. A word longer than one letter also matches words that begin with it. */
function term(word: string): string {
  return word.length > 1 ? `"${word}"*` : `"${word}"`
}
