import { existsSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import type { Entry } from '#shared/model/entry.ts'
import { type EntryRow, toEntry } from './sqlite-journal.ts'

/** All entries of a project's database, read beside whoever holds it. Nothing when it is not there or not readable. */
export function readStoredEntries(file: string): readonly Entry[] {
  if (!existsSync(file)) return []
  const database = new SqliteDatabase(file, { readonly: true })
  try {
    return database.prepare<[], EntryRow>('SELECT * FROM entries ORDER BY sequence').all().map(toEntry)
  } catch {
    // A database that is being made, or is not one: it has no threads to list, and opening the project says why.
    return []
  } finally {
    database.close()
  }
}
