import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { closedFile, closedFolder, closeToOthers } from '#adapters/sqlite/file/closed-files.ts'
import { mayLookInto } from '#adapters/system/look-at.ts'
import { watchModeOf } from '#adapters/watch/watch-mode.ts'
import { diskReason } from '#shared/base/disk-errors.ts'

/** A place that cannot hold the app's data. The message names it, and says what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError'
}

/**
 * Makes the data folder if it is missing, tries to write in it, and closes everything in it to other users, whatever it
 * was before. Returns what a person should know about the place, in sentences. Throws `DataFolderError`.
 */
export function prepareDataFolder(folder: string, isOnNetwork = pollsChanges): readonly string[] {
  const place = resolve(folder)
  checkDataFolder(place)
  try {
    makeFolders(place)
    tryToWrite(place)
    closeDataFolder(place)
  } catch (error) {
    throw unusable(place, error)
  }
  return isOnNetwork(place) ? [networkWarning(place)] : []
}

/** True on file systems of a network, whose changes the watcher has to poll for. */
function pollsChanges(place: string): boolean {
  return watchModeOf(place, {}) === 'polling'
}

/** Not with `recursive`: below /proc, where folders exist and none can be made, Node would try without end. */
function makeFolders(place: string): void {
  if (statSync(place, { throwIfNoEntry: false })) return
  if (dirname(place) !== place) makeFolders(dirname(place))
  try {
    mkdirSync(place, { mode: closedFolder })
  } catch (error) {
    // Another process may have made it at the same time.
    if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
  }
}

/** Folders that keep copies of a project, whose modes belong to it. The closed folder above keeps others out. */
const copies: ReadonlySet<string> = new Set(['views', 'environments', 'temporary', 'programs', 'demo'])
const projects = 'projects'

/** Closes the folder, its files, and those of its projects. */
function closeDataFolder(folder: string): void {
  closeToOthers(folder)
  for (const { name, parentPath } of readdirSync(folder, { withFileTypes: true })) {
    closeToOthers(join(parentPath, name))
    if (name !== projects) continue
    for (const project of readdirSync(join(folder, projects))) closeProjectFolder(join(folder, projects, project))
  }
}

function closeProjectFolder(folder: string): void {
  if (!lstatSync(folder).isDirectory()) return
  closeToOthers(folder)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = join(folder, entry.name)
    closeToOthers(place)
    if (!entry.isDirectory() || copies.has(entry.name)) continue
    if (entry.name === 'folders') {
      // Each other folder of the project has there what the first one has here.
      for (const own of readdirSync(place)) closeProjectFolder(join(place, own))
      continue
    }
    for (const below of readdirSync(place, { recursive: true })) closeToOthers(join(place, String(below)))
  }
}

/** Refuses a place that can never be the data folder, or is closed to this user. Makes nothing. Throws `DataFolderError`. */
export function checkDataFolder(folder: string): void {
  const place = resolve(folder)
  if (place.includes('\0'))
    throw new DataFolderError('The data folder has a zero byte in its name. Choose another with --data-dir.')
  const found = lookAt(place)
  if (found === undefined) return
  const target = lookAt(place, statSync)
  if (target === undefined) throw refusal(place, `is a link to ${readlinkSync(place)}, and nothing is there`)
  if (!target.isDirectory()) throw refusal(place, 'is a file')
  const closed = 'may not be read with your rights'
  if (!mayLookInto(place)) throw refusal(place, closed)
  const stored = join(place, projects)
  if (lookAt(stored) && lookAt(stored, statSync)?.isDirectory() !== true)
    throw refusal(place, `has something at "${projects}" that is no folder; move it away`)
  if (lookAt(stored) && !mayLookInto(stored)) throw refusal(place, closed)
}

function lookAt(place: string, look: typeof statSync | typeof lstatSync = lstatSync): Stats | undefined {
  try {
    return look(place, { throwIfNoEntry: false })
  } catch (error) {
    throw unusable(place, error)
  }
}

/** Writes a small file to the disk and removes it again. */
function tryToWrite(place: string): void {
  const file = join(place, `.try-${randomUUID().slice(0, 8)}`)
  const descriptor = openSync(file, 'wx', closedFile)
  try {
    writeSync(descriptor, 'x')
    syncIfPossible(descriptor)
  } finally {
    closeSync(descriptor)
    rmSync(file, { force: true })
  }
}

/** Some network shares cannot sync a file; the database says so by itself if it cannot live there. */
function syncIfPossible(descriptor: number): void {
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if (!['EBADF', 'EINVAL', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** What some errors mean here, where they mean something else than elsewhere. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'this place holds no files of yours',
  EEXIST: 'something else is there',
}

function unusable(place: string, error: unknown): DataFolderError {
  if (error instanceof DataFolderError) return error
  const { code = '' } = error as NodeJS.ErrnoException
  return refusal(place, `cannot be used: ${reasons[code] ?? diskReason(error)}`)
}

function refusal(place: string, why: string): DataFolderError {
  const shown = place.length > 200 ? `${place.slice(0, 200)}…` : place
  return new DataFolderError(`The data folder ${shown} ${why}. Choose another with --data-dir or COPPICE_DATA_DIR.`)
}

function networkWarning(place: string): string {
  return `The data folder ${place} is on a network share. Locks and confirmed writes may not hold there, so use it from one machine only, or choose a folder on a disk of this machine with --data-dir.`
}
