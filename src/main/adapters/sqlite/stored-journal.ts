import SqliteDatabase from 'better-sqlite3'
import { JournalError } from '#core/ports/journal.ts'
import type { Entry, EntryType } from '#shared/model/entry.ts'
import { withJournalErrors } from './file/database-errors.ts'
import { createEntryReader, type EntryRow, requireTablesOf, selectEntriesOf } from './rows/entry-rows.ts'
import { applicationId, migrations } from './rows/schema.ts'

/** Milliseconds to wait for a program that has the database to itself. Other processes of the app never do for long. */
const waitMs = 200

/** The journal of a project that another process may have open. */
export interface StoredJournal extends Disposable {
  /** The entries of the given types in order, at most `limit` at a time. Throws `JournalError`. */
  pages(limit: number, types: readonly EntryType[]): Iterable<readonly Entry[]>
}

/**
 * Opens a project's database to read it, without the project's lock and without a change to the file. Throws
 * `JournalError` for a file that is locked, damaged or of a newer version.
 */
export function openStoredJournal(file: string): StoredJournal {
  const database = withJournalErrors(
    () => new SqliteDatabase(file, { readonly: true, fileMustExist: true, timeout: waitMs }),
  )
  try {
    const select = withJournalErrors(() => selectEntriesOf(requireProject(database)))
    const reader = withJournalErrors(() => createEntryReader(database))
    return {
      *pages(limit, types) {
        const read = withJournalErrors(() =>
          database.prepare<[number, string, number], EntryRow>(
            `${select} WHERE sequence > ? AND type IN (SELECT value FROM json_each(?))
             ORDER BY sequence LIMIT ?`,
          ),
        )
        for (let after = 0; ; ) {
          const rows = withJournalErrors(() => read.all(after, JSON.stringify(types), limit))
          yield reader.read(rows)
          const last = rows.at(-1)
          if (!last || rows.length < limit) return
          after = last.sequence
        }
      },
      [Symbol.dispose]: () => void database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Returns the version of its schema. Throws `JournalError` for a file that is no project's, or says a wrong version. */
export function requireProject(database: SqliteDatabase.Database): number {
  const [version, application] = ['user_version', 'application_id'].map((name) =>
    Number(database.pragma(name, { simple: true })),
  )
  if (application !== applicationId)
    throw new JournalError('damaged', 'The database file of this project is not one of a project.')
  if ((version ?? 0) > migrations.length)
    throw new JournalError('newer_schema', 'This project was last opened by a newer Coppice; update to open it.')
  requireTablesOf(database, version ?? 0)
  return version ?? 0
}
