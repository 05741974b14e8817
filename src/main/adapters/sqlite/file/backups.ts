import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { closeDatabaseFile, closeToOthers } from './closed-files.ts'

const dayMs = 24 * 60 * 60 * 1000
const pagesAtOnce = 200

/** Makes a whole copy at once in the file's own folder. Call before a change that cannot be undone. */
export function backUp(database: Database.Database, file: string, now: () => number): void {
  const target = nameOf(database, file, now)
  rmSync(`${target}.part`, { force: true })
  closeDatabaseFile(`${target}.part`)
  database.prepare('VACUUM INTO ?').run(`${target}.part`)
  renameSync(`${target}.part`, target)
}

/**
 * Copies the database piece by piece while it is used, at most once a day. The copy replaces earlier ones, except one
 * that was made before an update. Returns whether it made one.
 */
export async function backUpDaily(database: Database.Database, file: string, now: () => number): Promise<boolean> {
  const last = lastBackupOf(file)
  const age = last === null ? dayMs : now() - madeAt(last)
  // A backup of a time to come was made while the clock was wrong. It must not stand in for the next ones.
  if (age >= 0 && age < dayMs) return false
  const target = nameOf(database, file, now)
  closeDatabaseFile(`${target}.part`)
  await database.backup(`${target}.part`, { progress: () => pagesAtOnce })
  renameSync(`${target}.part`, target)
  const ofThisSchema = `${file}.v${versionOf(database)}-`
  for (const older of backupsOf(file)) {
    if (older !== target && older.startsWith(ofThisSchema)) rmSync(older, { force: true })
  }
  return true
}

export function lastBackupOf(file: string): string | null {
  return (
    backupsOf(file)
      .toSorted((one, other) => madeAt(one) - madeAt(other))
      .at(-1) ?? null
  )
}

/** Milliseconds since the Unix epoch, read from the end of a backup's name. */
export function madeAt(backup: string): number {
  const stamp = /-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.backup$/.exec(backup)
  return stamp ? Date.parse(`${stamp[1]}:${stamp[2]}:${stamp[3]}`) : 0
}

/** Replaces a database that nobody has open by a backup. The old file is moved aside, never lost. */
export function restoreBackup(file: string, backup: string, now: () => number): void {
  moveAside(file, now)
  copyFileSync(backup, `${file}.part`)
  closeToOthers(`${file}.part`)
  renameSync(`${file}.part`, file)
}

/** Returns the file's new path. */
export function moveAside(file: string, now: () => number): string {
  const target = `${file}.damaged-${stamp(now)}`
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${target}${suffix}`)
  }
  return target
}

function backupsOf(file: string): readonly string[] {
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(`${basename(file)}.v`) && name.endsWith('.backup'))
    .map((name) => join(dirname(file), name))
}

function nameOf(database: Database.Database, file: string, now: () => number): string {
  return `${file}.v${versionOf(database)}-${stamp(now)}.backup`
}

function versionOf(database: Database.Database): number {
  return Number(database.pragma('user_version', { simple: true }))
}

function stamp(now: () => number): string {
  return new Date(now()).toISOString().replaceAll(':', '-')
}
