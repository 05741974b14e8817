import { familiesIn, withFamilies } from '#shared/model/fold/family.ts'
import { createReplay } from '#shared/model/fold/project.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import { type BranchTrees, emptyBranchTrees, foldTrees } from '../../branches/branch-trees.ts'
import type { Journal } from '../../ports/journal.ts'

/** One family as its entries tell it: nothing of other families, and nothing that belongs to the whole project. */
export interface LoadedFamily {
  readonly state: ProjectState
  readonly trees: BranchTrees
}

/**
 * Folds the entries of one family. `findFamily` returns a loaded family, for a thread that begins as a copy of one in
 * another family. Copies are made of what exists, so this never goes in a circle.
 */
export function loadFamily(
  journal: Pick<Journal, 'each' | 'rootOf'>,
  root: ThreadId,
  findFamily: (root: ThreadId) => ProjectState,
): LoadedFamily {
  const replay = createReplay()
  let state = emptyProject
  let trees = emptyBranchTrees
  const known = new Set([root])
  for (const entry of journal.each(root)) {
    const source = entry.type === 'thread.copied' ? journal.rootOf(entry.from) : undefined
    if (source !== undefined && !known.has(source)) {
      state = withFamilies(state, familiesIn(findFamily(source), [source], emptyProject))
      known.add(source)
    }
    state = replay(state, entry)
    trees = foldTrees(trees, entry)
  }
  return { state: familiesIn(state, [root], emptyProject), trees }
}

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
