import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { JournalError } from '#core/ports/journal.ts'
import type { UserMemoryStore, UserMemoryWrite } from '#core/ports/stores/user-memories.ts'
import { chain } from '#shared/base/chain.ts'
import { LayeredMap } from '#shared/base/layered-map.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import type { Memory, MemoryVersion } from '#shared/model/memory.ts'
import { moveAside } from './file/backups.ts'
import { closeDatabaseFile } from './file/closed-files.ts'
import { openTwice, requireReadable } from './file/confirm-damage.ts'
import { toJournalError } from './file/database-errors.ts'

export interface UserMemoryDatabase extends UserMemoryStore, Disposable {}

export interface UserMemoryOptions {
  readonly file: string
  readonly now: () => number
  /** Called with the new path of a damaged store. */
  readonly onMovedAside: (path: string) => void
}

const schemaVersion = 1
const schema = `
  CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    text TEXT,
    at INTEGER NOT NULL,
    project_id TEXT NOT NULL,
    project_name TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    agent TEXT,
    call_id TEXT,
    restores INTEGER
  ) STRICT;
  CREATE INDEX versions_by_name ON versions (name, at, id);
  CREATE TABLE uses (name TEXT PRIMARY KEY, at INTEGER NOT NULL, thread_id TEXT NOT NULL) STRICT;
`
/** Milliseconds that a write waits for another process. */
const patience = 2_000

/** Counts the commits of other connections. Prepared once for each, because every call of an agent asks. */
function createDataVersion(): (database: Database.Database) => number {
  const prepared = new WeakMap<Database.Database, Database.Statement<[], number>>()
  return (database) => {
    const statement = prepared.get(database) ?? database.prepare<[], number>('PRAGMA data_version').pluck()
    prepared.set(database, statement)
    return statement.get() ?? 0
  }
}

/**
 * Opens or creates the memories for all projects. A damaged file is moved aside under a dated name, never emptied. A
 * store that cannot be opened says so in `problem`, and the next use tries again.
 */
export function openUserMemories({ file, now, onMovedAside }: UserMemoryOptions): UserMemoryDatabase {
  let database: Database.Database | null = null
  let opened = nothingThere
  let problem: string | null = null
  let seen = { version: -1, memories: LayeredMap.empty<string, Memory>() }
  const dataVersion = createDataVersion()

  function open(): Database.Database {
    // Another process may have moved a damaged file aside, and nobody reads what is written there.
    if (database?.open && opened === fileId(file)) return database
    database?.close()
    database = openTwice(() => prepare(file))
    if (!database) {
      requireReadable(file)
      onMovedAside(moveAside(file, now))
      database = prepare(file)
    }
    opened = fileId(file)
    seen = { version: -1, memories: LayeredMap.empty() }
    return database
  }

  /** Throws `JournalError` and remembers why. */
  function attempt<Value>(act: (database: Database.Database) => Value): Value {
    try {
      const value = act(open())
      problem = null
      return value
    } catch (thrown) {
      const error = toJournalError(thrown)
      if (!(error instanceof JournalError)) throw error
      problem = words[error.code]
      if (error.code === 'damaged') database?.close()
      throw new JournalError(error.code, words[error.code])
    }
  }

  /** The value, or `otherwise` when the store cannot be used now. */
  function attemptRead<Value>(act: (database: Database.Database) => Value, otherwise: Value): Value {
    try {
      return attempt(act)
    } catch (error) {
      if (error instanceof JournalError) return otherwise
      throw error
    }
  }

  return {
    current: () =>
      attemptRead((current) => {
        // Own commits reset what was seen.
        const version = dataVersion(current)
        if (version !== seen.version) seen = { version, memories: readMemories(current) }
        return seen.memories
      }, LayeredMap.empty()),
    textOf: (name, version) =>
      attemptRead((current) => {
        const row = current.prepare('SELECT text FROM versions WHERE id = ? AND name = ?').get(version, name)
        return (row as { text: string | null } | undefined)?.text ?? null
      }, null),
    findVersion: (key) =>
      attemptRead((current) => {
        const row = current.prepare('SELECT id FROM versions WHERE key = ?').get(key)
        return (row as { id: Sequence } | undefined)?.id ?? null
      }, null),
    problem() {
      attemptRead(dataVersion, null)
      return problem
    },
    record: (writes, arrival) =>
      attempt((current) => {
        current.transaction(() => recordAll(current, writes, arrival)).immediate()
        seen = { ...seen, version: -1 }
      }),
    recordUse: ({ names, at, threadId }) =>
      attempt((current) => {
        const put = current.prepare(
          `INSERT INTO uses (name, at, thread_id) VALUES (?, ?, ?)
           ON CONFLICT (name) DO UPDATE SET at = excluded.at, thread_id = excluded.thread_id WHERE excluded.at >= at`,
        )
        current
          .transaction(() => {
            for (const name of names) put.run(name, at, threadId)
          })
          .immediate()
        seen = { ...seen, version: -1 }
      }),
    [Symbol.dispose]: () => void database?.close(),
  }
}

const words: Readonly<Record<JournalError['code'], string>> = {
  locked: 'Another program holds the memories for all projects. Close it, or try again in a moment.',
  full: 'The disk is full, so the memories for all projects cannot be stored. Free some space and try again.',
  read_only: 'The memories for all projects cannot be written: the data folder is read-only.',
  failing: 'The memories for all projects cannot be used: the disk of the data folder answers with errors.',
  damaged: 'The store of the memories for all projects is damaged. The next use moves it aside and starts a new one.',
  newer_schema: 'A newer Coppice wrote the memories for all projects. Update Coppice to use them.',
}

const nothingThere = -1

/** Tells a file from another one that takes its name. */
function fileId(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? nothingThere
}

function prepare(file: string): Database.Database {
  let database: Database.Database | null = null
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const isNew = !existsSync(file) || statSync(file).size === 0
    closeDatabaseFile(file)
    database = new Database(file, { timeout: patience })
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    if (!isNew && database.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new JournalError('damaged', words.damaged)
    migrate(database)
    return database
  } catch (error) {
    database?.close()
    throw toJournalError(error)
  }
}

/** Two processes may create the store at the same time. */
function migrate(database: Database.Database): void {
  database
    .transaction(() => {
      const version = Number(database.pragma('user_version', { simple: true }))
      if (version > schemaVersion) throw new JournalError('newer_schema', words.newer_schema)
      if (version === schemaVersion) return
      database.exec(schema)
      database.pragma(`user_version = ${schemaVersion}`)
    })
    .immediate()
}

function recordAll(database: Database.Database, writes: readonly UserMemoryWrite[], arrival: 'now' | 'late'): void {
  const latest = database.prepare('SELECT max(at) AS at FROM versions WHERE name = ?')
  const put = database.prepare(
    `INSERT OR IGNORE INTO versions
       (key, name, text, at, project_id, project_name, thread_id, agent, call_id, restores)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  for (const { key, name, text, at, project, threadId, agent, callId, restores } of writes) {
    const late = arrival === 'late'
    const newest = late ? 0 : ((latest.get(name) as { at: number | null }).at ?? 0)
    // The ids of a store that was lost mean nothing in the new one.
    const source = late ? null : restores
    put.run(key, name, text, Math.max(at, newest), project.id, project.name, threadId, agent, callId, source)
  }
}

/** A row without its text. */
interface VersionRow {
  readonly id: Sequence
  readonly name: string
  readonly length: number | null
  readonly at: number
  readonly project_id: string
  readonly project_name: string
  readonly thread_id: ThreadId
  readonly agent: string | null
  readonly call_id: string | null
  readonly restores: Sequence | null
}

function readMemories(database: Database.Database): LayeredMap<string, Memory> {
  const read = database.transaction(() => ({
    rows: database
      .prepare(
        `SELECT id, name, length(text) AS length, at, project_id, project_name, thread_id, agent, call_id, restores
         FROM versions ORDER BY name, at, id`,
      )
      .all() as readonly VersionRow[],
    texts: new Map(
      database
        .prepare(
          `SELECT name, text FROM versions AS one WHERE id =
             (SELECT id FROM versions WHERE name = one.name ORDER BY at DESC, id DESC LIMIT 1)`,
        )
        .raw()
        .all() as readonly [string, string | null][],
    ),
    uses: new Map(
      (
        database.prepare('SELECT name, at, thread_id FROM uses').raw().all() as readonly [string, number, ThreadId][]
      ).map(([name, at, threadId]) => [name, { at, threadId }] as const),
    ),
  }))
  const { rows, texts, uses } = read()
  return rows.reduce((known, row) => {
    const before = known.get(row.name)?.versions ?? null
    const versions = chain(before, versionOf(row, (before?.length ?? 0) + 1))
    return known.with(row.name, {
      name: row.name,
      text: texts.get(row.name) ?? null,
      versions,
      used: uses.get(row.name) ?? null,
    })
  }, LayeredMap.empty<string, Memory>())
}

function versionOf(row: VersionRow, number: number): MemoryVersion {
  return {
    sequence: row.id,
    number,
    at: row.at,
    threadId: row.thread_id,
    agent: row.agent,
    callId: row.call_id as MemoryVersion['callId'],
    length: row.length,
    restores: row.restores,
    project: { id: row.project_id as NonNullable<MemoryVersion['project']>['id'], name: row.project_name },
  }
}
