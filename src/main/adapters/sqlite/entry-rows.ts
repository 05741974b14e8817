import type { Database } from 'better-sqlite3'
import { JournalError } from '#core/ports/journal.ts'
import { type Entry, entrySchema } from '#shared/model/entry.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { unpack } from './packing.ts'

export interface EntryRow {
  readonly sequence: number
  readonly thread_id: string
  readonly at: number
  readonly type: string
  /** JSON, compressed when that saves enough. */
  readonly body: string | Uint8Array
}

/** Raise this when the schemas of entries become stricter. Every stored entry is then checked once more. */
const checkVersion = 1

/** Entries that may be checked again by the next opening, which is cheaper than a note of them with every step. */
const fewEntries = 1_000

/** Turns rows into entries. Each row is checked against its schema once in its life, because rows never change. */
export interface EntryReader {
  /** Throws `JournalError` for a row that is not an entry of this version. */
  read(rows: readonly EntryRow[], isGapless: boolean): readonly Entry[]
  /** Stores how far rows were checked. Call it inside the transaction of an append; it rarely has anything to write. */
  flush(): void
}

/**
 * Checking costs as much again as reading, about 0.4 s for 100,000 entries, so the database remembers how far it went.
 * The table is no part of the schema's version: a version that does not know it ignores it.
 */
export function createEntryReader(database: Database): EntryReader {
  let checked = storedMark(database)
  let stored = checked
  return {
    read(rows, isGapless) {
      const entries = rows.map((row) => (row.sequence <= checked ? toEntry(row) : checkEntry(row)))
      const last = rows.at(-1)?.sequence ?? 0
      if (isGapless && rows[0] && rows[0].sequence <= checked + 1) checked = Math.max(checked, last)
      return entries
    },
    flush() {
      if (checked - stored < fewEntries) return
      database.exec('CREATE TABLE IF NOT EXISTS checked_entries (version INTEGER NOT NULL, up_to INTEGER NOT NULL)')
      database.exec('DELETE FROM checked_entries')
      database.prepare('INSERT INTO checked_entries VALUES (?, ?)').run(checkVersion, checked)
      stored = checked
    },
  }
}

/** The last sequence that was checked by these schemas; 0 when none was. */
function storedMark(database: Database): Sequence {
  const exists = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'checked_entries'").get()
  if (!exists) return 0
  const row = database.prepare<[number], number>('SELECT up_to FROM checked_entries WHERE version = ?').pluck()
  return row.get(checkVersion) ?? 0
}

/** Reads a row without checking it. */
export function toEntry({ sequence, thread_id, at, type, body }: EntryRow): Entry {
  const json = typeof body === 'string' ? body : Buffer.from(unpack(body)).toString()
  return { ...JSON.parse(json), type, threadId: thread_id, sequence, at }
}

/** Returns the entry as it was stored, not as the schema rebuilds it: models and windows get its keys in that order. */
function checkEntry(row: EntryRow): Entry {
  const entry = readOrNull(row)
  const parsed = entrySchema.safeParse(entry)
  if (entry && parsed.success) return entry
  const [issue] = parsed.error?.issues ?? []
  const where = issue ? ` (${issue.path.join('.') || 'entry'}: ${issue.message})` : ''
  throw new JournalError(
    'damaged',
    `Entry ${row.sequence} of the journal, “${row.type}”, cannot be read${where}. Nothing was changed. Open the project with the version of Coppice that wrote it, or restore a backup.`,
  )
}

/** Null for a row that is not even JSON. */
function readOrNull(row: EntryRow): Entry | null {
  try {
    return toEntry(row)
  } catch {
    return null
  }
}
