import { existsSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import type { Entry } from '#shared/model/entry.ts'
import { createEntryReader, type EntryRow } from './entry-rows.ts'

/**
 * The entries of a project's database after a sequence, even while another process holds it. Empty when the file is
 * missing or unreadable.
 */
export function readStoredEntries(file: string, after = 0): readonly Entry[] {
  if (!existsSync(file)) return []
  const database = new SqliteDatabase(file, { readonly: true })
  try {
    const rows = database
      .prepare<[number], EntryRow>('SELECT * FROM entries WHERE sequence > ? ORDER BY sequence')
      .all(after)
    return createEntryReader(database).read(rows, true)
  } catch {
    // The database is being created, or is not one. It has no threads to list, and opening the project says why.
    return []
  } finally {
    database.close()
  }
}
