import type { BranchId } from '#shared/model/ids.ts'
import { isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { BranchTrees } from '../branches/branch-trees.ts'
import { emptyTree, entriesWithin, type Tree, withEntry } from '../overlay/tree.ts'

/** The tree of which nothing but these files and folders is changed: what an apply of them writes. Null for all. */
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
