import { fsync } from 'node:fs'
import { promisify } from 'node:util'
import { forEachLimited } from '#shared/base/limiter.ts'
import { parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type DiskRoot, folderFlags, type OpenedHandle } from './disk-root.ts'
import { openFolder } from './inspect-target.ts'

const mostKept = 256

interface KeptFolder {
  readonly handle: OpenedHandle
  /** Number of open loans. A handle closed during a loan could have its number reused for another folder. */
  borrowers: number
}

/**
 * The same root with its folder handles kept open until it is disposed, so that thousands of changes below few folders
 * check each folder once. A folder behind a kept handle cannot be swapped for another one.
 */
export function keepFolders(root: DiskRoot): DiskRoot & Disposable {
  const kept = new Map<string, KeptFolder>()
  const closeUnused = () => {
    for (const [path, { handle, borrowers }] of kept) {
      if (borrowers > 0) continue
      handle[Symbol.dispose]()
      kept.delete(path)
    }
  }
  return {
    ...root,
    open(path, flags) {
      if (flags !== folderFlags) return root.open(path, flags)
      const known = kept.get(path)
      if (known) {
        root.requireSame()
        return lend(known)
      }
      const opened = root.open(path, flags)
      if (opened === 'moved') return opened
      if (kept.size >= mostKept) closeUnused()
      const folder: KeptFolder = { handle: opened, borrowers: 0 }
      kept.set(path, folder)
      return lend(folder)
    },
    [Symbol.dispose]: closeUnused,
  }
}

function lend(folder: KeptFolder): OpenedHandle {
  const { descriptor, path, directory } = folder.handle
  folder.borrowers += 1
  return {
    descriptor,
    path,
    directory,
    [Symbol.dispose]: () => {
      folder.borrowers -= 1
    },
  }
}

const syncAsync = promisify(fsync)
const syncedAtOnce = 8

/**
 * Makes changes of folders survive power loss before their record is removed, as the record may lie on another disk.
 * Some systems cannot sync a folder; there the disk decides.
 */
export async function syncFolders(
  root: DiskRoot,
  steps: readonly { readonly path: VirtualPath }[],
  { made }: { readonly made: readonly VirtualPath[] },
): Promise<void> {
  const folders = new Set([...steps.map(({ path }) => path), ...made].map(parentOf))
  await forEachLimited(folders, syncedAtOnce, async (path) => {
    const opened = openFolder(root, path)
    if (typeof opened === 'string') return
    using folder = opened
    await syncAsync(folder.descriptor).catch(() => undefined)
  })
}
