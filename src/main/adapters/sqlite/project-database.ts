import type { Database } from 'better-sqlite3'
import type { BlobCollector, BlobStore } from '#core/ports/blob-store.ts'
import type { Hashing } from '#core/ports/hashing.ts'
import type { Journal } from '#core/ports/journal.ts'
import type { FoldStore } from '#core/ports/stores/fold-store.ts'
import type { ScratchStore } from '#core/ports/stores/scratch-store.ts'
import type { Clock } from '#shared/base/clock.ts'
import { backUpDaily } from './file/backups.ts'
import { withJournalErrors } from './file/database-errors.ts'
import { type OpenedDatabase, openDatabase } from './open-database.ts'
import { createEntryReader } from './rows/entry-rows.ts'
import { createThreadKeys } from './rows/thread-keys.ts'
import { createSqliteBlobs } from './sqlite-blobs.ts'
import { createSqliteFolds } from './sqlite-folds.ts'
import { createSqliteJournal } from './sqlite-journal.ts'
import { createSqliteScratch } from './sqlite-scratch.ts'

export interface ProjectDatabase extends Disposable {
  readonly journal: Journal
  /** What the next opening may begin with, in place of reading every entry. */
  readonly folds: FoldStore
  readonly blobs: BlobStore
  readonly scratch: ScratchStore
  readonly collector: BlobCollector
  readonly sizes: () => DatabaseSizes
  /** Returns up to this many free bytes to the system. False when there are no more. */
  readonly shrink: (bytes: number) => boolean
  /** New path of a damaged database that was moved aside on opening, for the person. Null when it was not damaged. */
  readonly movedAside: string | null
  readonly lastBackup: string | null
  /** Copies the database beside itself, at most once a day. Resolves to whether it did. */
  readonly backUpDaily: () => Promise<boolean>
}

/** Everything durable of one project, over one connection. Take the project's lock first. Throws `JournalError`. */
export function openProjectDatabase(options: {
  readonly file: string
  readonly clock: Clock
  readonly hashing: Hashing
}): ProjectDatabase {
  const opened = openDatabase(options.file, () => options.clock.now())
  try {
    return withJournalErrors(() => partsOf(options, opened))
  } catch (error) {
    opened.database.close()
    throw error
  }
}

function partsOf(
  options: Parameters<typeof openProjectDatabase>[0],
  { database, movedAside, lastBackup }: OpenedDatabase,
): ProjectDatabase {
  const blobs = createSqliteBlobs(database, options.hashing)
  const keys = createThreadKeys(database)
  const scratch = createSqliteScratch(database, options.clock, keys)
  const reader = createEntryReader(database)
  return {
    journal: createSqliteJournal(database, options.clock, [blobs, scratch], keys, reader),
    folds: createSqliteFolds(database, options.hashing),
    blobs: blobs.store,
    scratch: scratch.store,
    collector: blobs.collector,
    sizes: () => sizesOf(database),
    shrink: (bytes) => shrink(database, bytes),
    movedAside,
    lastBackup,
    backUpDaily: () => backUpDaily(database, options.file, () => options.clock.now()),
    [Symbol.dispose]() {
      if (!database.open) return
      reader.close()
      database.close()
    },
  }
}

/** Sizes of a project's database, in bytes. */
export interface DatabaseSizes {
  readonly total: number
  /** Space of removed data. It is used again before the file grows. */
  readonly free: number
}

function sizesOf(database: Database): DatabaseSizes {
  return withJournalErrors(() => {
    const pageSize = pragma(database, 'page_size')
    return { total: pragma(database, 'page_count') * pageSize, free: pragma(database, 'freelist_count') * pageSize }
  })
}

function shrink(database: Database, bytes: number): boolean {
  return withJournalErrors(() => {
    const before = pragma(database, 'freelist_count')
    if (before === 0) return false
    database.exec(`PRAGMA incremental_vacuum(${Math.max(1, Math.floor(bytes / pragma(database, 'page_size')))})`)
    return pragma(database, 'freelist_count') < before
  })
}

function pragma(database: Database, name: string): number {
  return Number(database.pragma(name, { simple: true }))
}
