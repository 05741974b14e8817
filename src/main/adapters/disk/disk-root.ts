import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * The real folder behind `/`. Opening by name and checking afterwards *what was opened* needs no trust in the names:
 * where the kernel tells the path of an open handle, that path must be the one asked for, so a folder that was swapped
 * for a link between any two system calls is noticed. Elsewhere no component may be a link after the handle is open,
 * and the last one must have the device and inode of the handle.
 */
export interface DiskRoot {
  /** The path on disk of a virtual path. */
  locate(path: string): string
  /** Opens what is at exactly this path, no link followed, and never waits for a FIFO. What is hidden is not there. */
  open(path: string, flags: number): OpenedHandle | 'moved'
  /** Of an absolute path on disk: its virtual path, or nothing when it is not below this root. */
  virtualPathOf(diskPath: string): string | undefined
  /** True at and below the folder that is not part of the project although it lies in it. */
  hides(path: string): boolean
}

export interface OpenedHandle extends Disposable {
  readonly descriptor: number
  /** Where it was opened: a virtual path without links. */
  readonly path: string
  /** A name for the open folder itself, which no rename can move; below it are its children. */
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

  const hides = createHiding(hidden)
  const locate = (path: string): string => (path === '/' ? real : join(prefix, path))

  return {
    locate,
    open(path, flags) {
      const location = locate(path)
      if (hides(path)) throw Object.assign(new Error(`${path} is hidden`), { code: 'ENOENT' })
      const descriptor = openSync(location, flags)
      const isThere = kernelTellsPaths ? pathOfHandle(descriptor) === location : isSameNode(descriptor, prefix, path)
      if (isThere) return handle(descriptor, path, kernelTellsPaths ? `/proc/self/fd/${descriptor}` : location)
      closeSync(descriptor)
      return 'moved'
    },
    hides,
    virtualPathOf(diskPath) {
      if (diskPath === real) return '/'
      return diskPath.startsWith(`${prefix}/`) ? diskPath.slice(prefix.length) : undefined
    },
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

/** Disks of these systems take names for the same that differ in case or in how accents are written. */
const fold: (path: string) => string =
  process.platform === 'linux' ? (path) => path : (path) => path.normalize('NFC').toLowerCase()

/** Tells which paths lie in the hidden folder, itself included. */
function createHiding(hidden: VirtualPath | null): (path: string) => boolean {
  if (hidden === null) return () => false
  const folder = fold(hidden)
  return (path) => {
    const asked = fold(path)
    return asked === folder || asked.startsWith(`${folder}/`)
  }
}
