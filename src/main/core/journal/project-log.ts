import type { NonEmpty } from '#shared/base/non-empty.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
import type { Entry, EntryDraft, EntryType } from '#shared/model/entry.ts'
import { createReplay, fold } from '#shared/model/fold/project.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import { type BranchTrees, emptyBranchTrees, foldTrees, patchesOf } from '../branches/branch-trees.ts'
import { stillHolds } from '../branches/moved-on.ts'
import type { Journal, WordQuery } from '../ports/journal.ts'

/** Reads one project: its folded state and the stored entries behind it. */
export interface LogReader {
  /** Replaced by every commit, never changed in place. */
  readonly state: ProjectState
  /** Replaced by every commit, never changed in place. */
  readonly trees: BranchTrees
  /** The entry at a position; undefined when there is none. */
  entryAt(sequence: Sequence): Entry | undefined
  /** Every entry in order, or those of the given types, read from the store. */
  entries(types?: readonly EntryType[]): readonly Entry[]
  /**
   * Every entry in order, or those after a sequence and of the given types, at most `limit` at a time, so that a long
   * journal is never in memory as a whole.
   */
  pages(limit: number, from?: EntryPlace): Iterable<readonly Entry[]>
  /** Entries with a larger sequence, or those of the given types, read from the store. */
  entriesAfter(sequence: Sequence, types?: readonly EntryType[]): readonly Entry[]
  /** The entries whose text holds all the words of the query, latest first. */
  find(query: WordQuery): readonly Sequence[]
}

/** Where reading begins, and what is left out. */
export interface EntryPlace {
  /** Exclusive. */
  readonly after: Sequence
  readonly types: readonly EntryType[]
}

/** Entries that are stored together or not at all. */
export type Entries = NonEmpty<EntryDraft>

/** `moved_on`: a branch changed meanwhile and one of the patches no longer fits, so nothing was stored. */
export type Committed = Result<NonEmpty<Entry>, 'moved_on'>

/** Writes one project. Only commands of people (`core/commands`) and agents (`core/agent`) hold it. */
export interface LogWriter {
  /** Stores the entries in one transaction, in their order. */
  commit(entries: Entries): Committed
}

/**
 * The one owner of a project's state. A commit is stored first, folded second and announced last, so nobody sees
 * anything that a crash could undo.
 */
export interface ProjectLog extends LogReader, LogWriter {}

export function openProjectLog(journal: Journal, announce: (entry: Entry) => void): ProjectLog {
  let state = emptyProject
  let trees = emptyBranchTrees
  const takeWith = (next: typeof fold) => (entry: Entry) => {
    state = next(state, entry)
    trees = foldTrees(trees, entry)
  }
  const replay = takeWith(createReplay())
  for (const entries of readPages(journal, pageOfEntries)) entries.forEach(replay)
  const take = takeWith(fold)
  return {
    get state() {
      return state
    },
    get trees() {
      return trees
    },
    commit(drafts) {
      if (!stillApply(trees, drafts)) return failure('moved_on')
      const entries = journal.append(drafts)
      entries.forEach(take)
      entries.forEach(announce)
      return success(entries)
    },
    entries: (types) => journal.read({ after: 0, ...(types && { types }) }),
    pages: (limit, from) => readPages(journal, limit, from),
    entriesAfter: (after, types) => journal.read({ after, ...(types && { types }) }),
    find: (query) => journal.find(query),
    entryAt: (sequence) => journal.read({ after: sequence - 1, limit: 1 }).find((entry) => entry.sequence === sequence),
  }
}

/**
 * Commits entries that change no branch, so nothing can refuse them.
 *
 * @throws Error when one of them changes a branch that moved on, which is a bug of the caller
 */
export function commitAlways(log: LogWriter, entries: Entries): NonEmpty<Entry> {
  const committed = log.commit(entries)
  if (!committed.ok) throw new Error(`Entries without a patch were refused: ${committed.error}`)
  return committed.value
}

/** True when every patch still fits the trees that the entries before it leave. */
function stillApply(trees: BranchTrees, drafts: Entries): boolean {
  let after = trees
  for (const draft of drafts) {
    const patches = patchesOf(draft)
    if (!patches.every((patch) => stillHolds(after, patch))) return false
    if (drafts.length > 1 && (patches.length > 0 || draft.type === 'branch.forked'))
      after = foldTrees(after, { ...draft, sequence: 0, at: 0 })
  }
  return true
}

const pageOfEntries = 4_096

function* readPages(journal: Journal, limit: number, from: Partial<EntryPlace> = {}): Generator<readonly Entry[]> {
  let after: Sequence = from.after ?? 0
  while (true) {
    const entries = journal.read({ ...from, after, limit })
    yield entries
    const last = entries.at(-1)
    if (!last || entries.length < limit) return
    after = last.sequence
  }
}
