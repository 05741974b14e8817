import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { nameOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { mostOfIgnoreFile, repositoryOf, textOfIgnoreFile } from '../system/git/tracked-files.ts'
import { lookAt } from '../system/look-at.ts'

/** The project folder as the search sees it, and the repository around it, whose ignore rules apply as well. */
export interface SearchRoot {
  readonly folder: string
  /** The nearest folder at or above the root that holds `.git`. Null when there is none. */
  readonly repository: string | null
}

/** A folder opened so that no swapped link can lead the engine elsewhere, and the target to search in it. */
export interface SearchPlace extends Disposable {
  readonly cwd: string
  readonly target: string
  /** Virtual path of the working directory. */
  readonly base: VirtualPath
}

const noLink = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function openSearchRoot(rootFolder: string): SearchRoot {
  const folder = realpathSync.native(rootFolder)
  return { folder, repository: repositoryOf(folder) }
}

/** Undefined when there is no folder at exactly this path. Throws when it cannot be opened. */
export function openSearchFolder(root: SearchRoot, path: VirtualPath): SearchPlace | undefined {
  return openPlace(root, path, './')
}

/** Undefined when there is no folder or regular file at exactly this path. Links are not followed. */
export function openSearchPlace(root: SearchRoot, path: VirtualPath): SearchPlace | undefined {
  try {
    const stats = lstatSync(join(root.folder, path))
    if (stats.isDirectory()) return openPlace(root, path, './')
    return stats.isFile() ? openPlace(root, parentOf(path), `./${nameOf(path)}`) : undefined
  } catch {
    return undefined
  }
}

/** Nobody gets at such a file: it is gone, a link, or closed to this user. Other errors may be gone the next moment. */
const unreachable: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO'])

export interface SearchFile {
  readonly descriptor: number
  /** In bytes. */
  readonly size: number
}

/**
 * The regular file at exactly this path; the caller closes its descriptor. Undefined when there is none that this user
 * can open. Throws other errors of the system, such as that of a failing disk.
 */
export function openSearchFile(root: SearchRoot, path: VirtualPath): SearchFile | undefined {
  const location = join(root.folder, path)
  let descriptor: number | undefined
  try {
    descriptor = openSync(location, noLink)
    const stats = fstatSync(descriptor)
    if (stats.isFile() && isOpenedAt(descriptor, location)) return { descriptor, size: stats.size }
  } catch (error) {
    if (!unreachable.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  if (descriptor !== undefined) closeSync(descriptor)
  return undefined
}

/**
 * True when the opened entry is the one at this path, with no link on the way. The kernel says so, or both are one
 * node.
 */
function isOpenedAt(descriptor: number, location: string): boolean {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${descriptor}`) === location
  const [opened, named] = [fstatSync(descriptor), lstatSync(location)]
  return realpathSync.native(location) === location && opened.ino === named.ino && opened.dev === named.dev
}

function openPlace(root: SearchRoot, base: VirtualPath, target: string): SearchPlace | undefined {
  const location = base === '/' ? root.folder : join(root.folder, base)
  if (process.platform !== 'linux') {
    const isReal = realpathSync.native(location) === location
    return isReal ? { cwd: location, target, base, [Symbol.dispose]: () => undefined } : undefined
  }
  const descriptor = openSync(location, noLink | constants.O_DIRECTORY)
  const close = () => closeSync(descriptor)
  if (readlinkSync(`/proc/self/fd/${descriptor}`) === location) {
    return { cwd: `/proc/${process.pid}/fd/${descriptor}`, target, base, [Symbol.dispose]: close }
  }
  close()
  return undefined
}

/**
 * The text of a folder's `.gitignore`. The path starts at the repository, or at the root when there is no repository.
 */
export function readIgnoreFile(root: SearchRoot, folder: string): string | undefined {
  return textOfIgnoreFile(join(root.repository ?? root.folder, folder, '.gitignore'))
}

/**
 * True when an ignore file of the root, or above it in its repository, is no file that git would read: the engine follows a
 * link, waits for a pipe, and takes any length. Such files deeper down are noticed when it breaks down.
 */
export function hasOddIgnoreFile({ folder, repository }: SearchRoot): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const stats = lookAt(join(at, '.gitignore'))
    if (stats && !(stats.isFile() && stats.size <= mostOfIgnoreFile)) return true
    if (repository === null || at === repository || at === dirname(at)) return false
  }
}

/** The root's path inside its repository, as ignore rules use it. Empty when both are the same. */
export function rootPrefix(root: SearchRoot): string {
  const path = relative(root.repository ?? root.folder, root.folder)
    .split(sep)
    .join('/')
  return path === '' ? '' : `/${path}`
}
