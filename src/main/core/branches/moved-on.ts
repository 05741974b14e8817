import { appliesTo, emptyTree } from '#overlay'
import type { BranchPatch } from '#shared/model/entry.ts'
import type { BranchTrees } from './branch-trees.ts'

/**
 * The one rule against lost updates, for agents and people: a patch may be stored only while every path that it changes
 * is still as the patch's `before` says.
 */
export function stillHolds(trees: BranchTrees, { branchId, patch }: BranchPatch): boolean {
  return appliesTo(trees.heads.get(branchId) ?? emptyTree, patch)
}
