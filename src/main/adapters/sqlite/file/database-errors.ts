import { lstatSync } from 'node:fs'
import { SqliteError } from 'better-sqlite3'
import { JournalError } from '#core/ports/journal.ts'

const codes: readonly (readonly [prefix: string, code: JournalError['code'], message: string])[] = [
  ['SQLITE_FULL', 'full', 'The disk is full; nothing of this step was stored. Free some space and continue.'],
  ['SQLITE_IOERR_WRITE', 'full', 'The disk did not take the data; nothing of this step was stored.'],
  ['SQLITE_IOERR_FSYNC', 'full', 'The disk did not confirm the data; nothing of this step counts as stored.'],
  // Also a reader needs a small file beside the database, unless another process has made it.
  [
    'SQLITE_IOERR_SHMSIZE',
    'full',
    'The disk of the data folder is full, so the database cannot be opened. Nothing was changed; free some space.',
  ],
  ['SQLITE_READONLY', 'read_only', 'The data folder cannot be written.'],
  ['SQLITE_CANTOPEN', 'read_only', 'The database cannot be opened for writing in the data folder.'],
  ['SQLITE_PERM', 'read_only', 'The data folder cannot be written.'],
  [
    'SQLITE_BUSY',
    'locked',
    'Another program holds the database of this project, or its disk has no locks, as some network shares.',
  ],
  [
    'SQLITE_PROTOCOL',
    'failing',
    'The locks on the disk of the data folder do not work. Nothing was stored; check the disk.',
  ],
  ['SQLITE_NOMEM', 'failing', 'There is not enough memory for the database. Nothing was stored; close some programs.'],
  ['SQLITE_CORRUPT', 'damaged', 'The database of this project is damaged.'],
  ['SQLITE_NOTADB', 'damaged', 'The database file of this project is not a database.'],
  // An error of the disk says nothing about the data. They may be whole, and must stay where they are.
  ['SQLITE_IOERR', 'failing', 'The disk of the data folder answers with errors. Nothing was changed; check the disk.'],
]

/** Runs a database operation. SQLite's errors with a cause outside the program become `JournalError`. */
export function withJournalErrors<Value>(act: () => Value): Value {
  try {
    return act()
  } catch (error) {
    throw toJournalError(error)
  }
}

export function toJournalError(error: unknown): unknown {
  if (!(error instanceof SqliteError)) return error
  const found = codes.find(([prefix]) => error.code.startsWith(prefix))
  return found ? new JournalError(found[1], `${found[2]} (${error.code})`) : error
}

/**
 * A check that the file of an open database is still the one at its path. SQLite goes on writing to one that was removed
 * or replaced, and everything that it stores there is lost. The check throws `JournalError`. A database in memory is always in place.
 */
export function createPlaceCheck(file: string): () => void {
  const opened = file === '' || file === ':memory:' ? undefined : lstatSync(file, { throwIfNoEntry: false })
  if (!opened) return () => undefined
  return () => {
    const now = lstatSync(file, { throwIfNoEntry: false })
    if (now?.ino === opened.ino && now.dev === opened.dev) return
    throw new JournalError(
      'failing',
      `${file} was removed or replaced while the project was open. Nothing of this step was stored. Put the data folder back and open the project again.`,
    )
  }
}
