import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type FolderGuard, guardFolder } from './folder-identity.ts'

/**
 * The real folder behind `/`. It opens a path by name and then checks *what was opened*, so no name needs to be
 * trusted.
 *
 * Where the kernel reports the path of an open handle, it must equal the path asked for. This detects a folder that was
 * swapped for a link at any moment. On other systems no part of the path may be a link after opening, and the last part
 * must have the handle's device and inode.
 */
export interface DiskRoot {
  /** The path on disk of a virtual path. */
  locate(path: string): string
  /**
   * Opens exactly this path, without following links or waiting for a FIFO. Hidden paths do not exist here. Throws
   * `BaseTreeError` when the root itself was moved away or replaced.
   */
  open(path: string, flags: number): OpenedHandle | 'moved'
  /** The virtual path of an absolute path on disk. Undefined when it is not below this root. */
  virtualPathOf(diskPath: string): string | undefined
  /** Throws `BaseTreeError` when the root was moved away or replaced since it was opened. */
  requireSame(): void
  /** True for the hidden folder and everything in it. It lies in the project but is not part of it. */
  hides(path: string): boolean
}

export interface OpenedHandle extends Disposable {
  readonly descriptor: number
  /** The virtual path where it was opened, without links. */
  readonly path: string
  /** A path of the open folder that stays valid when the folder is renamed. Append a name to reach a child. */
  readonly directory: string
}

export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
export const folderFlags = readFlags | (constants.O_DIRECTORY ?? 0)

export function openDiskRoot(folder: string, hidden: VirtualPath | null = null): DiskRoot {
  const real = realpathSync.native(folder)
  const prefix = real === '/' ? '' : real
  const rootDescriptor = openSync(real, folderFlags)
  const kernelTellsPaths = pathOfHandle(rootDescriptor) === real
  closeSync(rootDescriptor)

  const requireSame = guardFolder(real)
  const hides = createHiding(hidden)
  // Virtual paths need no other form where their separator is the system's own, and each file is located several times.
  const locate = (path: string): string => (path === '/' ? real : sep === '/' ? prefix + path : join(prefix, path))

  return {
    locate,
    open(path, flags) {
      const location = locate(path)
      if (hides(path)) throw Object.assign(new Error(`${path} is hidden`), { code: 'ENOENT' })
      const descriptor = openOf(location, flags, requireSame)
      const isThere = kernelTellsPaths ? pathOfHandle(descriptor) === location : isSameNode(descriptor, prefix, path)
      if (isThere) return handle(descriptor, path, kernelTellsPaths ? `/proc/self/fd/${descriptor}` : location)
      closeSync(descriptor)
      return 'moved'
    },
    requireSame,
    hides,
    virtualPathOf(diskPath) {
      if (diskPath === real) return '/'
      return diskPath.startsWith(`${prefix}/`) ? diskPath.slice(prefix.length) : undefined
    },
  }
}

/** Opens a path of the root. A root that is gone or another one now explains more than the error of the system. */
function openOf(location: string, flags: number, requireSame: FolderGuard): number {
  let descriptor: number | undefined
  try {
    descriptor = openSync(location, flags)
    requireSame()
    return descriptor
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    requireSame()
    throw error
  }
}

function handle(descriptor: number, path: string, directory: string): OpenedHandle {
  return { descriptor, path, directory, [Symbol.dispose]: () => closeSync(descriptor) }
}

function pathOfHandle(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return undefined
  }
}

function isSameNode(descriptor: number, prefix: string, path: string): boolean {
  const opened = fstatSync(descriptor, { bigint: true })
  let location = prefix
  let last = lstatSync(prefix || '/', { bigint: true })
  for (const name of path.split('/').filter(Boolean)) {
    location = join(location, name)
    last = lstatSync(location, { bigint: true })
    if (last.isSymbolicLink()) return false
  }
  return last.dev === opened.dev && last.ino === opened.ino
}

/** On these systems, names that differ only in case or in the encoding of accents are the same. */
const fold: (path: string) => string =
  process.platform === 'linux' ? (path) => path : (path) => path.normalize('NFC').toLowerCase()

/** Makes a test for paths in the hidden folder, including the folder itself. */
function createHiding(hidden: VirtualPath | null): (path: string) => boolean {
  if (hidden === null) return () => false
  const folder = fold(hidden)
  return (path) => {
    const asked = fold(path)
    return asked === folder || asked.startsWith(`${folder}/`)
  }
}
