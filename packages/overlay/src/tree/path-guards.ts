import { isGitName } from '../model/git-names.ts'
import { isLarge, type TreeNode } from '../model/tree-node.ts'
import { isWithin, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import type { BaseTree } from '../ports/base-tree.ts'
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

/** Throws for a path in the app's own folder, which may lie in the project. What is written there could never appear. */
export function refuseHidden(base: Pick<BaseTree, 'hides'>, path: VirtualPath): void {
  if (base.hides?.(path) !== true) return
  throw new FileTreeError(
    'refused',
    path,
    `${path} is in Coppice's own data folder, which lies in this project but is not part of it. Choose another path.`,
  )
}

/** Throws for a folder of the project that lies elsewhere on disk. Files in it can be changed, but not the folder. */
export function refuseRoot(base: Pick<BaseTree, 'roots'>, path: VirtualPath): void {
  if (base.roots?.().includes(path) !== true) return
  throw new FileTreeError(
    'refused',
    path,
    `${path} is a folder of the project that lies elsewhere on disk. Change the files in it one by one.`,
  )
}

/** Throws for a large file on its way into another folder of the project: its content is not stored, so an apply has none for it. */
export function refuseOtherFolder(base: Pick<BaseTree, 'roots'>, node: TreeNode | null, to: VirtualPath): void {
  if (!isLarge(node)) return
  const rootOf = (path: VirtualPath) => base.roots?.().find((root) => isWithin(path, root)) ?? rootPath
  if (rootOf(node.large.path) === rootOf(to)) return
  throw new FileTreeError(
    'refused',
    to,
    `${node.large.path} has ${node.size} bytes, too many for another folder of the project. Leave it where it is, or ask the user to copy it.`,
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
