import {
  closeSync,
  constants,
  type Dir,
  fstatSync,
  opendirSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import { type FilePermissions, permissionsOf, withExecutable } from '#shared/model/tree-node.ts'
import { ancestorsOf, joinPath, nameOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { hashFile } from '../system/hash-file.ts'
import { lookAt } from '../system/look-at.ts'
import { newFileMode } from '../system/new-file-mode.ts'
import { openInside } from '../system/open-inside.ts'

export type BaseNode =
  /** `size` is null when only reading the file can tell it. */
  | ({
      readonly kind: 'file'
      readonly size: number | null
      readonly read: () => Uint8Array
      /** Of modification, in milliseconds since the Unix epoch. Absent for a file of the branch that has none of its own. */
      readonly time?: number
      /** SHA-256 of the content, for a file that may be large. Undefined when the file changes meanwhile. */
      readonly content?: () => Promise<string | undefined>
    } & FilePermissions)
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'directory' | 'special' }

/** What a mount showed when it was opened. Read one path at a time from the branch's changes and the project. */
export interface MountBase {
  at(path: VirtualPath): BaseNode | undefined
  /** The names in a folder, in no particular order. Empty when there is no folder. */
  names(path: VirtualPath): Iterable<string>
  /** The permissions of a file that programs left, by its bits. `mode` is there where they are not `usualMode`. */
  permissionsOf(path: VirtualPath, bits: number): FilePermissions
  /** What a file at this path has where nobody chose its permissions: those of the file on disk, else those of a new one. */
  usualMode(path: VirtualPath, executable: boolean): number
  /** True for a folder with these bits that has other permissions on disk, or would get others where it is new. */
  hasOtherFolderMode(path: VirtualPath, bits: number): boolean
  /** The permission bits of the folder on disk. Null where there is none, and for one of somebody else. */
  folderModeOnDisk(path: VirtualPath): number | null
}

const noFollow = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function createMountBase(overlay: readonly MountEntry[], rootFolder: string | null): MountBase {
  const entries = new Map(overlay.map((entry) => [entry.path, entry]))
  const below = new Map<VirtualPath, Set<string>>()
  /** Folders of the mount, whatever the project has in their place. */
  const held = new Set<VirtualPath>()
  for (const { path, kind } of overlay) {
    for (const one of [path, ...ancestorsOf(path)]) {
      if (kind !== 'absent' && one !== path) held.add(one)
      if (one !== '/') below.set(parentOf(one), (below.get(parentOf(one)) ?? new Set()).add(nameOf(one)))
    }
  }
  const hides = (path: VirtualPath) => {
    const entry = entries.get(path)
    return entry !== undefined && (entry.kind !== 'directory' || entry.opaque)
  }
  const statsOnDisk = (path: VirtualPath) => {
    const stats = rootFolder === null ? undefined : statsAt(rootFolder, path)
    return stats?.isFile() ? stats : undefined
  }
  const hidden = (path: VirtualPath) => ancestorsOf(path).some(hides)

  function at(path: VirtualPath): BaseNode | undefined {
    const entry = entries.get(path)
    if (entry) return nodeOf(entry)
    const real = hidden(path) || rootFolder === null ? undefined : nodeAt(rootFolder, path)
    return held.has(path) && !hidden(path) ? { kind: 'directory' } : real
  }
  const usualMode = (path: VirtualPath, executable: boolean) => {
    const onDisk = statsOnDisk(path)
    return onDisk ? withExecutable(onDisk.mode & 0o777, executable) : newFileMode(executable)
  }
  return {
    at,
    usualMode,
    permissionsOf(path, bits) {
      const [mode, executable] = [bits & 0o777, (bits & 0o100) !== 0]
      // A view has a copy of somebody else's file, which the person may write to as far as that file may be written to.
      const compared = isForeign(statsOnDisk(path)) ? 0o555 : 0o777
      const isUsual = (mode & compared) === (usualMode(path, executable) & compared)
      return { executable, ...(!isUsual && process.platform !== 'win32' && { mode }) }
    },
    hasOtherFolderMode(path, bits) {
      if (process.platform === 'win32') return false
      const onDisk = rootFolder === null ? undefined : statsAt(rootFolder, path)
      if (onDisk?.isDirectory()) return !isForeign(onDisk) && (bits & 0o1777) !== (onDisk.mode & 0o1777)
      const inherited = rootFolder === null ? 0 : (statsAt(rootFolder, parentOf(path))?.mode ?? bits) & 0o2000
      return (bits & 0o3777) !== (newFileMode(true) | inherited)
    },
    folderModeOnDisk(path) {
      const onDisk = rootFolder === null ? undefined : statsAt(rootFolder, path)
      return onDisk?.isDirectory() && !isForeign(onDisk) ? onDisk.mode & 0o7777 : null
    },
    *names(path) {
      const own = below.get(path) ?? new Set()
      const present = (name: string) => at(joinPath(path, name)) !== undefined
      yield* [...own].filter(present)
      if (hides(path) || hidden(path) || rootFolder === null || !isFolder(rootFolder, path)) return
      using opened = openFolder(join(rootFolder, path))
      for (let entry = opened?.readSync(); entry; entry = opened?.readSync()) {
        if (!own.has(entry.name) && present(entry.name)) yield entry.name
      }
    },
  }
}

/** Null for a folder that is closed to this user, whose mount shows nothing in it either. */
function openFolder(folder: string): Dir | null {
  try {
    return opendirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null
    throw error
  }
}

function nodeOf(entry: MountEntry): BaseNode | undefined {
  switch (entry.kind) {
    case 'file': {
      const { read, time } = entry
      return { kind: 'file', size: null, read, ...permissionsOf(entry), ...(time !== undefined && { time }) }
    }
    case 'large': {
      const { size, content, path } = entry
      return { kind: 'file', size, ...permissionsOf(entry), read: () => tooLarge(path), content: async () => content }
    }
    case 'symlink':
    case 'directory':
      return entry
    case 'absent':
      return undefined
  }
}

/**
 * Checks each part from the top, because what lies behind a link or below a file is not at this path. Undefined when
 * there is nothing.
 */
function statsAt(rootFolder: string, path: VirtualPath): Stats | undefined {
  for (const folder of ancestorsOf(path).toReversed()) {
    if (!lookAt(join(rootFolder, folder))?.isDirectory()) return undefined
  }
  return lookAt(join(rootFolder, path))
}

function isForeign(stats: Stats | undefined): boolean {
  return stats !== undefined && stats.uid !== process.getuid?.()
}

function nodeAt(rootFolder: string, path: VirtualPath): BaseNode | undefined {
  const stats = statsAt(rootFolder, path)
  if (!stats) return undefined
  const location = join(rootFolder, path)
  if (stats.isSymbolicLink()) return { kind: 'symlink', target: readlinkSync(location) }
  if (!stats.isFile()) return { kind: stats.isDirectory() ? 'directory' : 'special' }
  const [read, content] = [() => readInside(rootFolder, path), () => contentAt(rootFolder, path)]
  const [size, time, executable] = [stats.size, stats.mtimeMs, (stats.mode & 0o100) !== 0]
  return { kind: 'file', size, executable, read, time, content }
}

function tooLarge(path: VirtualPath): never {
  throw new Error(`${path} is too large to be read.`)
}

async function contentAt(rootFolder: string, path: VirtualPath): Promise<string | undefined> {
  using file = openInside(rootFolder, path, 'file')
  return file && (await hashFile(file.descriptor))?.blob
}

/** Throws when a link, or something else, took the place of the file or of a folder above it a moment ago. */
function readInside(rootFolder: string, path: VirtualPath): Uint8Array {
  using file = openInside(rootFolder, path, 'file')
  if (!file) throw new Error(`${path} is not a regular file any more.`)
  return new Uint8Array(readFileSync(file.descriptor))
}

function isFolder(rootFolder: string, path: VirtualPath): boolean {
  return path === rootPath || nodeAt(rootFolder, path)?.kind === 'directory'
}

/** Throws for anything that is not a regular file, even when it became something else a moment ago. */
export function readRegular(location: string): Uint8Array {
  const descriptor = openSync(location, noFollow)
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${location} is not a regular file any more.`)
    return new Uint8Array(readFileSync(descriptor))
  } finally {
    closeSync(descriptor)
  }
}
