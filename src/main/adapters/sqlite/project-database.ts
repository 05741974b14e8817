import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Hashing } from '#core/ports/hashing.ts'
import type { Journal } from '#core/ports/journal.ts'
import type { ScratchStore } from '#core/ports/scratch-store.ts'
import type { Clock } from '#shared/base/clock.ts'
import { openDatabase } from './open-database.ts'
import { createSqliteBlobs } from './sqlite-blobs.ts'
import { createSqliteJournal } from './sqlite-journal.ts'
import { createSqliteScratch } from './sqlite-scratch.ts'

export interface ProjectDatabase extends Disposable {
  readonly journal: Journal
  readonly blobs: BlobStore
  readonly scratch: ScratchStore
  /** Where a damaged database was moved when this one was opened; people are told. */
  readonly movedAside: string | null
}

/** Everything durable of one project behind one connection. Take the project's lock first. Throws `JournalError`. */
export function openProjectDatabase(options: {
  readonly file: string
  readonly clock: Clock
  readonly hashing: Hashing
}): ProjectDatabase {
  const { database, movedAside } = openDatabase(options.file, () => options.clock.now())
  const blobs = createSqliteBlobs(database, options.hashing)
  return {
    journal: createSqliteJournal(database, options.clock, blobs),
    blobs: blobs.store,
    scratch: createSqliteScratch(database, options.clock),
    movedAside,
    [Symbol.dispose]: () => void database.close(),
  }
}
