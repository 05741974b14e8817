import type { NonEmpty } from '#shared/base/non-empty.ts'
import type { Entry, EntryDraft, EntryType } from '#shared/model/entry.ts'
import { createReplay, fold } from '#shared/model/fold/project.ts'
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
  /** All entries, or all of these types, from the store. */
  entries(types?: readonly EntryType[]): readonly Entry[]
  /** All entries, so many at a time. */
  pages(limit: number): Iterable<readonly Entry[]>
  /** Those with a larger sequence, all or of these types, from the store. */
  entriesAfter(sequence: Sequence, types?: readonly EntryType[]): readonly Entry[]
  /** What was said or remembered, by its words. */
  find(query: WordQuery): readonly Sequence[]
}

export function openProjectLog(journal: Journal, announce: (entry: Entry) => void): ProjectLog {
  let state = emptyProject
  let trees = emptyBranchTrees
  const takeWith = (next: typeof fold) => (entry: Entry) => {
    state = next(state, entry)
    trees = foldTrees(trees, entry)
  }
  const replay = takeWith(createReplay())
  for (const entries of pagesOf(journal, pageOfEntries)) entries.forEach(replay)
  const take = takeWith(fold)
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
    entries: (types) => journal.read({ after: 0, ...(types && { types }) }),
    pages: (limit) => pagesOf(journal, limit),
    entriesAfter: (after, types) => journal.read({ after, ...(types && { types }) }),
    find: (query) => journal.find(query),
    entryAt: (sequence) => journal.read({ after: sequence - 1, limit: 1 }).find((entry) => entry.sequence === sequence),
  }
}

const pageOfEntries = 4_096

/** So that a long journal is never in memory twice. */
function* pagesOf(journal: Journal, limit: number): Generator<readonly Entry[]> {
  let after: Sequence = 0
  while (true) {
    const entries = journal.read({ after, limit })
    yield entries
    const last = entries.at(-1)
    if (!last || entries.length < limit) return
    after = last.sequence
  }
}
