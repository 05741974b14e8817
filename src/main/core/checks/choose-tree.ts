import { emptyTree, entriesWithin, type Tree, withEntry } from '#overlay'
import type { BranchId } from '#shared/model/ids.ts'
import { isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { BranchTrees } from '../branches/branch-trees.ts'

/** The tree that an apply of these files and folders leads to: the base with only their changes. Null takes all. */
export function chooseTree(
  { heads }: Pick<BranchTrees, 'heads'>,
  branchId: BranchId,
  paths: readonly VirtualPath[] | null,
): Tree {
  const tree = heads.get(branchId) ?? emptyTree
  if (paths === null) return tree
  let chosen = tree
  for (const [path] of [...entriesWithin(tree, rootPath)])
    if (!paths.some((one) => isWithin(path, one))) chosen = withEntry(chosen, path, null)
  return chosen
}
