import type { Database } from 'better-sqlite3'
import { JournalError } from '#core/ports/journal.ts'
import { type Entry, entrySchema } from '#shared/model/entry.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { createCheckedRows } from './checked-rows.ts'
import { unpack } from './packing.ts'

export interface EntryRow {
  readonly sequence: number
  readonly thread_id: string
  readonly at: number
  readonly type: string
  /** JSON, compressed when that saves enough. */
  readonly body: string | Uint8Array
}

/** Selects `EntryRow`. The rows themselves hold the key of their thread. */
export const selectEntries =
  'SELECT sequence, thread_id, at, type, body FROM entries CROSS JOIN threads ON threads.key = entries.thread'

/** The first version of the schema whose rows hold keys. */
export const versionWithKeys = 5

/** The same from a database of the given version, which may be older. Who is not its owner reads it as it is. */
export function selectEntriesOf(version: number): string {
  return version < versionWithKeys ? 'SELECT * FROM entries' : selectEntries
}

/**
 * Throws `JournalError` when the rows are of another version than the database says. Read as they are not, they would make
 * threads without a name.
 */
export function requireTablesOf(database: Database, version: number): void {
  const hasKeys =
    database.prepare("SELECT 1 FROM pragma_table_info('entries') WHERE name = 'thread'").get() !== undefined
  if (hasKeys === version >= versionWithKeys) return
  throw new JournalError(
    'failing',
    `The database of this project says that it is of version ${version}, but its tables are not. Nothing was changed. Restore a backup of it.`,
  )
}

/** Raise this when the schemas of entries become stricter. Every stored entry is then checked once more. */
const checkVersion = 1

/** Bytes of one entry. A damaged row could unpack to more than the memory holds. */
const largestBody = 256 * 1024 * 1024

/** Entries that may be checked again by the next opening, which is cheaper than a note of them with every step. */
const fewEntries = 1_000

/** Turns rows into entries. Each row is checked against its schema once in its life, because rows never change. */
export interface EntryReader {
  /** Throws `JournalError` for a row that does not fit. */
  read(rows: readonly EntryRow[]): readonly Entry[]
  /** Call it when this process has stored entries, which the compiler has checked. */
  stored(first: Sequence, last: Sequence): void
  /** Notes in the database how far rows were checked, now and then. Call it inside the transaction of an append. */
  flush(): void
  /** Notes it for the last time. Call it before the database closes. */
  close(): void
}

/**
 * Checking costs as much again as reading, about 0.4 s for 100,000 entries, so the database remembers how far it went.
 * The table is no part of the schema's version: a version that does not know it ignores it.
 */
export function createEntryReader(database: Database): EntryReader {
  const checked = createCheckedRows(readMark(database))
  let noted = checked.upTo()
  const note = () => {
    database.exec('CREATE TABLE IF NOT EXISTS checked_entries (version INTEGER NOT NULL, up_to INTEGER NOT NULL)')
    database.exec('DELETE FROM checked_entries')
    database.prepare('INSERT INTO checked_entries VALUES (?, ?)').run(checkVersion, checked.upTo())
    noted = checked.upTo()
  }
  return {
    read: (rows) =>
      rows.map((row) => {
        const known = checked.has(row.sequence) ? readOrNull(row) : null
        const entry = known ?? checkEntry(row)
        checked.add(row.sequence)
        return entry
      }),
    stored: checked.add,
    flush() {
      if (checked.upTo() - noted >= fewEntries) note()
    },
    close() {
      if (checked.upTo() === noted) return
      try {
        database.transaction(note)()
      } catch {
        // A full disk or a read-only folder: the entries are checked again next time.
      }
    },
  }
}

/** The last sequence that was checked by these schemas; 0 when none was. */
function readMark(database: Database): Sequence {
  const exists = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'checked_entries'").get()
  if (!exists) return 0
  const row = database.prepare<[number], number>('SELECT up_to FROM checked_entries WHERE version = ?').pluck()
  return row.get(checkVersion) ?? 0
}

/** Reads a row without checking it. */
export function toEntry({ sequence, thread_id, at, type, body }: EntryRow): Entry {
  const json = typeof body === 'string' ? body : Buffer.from(unpack(body, largestBody)).toString()
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
