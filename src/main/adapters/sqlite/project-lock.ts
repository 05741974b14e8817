import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database, { SqliteError } from 'better-sqlite3'
import { JournalError } from '#core/ports/journal.ts'
import { toJournalError } from './database-errors.ts'

export interface LockOptions {
  /** The lock's own file, beside the database. */
  readonly file: string
  /** What the lock protects, as people know it. */
  readonly project: string
  /** `desktop`, `web` or `cli`: named to whoever comes second. */
  readonly shell: string
  readonly now: () => number
}

/**
 * One owner per project. The lock is the operating system's, held through a small database of its own, so it ends with
 * its process however that ends. Who holds it is told by a file beside it, which nobody trusts for more than a message.
 */
export function acquireProjectLock(options: LockOptions): Disposable {
  mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 })
  const database = takeLock(options)
  const holder = { pid: process.pid, shell: options.shell, since: new Date(options.now()).toISOString() }
  writeFileSync(holderFile(options.file), JSON.stringify(holder), { mode: 0o600 })
  return { [Symbol.dispose]: () => void database.close() }
}

function takeLock(options: LockOptions): Database.Database {
  let database: Database.Database | undefined
  try {
    database = new Database(options.file, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY')) throw lockedError(options)
    throw toJournalError(error)
  }
}

function lockedError({ file, project }: LockOptions): JournalError {
  const holder = readHolder(file)
  const where = holder ? `in ${holder.shell} (process ${holder.pid}) since ${holder.since}` : 'in another process'
  return new JournalError('locked', `${project} is open ${where}. Close it there, or work there.`)
}

function readHolder(
  file: string,
): { readonly pid: number; readonly shell: string; readonly since: string } | undefined {
  try {
    return JSON.parse(readFileSync(holderFile(file), 'utf8'))
  } catch {
    return undefined
  }
}

function holderFile(file: string): string {
  return `${file}.holder.json`
}
