import type { BranchId } from '#shared/model/ids.ts'
import type { BranchTrees } from '../../branches/branch-trees.ts'

/** Adds the trees of loaded families. `trees` must not know any of their branches. */
export function withTrees(trees: BranchTrees, loaded: BranchTrees): BranchTrees {
  return {
    heads: trees.heads.withAll(loaded.heads),
    forkPoints: trees.forkPoints.withAll(loaded.forkPoints),
    bases: trees.bases.withAll(loaded.bases),
    environments: trees.environments.withAll(loaded.environments),
  }
}

export function withoutTrees(trees: BranchTrees, branches: ReadonlySet<BranchId>): BranchTrees {
  return {
    heads: trees.heads.without(branches),
    forkPoints: trees.forkPoints.without(branches),
    bases: trees.bases.without(branches),
    environments: trees.environments.without(branches),
  }
}
