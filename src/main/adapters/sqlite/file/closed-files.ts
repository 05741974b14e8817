import { chmodSync, closeSync, lstatSync, openSync, type Stats } from 'node:fs'

/** Modes of what only its owner may see. */
export const closedFile = 0o600
export const closedFolder = 0o700

const besideDatabase = ['-wal', '-shm', '-journal']

/**
 * Makes the file of a database if it is missing, and closes it and the files that SQLite keeps beside it to other users,
 * whatever they were before. SQLite gives new files beside it the mode of this one, whatever the umask is.
 */
export function closeDatabaseFile(file: string): void {
  makeFile(file)
  for (const name of [file, ...besideDatabase.map((ending) => file + ending)]) closeToOthers(name)
}

/** SQLite says by itself why a place cannot be used. */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', closedFile))
  } catch {}
}

/**
 * Takes all rights of other users from a file or folder. A link, and what belongs to somebody else, stay as they are.
 * Does nothing where nothing is. It goes by name and never opens the file: to close a descriptor of a database would
 * end the locks that this process holds on it. So close the folder above first.
 */
export function closeToOthers(location: string): void {
  const stats = lookAt(location)
  if (!stats?.isFile() && !stats?.isDirectory()) return
  const mode = stats.isDirectory() ? closedFolder : closedFile
  if ((stats.mode & 0o7777) === mode) return
  try {
    chmodSync(location, mode)
  } catch (error) {
    // Some file systems have no modes, and the owner alone may change them.
    if (!['EPERM', 'ENOTSUP', 'EROFS', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function lookAt(location: string): Stats | undefined {
  try {
    return lstatSync(location, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
