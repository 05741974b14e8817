import { isGitName } from '#shared/model/git-names.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { FileTreeError } from '../ports/file-tree.ts'

const longestName = 255
/** Bytes. A mount puts the branch below other folders, whose path counts toward the system's limit (4,096 on Linux). */
const longestPath = 3_072

/** Throws for a path too long for common disks. It could be written here, but never searched, run or applied. */
export function refuseTooLong(path: VirtualPath): void {
  const encoder = new TextEncoder()
  const long = path.split('/').find((name) => encoder.encode(name).length > longestName)
  if (long !== undefined)
    throw new FileTreeError(
      'refused',
      path,
      `A name in the path is over ${longestName} bytes, too long for a disk: ${long.slice(0, 40)}…`,
    )
  if (encoder.encode(path).length > longestPath)
    throw new FileTreeError(
      'refused',
      path,
      `The path is over ${longestPath} bytes, too long for a disk: ${path.slice(0, 60)}…`,
    )
}

/** Throws when a component of the path is git's own folder. Writing there would change the repository or run hooks. */
export function refuseGit(path: VirtualPath): void {
  const name = path.split('/').find(isGitName)
  if (name !== undefined) {
    throw new FileTreeError(
      'refused',
      path,
      `${path} is inside git's own folder (${JSON.stringify(name)}), which is never written. Work on the project's files instead.`,
    )
  }
}
