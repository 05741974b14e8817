import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database, { SqliteError } from 'better-sqlite3'
import { type SharedText, type SharedTexts, SharedTextsError } from '#core/ports/stores/shared-texts.ts'
import type { Clock } from '#shared/base/clock.ts'
import { closeDatabaseFile } from './file/closed-files.ts'

/** How long a process waits for another one. A commit takes milliseconds. */
const waitMs = 5000
const schemaVersion = 1

const schema = `
  CREATE TABLE IF NOT EXISTS texts (
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, modified INTEGER NOT NULL, bytes BLOB NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS versions (last INTEGER NOT NULL);
  INSERT INTO versions (last) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM versions);
  PRAGMA user_version = ${schemaVersion};
`

/**
 * The texts of all projects in one database, which only the person may read. It is opened at the first use, so that a
 * problem with it concerns only those who need it.
 */
export function openSharedTexts(file: string, clock: Clock): SharedTexts & Disposable {
  let opened: Opened | undefined
  const use = <Value>(act: (open: Opened) => Value): Value => {
    try {
      opened ??= open(file)
      return act(opened)
    } catch (error) {
      throw error instanceof SqliteError ? unavailable(error.code) : error
    }
  }
  return {
    list: () => use(({ list }) => list.all()),
    read: (name) =>
      use(({ read }) => {
        const bytes = read.get(name)
        return bytes && new Uint8Array(bytes)
      }),
    commit: (changes) =>
      use(({ database, versionOf, nextVersion, write, remove }) =>
        database
          .transaction(() => {
            for (const { name, bytes, from } of changes) {
              if ((versionOf.get(name) ?? null) !== from) throw movedOn(name)
              if (bytes === null) remove.run(name)
              else write.run(name, nextVersion.get() ?? 0, clock.now(), bytes)
            }
          })
          .immediate(),
      ),
    [Symbol.dispose]: () => opened?.database.close(),
  }
}

type Opened = ReturnType<typeof open>

function open(file: string) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeDatabaseFile(file)
  const database = new Database(file, { timeout: waitMs })
  try {
    switchToWal(database)
    database.pragma('synchronous = FULL')
    if (Number(database.pragma('user_version', { simple: true })) > schemaVersion) {
      throw new SharedTextsError('unavailable', 'The texts of all projects were written by a newer Coppice. Update it.')
    }
    database.transaction(() => database.exec(schema)).immediate()
    return {
      database,
      list: database.prepare<[], SharedText>('SELECT name, length(bytes) AS size, modified, version FROM texts'),
      read: database.prepare<[string], Uint8Array>('SELECT bytes FROM texts WHERE name = ?').pluck(),
      versionOf: database.prepare<[string], number>('SELECT version FROM texts WHERE name = ?').pluck(),
      nextVersion: database.prepare<[], number>('UPDATE versions SET last = last + 1 RETURNING last').pluck(),
      write: database.prepare<[string, number, number, Uint8Array]>(
        'INSERT OR REPLACE INTO texts (name, version, modified, bytes) VALUES (?, ?, ?, ?)',
      ),
      remove: database.prepare<[string]>('DELETE FROM texts WHERE name = ?'),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

const pauseMs = 5

/** SQLite does not wait for its lock when it changes the mode, so two processes that make the file at once would fail. */
function switchToWal(database: Database.Database): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = 0; ; waited += pauseMs) {
    try {
      database.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (!(error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY')) || waited >= waitMs) throw error
      Atomics.wait(pause, 0, 0, pauseMs)
    }
  }
}

function movedOn(name: string): SharedTextsError {
  const message = `${name} was changed by another project or process meanwhile, so nothing was written. Read it again and repeat the change.`
  return new SharedTextsError('moved_on', message)
}

function unavailable(code: string): SharedTextsError {
  const why = code.startsWith('SQLITE_BUSY') ? 'Another process holds them.' : 'Their database cannot be used.'
  return new SharedTextsError('unavailable', `The texts of all projects are not available (${code}). ${why}`)
}
