import type { NonEmpty } from '#shared/base/non-empty.ts'
import type { Entry, EntryDraft } from '#shared/model/entry.ts'
import { fold } from '#shared/model/fold.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import { type BranchTrees, emptyBranchTrees, foldTrees } from '../branches/branch-trees.ts'
import type { Journal, WordQuery } from '../ports/journal.ts'

/**
 * The one owner of a project's state: what is appended is stored first, folded second and announced last, so nobody
 * ever sees what a crash could take back.
 */
export interface ProjectLog {
  readonly state: ProjectState
  readonly trees: BranchTrees
  append(drafts: NonEmpty<EntryDraft>): NonEmpty<Entry>
  entryAt(sequence: Sequence): Entry | undefined
  /** All entries, from the store. */
  entries(): readonly Entry[]
  /** Those with a larger sequence, from the store. */
  entriesAfter(sequence: Sequence): readonly Entry[]
  /** What was said or remembered, by its words. */
  find(query: WordQuery): readonly Sequence[]
}

export function openProjectLog(journal: Journal, announce: (entry: Entry) => void): ProjectLog {
  let state = emptyProject
  let trees = emptyBranchTrees
  const take = (entry: Entry) => {
    state = fold(state, entry)
    trees = foldTrees(trees, entry)
  }
  for (const entry of journal.read({ after: 0 })) take(entry)
  return {
    get state() {
      return state
    },
    get trees() {
      return trees
    },
    append(drafts) {
      const entries = journal.append(drafts)
      entries.forEach(take)
      entries.forEach(announce)
      return entries
    },
    entries: () => journal.read({ after: 0 }),
    entriesAfter: (after) => journal.read({ after }),
    find: (query) => journal.find(query),
    entryAt: (sequence) => journal.read({ after: sequence - 1, limit: 1 }).find((entry) => entry.sequence === sequence),
  }
}
