import { type EarlierMerges, emptyTree, goBack, type MergeSources, type MergeTrees } from '#overlay'
import type { Branch } from '#shared/model/branch.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type BranchTrees, earlierMerges } from './branch-trees.ts'

/** The two sides of a branch's merge into its parent, with the tree that both began with. */
export interface BranchSides extends MergeTrees {
  /** What earlier merges settled. The same object as long as no merge of the branch is added or undone. */
  readonly earlier: EarlierMerges
}

/** What a merge of the branch, and every look at what it would do, need. */
export interface BranchSources extends MergeSources {
  /** The branch to merge; its parent is the other side. */
  readonly branch: Branch
}

/** A branch and its parent as they are now. For a workspace, which has no parent, `ours` is empty. */
export function branchSides(trees: BranchTrees, { id, parentId }: Pick<Branch, 'id' | 'parentId'>): BranchSides {
  return {
    fork: trees.forkPoints.get(id) ?? emptyTree,
    ours: (parentId === null ? undefined : trees.heads.get(parentId)) ?? emptyTree,
    theirs: trees.heads.get(id) ?? emptyTree,
    earlier: earlierMerges(trees, id),
  }
}

/** The patch that undoes changes of paths since the branch's fork. Without paths the branch is dropped unchanged. */
export function planDiscard(
  trees: BranchTrees,
  branch: Branch,
  paths: readonly VirtualPath[] | null,
): { readonly patch: Patch; readonly whole: boolean } {
  if (paths === null) return { patch: [], whole: true }
  const { fork, theirs } = branchSides(trees, branch)
  return { patch: goBack(theirs, fork, paths), whole: false }
}
