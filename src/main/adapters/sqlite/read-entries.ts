import { existsSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import type { Hashing } from '#core/ports/hashing.ts'
import type { Entry } from '#shared/model/entry.ts'
import { createEntryReader, type EntryRow, selectEntriesOf } from './entry-rows.ts'
import type { ProjectDatabase } from './project-database.ts'
import { migrations } from './schema.ts'
import { createSqliteFolds } from './sqlite-folds.ts'
import { createSqliteJournal } from './sqlite-journal.ts'

/**
 * A project's database as it was at one moment, although another process may write it meanwhile. Nothing can be written to
 * it.
 */
export interface StoredProject extends Disposable, Pick<ProjectDatabase, 'journal' | 'folds'> {}

/**
 * Opens a project's database to read it, even while another process holds it. Null when the file is missing, unreadable
 * or not of this version.
 */
export function openStoredProject(file: string, hashing: Hashing): StoredProject | null {
  if (!existsSync(file)) return null
  const database = new SqliteDatabase(file, { readonly: true })
  try {
    // Otherwise a thread could be read with entries that came after the last one of the project.
    database.exec('BEGIN')
    if (Number(database.pragma('user_version', { simple: true })) !== migrations.length)
      throw new Error('Other version')
    return {
      journal: createSqliteJournal(database, { now: () => 0, sleep: async () => undefined }, []),
      folds: createSqliteFolds(database, hashing),
      [Symbol.dispose]: () => void database.close(),
    }
  } catch {
    database.close()
    return null
  }
}

/**
 * The entries of a project's database after a sequence, even while another process holds it. Empty when the file is
 * missing or unreadable.
 */
export function readStoredEntries(file: string, after = 0): readonly Entry[] {
  if (!existsSync(file)) return []
  const database = new SqliteDatabase(file, { readonly: true })
  try {
    const select = selectEntriesOf(Number(database.pragma('user_version', { simple: true })))
    const rows = database.prepare<[number], EntryRow>(`${select} WHERE sequence > ? ORDER BY sequence`).all(after)
    return createEntryReader(database).read(rows)
  } catch {
    // The database is being created, or is not one. It has no threads to list, and opening the project says why.
    return []
  } finally {
    database.close()
  }
}
