import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Database, { SqliteError } from 'better-sqlite3'
import { JournalError } from '#core/ports/journal.ts'
import { lookAt } from '../../system/look-at.ts'
import { readBounded } from '../../system/read-bounded.ts'
import { closeDatabaseFile, closeToOthers } from './closed-files.ts'
import { toJournalError } from './database-errors.ts'

/**
 * One owner per project. The operating system holds the lock through a small database, so it ends with its process
 * however that ends.
 *
 * A file beside it names the holder: `holder` is this process's name in messages, such as `the Coppice window` or
 * `coppice run`, and `door` is where it takes command lines about the project, null for nowhere. Throws `JournalError`
 * `locked`.
 */
export function acquireProjectLock(
  file: string,
  holder: string,
  now: () => number = Date.now,
  door: HolderDoor | null = null,
): Disposable {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const database = takeLock(file)
  const note: Holder = { holder, pid: process.pid, since: new Date(now()).toISOString(), ...(door && { door }) }
  try {
    writeFileSync(holderFile(file), JSON.stringify(note), { mode: 0o600 })
    closeToOthers(holderFile(file))
  } catch (error) {
    // Nobody would ever give the lock back.
    database.close()
    throw noteError(error)
  }
  return { [Symbol.dispose]: () => void database.close() }
}

/** Whether some process holds the lock now. Does not take it. */
export function isProjectOpen(file: string): boolean {
  if (!existsSync(file)) return false
  let database: Database.Database | undefined
  try {
    database = new Database(file, { readonly: true, timeout: 0 })
    database.prepare('SELECT 1 FROM sqlite_master').get()
    return false
  } catch (error) {
    return error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY')
  } finally {
    database?.close()
  }
}

interface HolderDoor {
  readonly place: string
  readonly token: string
}

interface Holder {
  readonly holder: string
  readonly pid: number
  readonly since: string
  readonly door?: HolderDoor
}

/**
 * Where the process that holds the lock, or held it last, takes command lines. Null for nowhere. Undefined when the holder
 * has not said it yet.
 */
export function doorOfHolder(file: string): HolderDoor | null | undefined {
  const holder = readHolder(file)
  if (!holder) return undefined
  const { place, token } = holder.door ?? {}
  return typeof place === 'string' && typeof token === 'string' ? { place, token } : null
}

function takeLock(file: string): Database.Database {
  let database: Database.Database | undefined
  try {
    closeDatabaseFile(file)
    database = new Database(file, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY')) throw lockedError(file)
    // It holds nothing, and no process that runs could have locked it.
    const isNone = error instanceof SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)
    if (isNone || lookAt(file)?.isFile() === false)
      throw new JournalError(
        'read_only',
        `${file} is no lock of Coppice, so the project was not opened. Move it away: nothing of the project is in it.`,
      )
    throw toJournalError(error)
  }
}

function noteError(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new JournalError(
      'full',
      'The disk of the data folder is full, so the project was not opened. Free some space.',
    )
  return new JournalError('read_only', `The data folder cannot be written, so the project was not opened: ${message}`)
}

function lockedError(file: string): JournalError {
  const note = readHolder(file)
  const where = note ? `in ${note.holder} (process ${note.pid}, since ${note.since})` : 'in another process'
  return new JournalError('locked', `This project is open ${where}. Close it there, or go on there.`)
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readBounded(holderFile(file)).toString('utf8'))
  } catch {
    return undefined
  }
}

function holderFile(file: string): string {
  return `${file}.holder.json`
}
