import { familiesIn, withFamilies } from '#shared/model/fold/family.ts'
import { createReplay } from '#shared/model/fold/project.ts'
import type { ThreadId } from '#shared/model/ids.ts'
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
  journal: Pick<Journal, 'read' | 'rootOf'>,
  root: ThreadId,
  findFamily: (root: ThreadId) => ProjectState,
): LoadedFamily {
  const replay = createReplay()
  let state = emptyProject
  let trees = emptyBranchTrees
  const known = new Set([root])
  for (const entry of journal.read({ after: 0, family: root })) {
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
