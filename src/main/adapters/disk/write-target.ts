import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { ancestorsOf, nameOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiskRoot, OpenedHandle } from './disk-root.ts'
import { inspect, openFolder } from './inspect-target.ts'
import { codeOf } from './open-verified.ts'

const synchronousBytes = 512 * 1024
const syncAsync = promisify(fsync)
const writeAsync = promisify<number, Uint8Array, void>(writeFile)

/** The few ways to write to the project folder. Each goes through a handle on the checked folder above the target. */

/**
 * Writes what will replace `replaced`, with its owner and group where the system lets us; else with those of a new file. Durable when it resolves. Only the
 * wait for the disk uses the thread pool.
 */
export async function writeTemporary(
  root: DiskRoot,
  path: VirtualPath,
  bytes: Uint8Array,
  mode: number | null,
  replaced: VirtualPath,
) {
  const seen = inspect(root, replaced)
  using folder = folderOf(root, path)
  const descriptor = openSync(`${folder.directory}/${nameOf(path)}`, 'wx')
  try {
    if (bytes.length <= synchronousBytes) writeFileSync(descriptor, bytes)
    else await writeAsync(descriptor, bytes)
    if (seen.kind !== 'file') giveToOwner(folder, descriptor)
    const isKept = seen.kind !== 'file' || keepOwner(descriptor, seen.stats)
    // After the owner, because a change of it takes these bits away. With another owner they would mean another right.
    if (mode !== null) fchmodSync(descriptor, isKept ? mode : mode & ~setIdBits)
    await syncAsync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const setIdBits = 0o6000

/** True when the file belongs to the user and the group of the one that it replaces. */
function keepOwner(descriptor: number, { uid, gid }: Stats): boolean {
  const made = fstatSync(descriptor)
  if (made.uid === uid && made.gid === gid) return true
  // Who may not give a file away may still give it to a group of their own.
  for (const user of [uid, made.uid]) {
    try {
      fchownSync(descriptor, user, gid)
      return user === uid
    } catch {}
  }
  return false
}

/**
 * Root works in folders of others as they would: what is new there belongs to whom its folder belongs to, so that they can go
 * on with it. Everybody else makes files of their own. Only what this process opened is given away, because whoever has the
 * folder may put another thing at the path.
 */
function giveToOwner({ directory }: OpenedHandle, descriptor: number): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(directory)
  if (uid === 0) return
  try {
    fchownSync(descriptor, uid, gid)
  } catch {
    // Some file systems know no owners.
  }
}

/** An empty folder is nobody's secret, whoever made it. */
function giveFolderToOwner(above: OpenedHandle, location: string): void {
  if (process.getuid?.() !== 0) return
  const descriptor = openSync(location, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    if (readdirSync(`/proc/self/fd/${descriptor}`).length === 0) giveToOwner(above, descriptor)
  } catch {
    // Where handles have no path, it stays root's.
  } finally {
    closeSync(descriptor)
  }
}

export function makeLink(root: DiskRoot, path: VirtualPath, target: string): void {
  using folder = folderOf(root, path)
  symlinkSync(target, `${folder.directory}/${nameOf(path)}`)
}

/** Moves `from` to `to` and replaces a file or link there. */
export function replace(root: DiskRoot, from: VirtualPath, to: VirtualPath): void {
  using source = folderOf(root, from)
  using folder = folderOf(root, to)
  renameSync(`${source.directory}/${nameOf(from)}`, `${folder.directory}/${nameOf(to)}`)
}

export function removeFile(root: DiskRoot, path: VirtualPath): void {
  using folder = folderOf(root, path)
  ifThere(() => unlinkSync(`${folder.directory}/${nameOf(path)}`))
}

export function makeFolder(root: DiskRoot, path: VirtualPath, mode?: number): void {
  using folder = folderOf(root, path)
  const location = `${folder.directory}/${nameOf(path)}`
  try {
    mkdirSync(location)
    giveFolderToOwner(folder, location)
    if (mode !== undefined) chmodSync(location, mode)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** False when the folder is not empty, or the path is not a folder. */
export function removeEmptyFolder(root: DiskRoot, path: VirtualPath): boolean {
  const opened = openFolder(root, parentOf(path))
  if (typeof opened === 'string') return false
  using folder = opened
  try {
    rmdirSync(`${folder.directory}/${nameOf(path)}`)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

/** Outermost first. */
export function foldersAbove(path: VirtualPath): readonly VirtualPath[] {
  return [...ancestorsOf(path)].reverse()
}

export function ifThere(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
  }
}

/** The folder of a path was moved away, or a link or a file has its place. */
export class MovedFolderError extends Error {}

function folderOf(root: DiskRoot, path: VirtualPath): OpenedHandle {
  const opened = openFolder(root, parentOf(path))
  if (typeof opened !== 'string') return opened
  throw new MovedFolderError(`The folder of ${path} is not a folder of the project any more (${opened}).`)
}
