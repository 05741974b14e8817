import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { JournalError } from '#core/ports/journal.ts'
import { backUp, lastBackupOf, moveAside } from './file/backups.ts'
import { closeDatabaseFile, closedFolder } from './file/closed-files.ts'
import { openTwice, requireReadable } from './file/confirm-damage.ts'
import { toJournalError, withJournalErrors } from './file/database-errors.ts'
import { requireTablesOf } from './rows/entry-rows.ts'
import { applicationId, fills, migrations, pageSize } from './rows/schema.ts'

export interface OpenedDatabase {
  readonly database: Database.Database
  /** New path of a damaged file. Null when the file was not damaged. */
  readonly movedAside: string | null
  /** The latest backup of the damaged file, which the person can restore. */
  readonly lastBackup: string | null
}

/** In bytes. Checking a larger file would block the process, so its damage shows only when it is read. */
const checkedBytes = 16 * 1024 * 1024
const synchronousFull = 2

/**
 * Opens or creates the database. A damaged one is moved aside under a dated name, never emptied. What looks damaged only
 * once, or cannot be read at all, stays where it is: the disk failed, and the data may be whole.
 */
export function openDatabase(file: string, now: () => number): OpenedDatabase {
  mkdirSync(dirname(file), { recursive: true, mode: closedFolder })
  const opened = openTwice(() => prepare(file, now))
  if (opened) return { database: opened, movedAside: null, lastBackup: null }
  requireReadable(file)
  const movedAside = moveAside(file, now)
  return { database: prepare(file, now), movedAside, lastBackup: lastBackupOf(file) }
}

function prepare(file: string, now: () => number): Database.Database {
  const size = existsSync(file) ? statSync(file).size : 0
  if (size > 0) refuseNewer(file)
  // A first start that was killed leaves an empty file too, but there is no backup beside that one.
  if (size === 0 && existsSync(file) && lastBackupOf(file) !== null)
    throw new JournalError('damaged', 'The database of this project is an empty file.')
  const database = withJournalErrors(() => {
    closeDatabaseFile(file)
    return new Database(file, { timeout: 1000 })
  })
  try {
    database.pragma(`page_size = ${pageSize}`)
    // Lets free space be given back piece by piece. SQLite cannot set this later without rewriting the file.
    if (size === 0) database.pragma('auto_vacuum = INCREMENTAL')
    database.pragma('journal_mode = WAL')
    requireFullSync(database)
    database.pragma('foreign_keys = ON')
    database.pragma('wal_autocheckpoint = 512')
    database.pragma(`journal_size_limit = ${4 * 1024 * 1024}`)
    if (size <= checkedBytes && !tablesAreWhole(database)) {
      throw new JournalError('damaged', 'The database of this project is damaged.')
    }
    migrate(database, file, now)
    return database
  } catch (error) {
    database.close()
    throw toJournalError(error)
  }
}

/**
 * Checks table by table. A check of the whole database also compares every word of the search with itself, which takes
 * twice as long as all the rest. Only the whole check finds a page that two tables use, unless the file has the map of
 * pages that comes with `auto_vacuum`. The oldest files have none.
 */
function tablesAreWhole(database: Database.Database): boolean {
  if (database.pragma('auto_vacuum', { simple: true }) === 0)
    return database.pragma('quick_check(1)', { simple: true }) === 'ok'
  const tables = database
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
    .pluck()
    .all()
  return ['sqlite_schema', ...tables].every(
    (table) => database.pragma(`quick_check(${table})`, { simple: true }) === 'ok',
  )
}

/**
 * Throws for a file of a newer version. Looks without writing, because a newer version may keep things in the file, or
 * in the log beside it, that this one takes for damage. What cannot be read is left to the real opening.
 */
function refuseNewer(file: string): void {
  let version = 0
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true, timeout: 1000 })
    try {
      version = Number(database.pragma('user_version', { simple: true }))
    } finally {
      database.close()
    }
  } catch {
    return
  }
  if (version > migrations.length)
    throw new JournalError('newer_schema', 'This project was last opened by a newer Coppice; update to open it.')
}

/** After the first write in WAL mode, this build of SQLite falls back to NORMAL unless FULL is set by name. */
function requireFullSync(database: Database.Database): void {
  database.pragma('synchronous = FULL')
  if (database.pragma('synchronous', { simple: true }) !== synchronousFull) {
    throw new Error('SQLite did not take synchronous = FULL.')
  }
}

function migrate(database: Database.Database, file: string, now: () => number): void {
  const version = Number(database.pragma('user_version', { simple: true }))
  const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table'").get() !== undefined
  if (version === 0 && hasTable)
    throw new JournalError('damaged', 'The database file of this project is not one of a project.')
  if (version > 0) requireTablesOf(database, version)
  if (version >= migrations.length) return
  if (version > 0) backUp(database, file, now)
  database
    .transaction(() => {
      migrations.slice(version).forEach((migration, index) => {
        database.exec(migration)
        fills.get(version + index)?.(database)
      })
      database.pragma(`application_id = ${applicationId}`)
      database.pragma(`user_version = ${migrations.length}`)
    })
    .exclusive()
}
