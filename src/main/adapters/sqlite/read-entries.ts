import { existsSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import type { Hashing } from '#core/ports/hashing.ts'
import type { Entry } from '#shared/model/entry.ts'
import { toJournalError, withJournalErrors } from './file/database-errors.ts'
import type { ProjectDatabase } from './project-database.ts'
import { createEntryReader, type EntryRow, selectEntriesOf } from './rows/entry-rows.ts'
import { migrations } from './rows/schema.ts'
import { createSqliteFolds } from './sqlite-folds.ts'
import { createSqliteJournal } from './sqlite-journal.ts'
import { requireProject } from './stored-journal.ts'

/**
 * A project's database as it was at one moment, although another process may write it meanwhile. Nothing can be written to
 * it.
 */
export interface StoredProject extends Disposable, Pick<ProjectDatabase, 'journal' | 'folds'> {}

/**
 * Opens a project's database to read it, even while another process holds it. Null when the file is missing, is being
 * created, or is of an older version. Throws `JournalError` for one that cannot be read.
 */
export function openStoredProject(file: string, hashing: Hashing): StoredProject | null {
  const database = openToRead(file)
  if (database === null) return null
  try {
    // Otherwise a thread could be read with entries that came after the last one of the project.
    database.exec('BEGIN')
    if (requireProject(database) !== migrations.length) {
      database.close()
      return null
    }
    return {
      journal: createSqliteJournal(database, { now: () => 0, sleep: async () => undefined }, []),
      folds: createSqliteFolds(database, hashing),
      [Symbol.dispose]: () => void database.close(),
    }
  } catch (error) {
    database.close()
    throw toJournalError(error)
  }
}

/**
 * The entries of a project's database after a sequence, even while another process holds it. Empty when the file is
 * missing or is being created. Throws `JournalError` for one that cannot be read.
 */
export function readStoredEntries(file: string, after = 0): readonly Entry[] {
  const database = openToRead(file)
  if (database === null) return []
  try {
    return withJournalErrors(() => {
      const select = selectEntriesOf(requireProject(database))
      const rows = database.prepare<[number], EntryRow>(`${select} WHERE sequence > ? ORDER BY sequence`).all(after)
      return createEntryReader(database).read(rows)
    })
  } finally {
    database.close()
  }
}

/** Null for a file that is missing, or that nothing was written to yet. */
function openToRead(file: string): SqliteDatabase.Database | null {
  if (!existsSync(file)) return null
  return withJournalErrors(() => {
    const database = new SqliteDatabase(file, { readonly: true })
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entries'").get()) return database
    database.close()
    return null
  })
}
