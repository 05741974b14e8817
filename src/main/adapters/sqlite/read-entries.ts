import { existsSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import type { Entry } from '#shared/model/entry.ts'
import { createEntryReader, type EntryRow } from './entry-rows.ts'

/**
 * All entries of a project's database, even while another process holds it. Empty when the file is missing or
 * unreadable.
 */
export function readStoredEntries(file: string): readonly Entry[] {
  if (!existsSync(file)) return []
  const database = new SqliteDatabase(file, { readonly: true })
  try {
    const rows = database.prepare<[], EntryRow>('SELECT * FROM entries ORDER BY sequence').all()
    return createEntryReader(database).read(rows, true)
  } catch {
    // The database is being created, or is not one. It has no threads to list, and opening the project says why.
    return []
  } finally {
    database.close()
  }
}
