import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The real folder behind `/`. Opening by name and checking afterwards *what was opened* needs no trust in the names:
 * where the kernel tells the path of an open handle, that path must be the one asked for, so a folder that was swapped
 * for a link between any two system calls is noticed. Elsewhere no component may be a link after the handle is open,
 * and the last one must have the device and inode of the handle.
 */
export interface DiskRoot {
  /** The path on disk of a virtual path. */
  locate(path: string): string
  /** Opens what is at exactly this path, no link followed, and never waits for a FIFO. */
  open(path: string, flags: number): OpenedHandle | 'moved'
  /** Of an absolute path on disk: its virtual path, or nothing when it is not below this root. */
  virtualPathOf(diskPath: string): string | undefined
}

export interface OpenedHandle extends Disposable {
  readonly descriptor: number
  /** A name for the open folder itself, which no rename can move; below it are its children. */
  readonly directory: string
}

export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
export const folderFlags = readFlags | (constants.O_DIRECTORY ?? 0)

export function openDiskRoot(folder: string): DiskRoot {
  const real = realpathSync.native(folder)
  const prefix = real === '/' ? '' : real
  const rootDescriptor = openSync(real, folderFlags)
  const kernelTellsPaths = pathOfHandle(rootDescriptor) === real
  closeSync(rootDescriptor)

  const locate = (path: string): string => (path === '/' ? real : join(prefix, path))

  return {
    locate,
    open(path, flags) {
      const location = locate(path)
      const descriptor = openSync(location, flags)
      const isThere = kernelTellsPaths ? pathOfHandle(descriptor) === location : isSameNode(descriptor, prefix, path)
      if (isThere) return handle(descriptor, kernelTellsPaths ? `/proc/self/fd/${descriptor}` : location)
      closeSync(descriptor)
      return 'moved'
    },
    virtualPathOf(diskPath) {
      if (diskPath === real) return '/'
      return diskPath.startsWith(`${prefix}/`) ? diskPath.slice(prefix.length) : undefined
    },
  }
}

function handle(descriptor: number, directory: string): OpenedHandle {
  return { descriptor, directory, [Symbol.dispose]: () => closeSync(descriptor) }
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
