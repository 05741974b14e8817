import { type BigIntStats, statSync } from 'node:fs'
import { BaseTreeError } from '#core/ports/base-tree.ts'
import { rootPath } from '#shared/model/virtual-path.ts'

/** Throws when the path does not lead to the folder any more that was there at first. */
export type FolderGuard = () => void

/**
 * Remembers which folder is at this path, by its device and inode and by the time when it was made, because a system
 * gives the inode of a removed folder to the next one. Its name and content may change.
 */
export function guardFolder(folder: string): FolderGuard {
  const first = lookAt(folder)
  return () => {
    if (first && isSame(first, lookAt(folder))) return
    throw new BaseTreeError(
      'unreadable',
      rootPath,
      `The project folder ${folder} was moved away or replaced while it was open, so it is not used any more. Put it back, or close the project and open it again.`,
    )
  }
}

function isSame(first: BigIntStats, now: BigIntStats | undefined): boolean {
  if (!now || first.dev !== now.dev || first.ino !== now.ino) return false
  // Where the disk does not tell when a folder was made, Node gives the time of its last change, which moves.
  const isTold = first.birthtimeNs !== first.ctimeNs
  return !isTold || first.birthtimeNs === now.birthtimeNs
}

/** Undefined when nothing is there, or when it cannot be looked at. */
function lookAt(folder: string): BigIntStats | undefined {
  try {
    return statSync(folder, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
