import type { LayeredMap } from '#shared/base/layered-map.ts'
import type { NonEmpty } from '#shared/base/non-empty.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { Entry, EntryDraft, EntryType } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { type BranchTrees, foldTrees, patchesOf } from '../branches/branch-trees.ts'
import { stillHolds } from '../branches/moved-on.ts'
import type { FamilyPiece, Journal, PieceQuery, WordQuery } from '../ports/journal.ts'
import type { FoldStore } from '../ports/stores/fold-store.ts'
import type { FamilySummary } from './families/family-summary.ts'
import type { LoadedFamily } from './families/load-family.ts'
import { beginFamilies, type Families, type OpeningProgress, openFamilies } from './families/open-families.ts'

/** Reads one project: its folded state and the stored entries behind it. */
export interface LogReader {
  /**
   * What belongs to the whole project, and every loaded family: a root thread with its subagents and their branches.
   * Families in which something goes on are always loaded. Replaced by every commit, never changed in place.
   */
  readonly state: ProjectState
  /** The trees of the loaded families. Replaced by every commit, never changed in place. */
  readonly trees: BranchTrees
  /** Loads the families of these threads and branches, and keeps them for a while. Other ids are passed over. */
  load(ids: readonly (ThreadId | BranchId)[]): void
  /** The root thread of a thread or branch, loaded or not. Undefined for one that does not exist. */
  rootOf(id: ThreadId | BranchId): ThreadId | undefined
  /** A piece of the entries of one family, in order. */
  familyPiece(query: PieceQuery): FamilyPiece
  /** A summary of every family by its root thread, loaded or not, in the order in which they began. */
  families(): ReadonlyMap<ThreadId, FamilySummary>
  /**
   * Every family, one after the other. One that was not loaded is read for the visit and not kept, except as the source of
   * a copied thread. It lasts as long as reading the whole journal.
   */
  visitFamilies(): Iterable<LoadedFamily>
  /** The entry at a position, whose family is loaded then; undefined when there is none. */
  entryAt(sequence: Sequence): Entry | undefined
  /** Every entry in order, or those of the given types, read from the store. */
  entries(types?: readonly EntryType[]): readonly Entry[]
  /**
   * Every entry in order, or those after a sequence and of the given types, at most `limit` at a time, so that a long
   * journal is never in memory as a whole.
   */
  pages(limit: number, from?: EntryPlace): Iterable<readonly Entry[]>
  /** Entries with a larger sequence, or those of the given types, read from the store. `family` is a root thread. */
  entriesAfter(sequence: Sequence, types?: readonly EntryType[], family?: ThreadId): readonly Entry[]
  /** The entries whose text holds all the words of the query, latest first. */
  find(query: WordQuery): readonly Sequence[]
}

/**
 * A map of what is loaded, for whoever goes through all of it. A look-up does not compile, because one that was let go of is
 * missing: an id from outside is asked of `read-thread.ts`, which loads it. Where a map with look-ups is wanted, it fits.
 */
type Listed<Key, Value> = LayeredMap<Key, Value> & { readonly get: never; readonly has: never }

/** The log as everything around core has it. */
export interface ListedLog extends LogReader {
  readonly state: Omit<ProjectState, 'threads' | 'branches'> & {
    readonly threads: Listed<ThreadId, ThreadState>
    readonly branches: Listed<BranchId, Branch>
  }
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
export interface ProjectLog extends LogReader, LogWriter {
  /** Lets go of families that nobody has asked for since `before`, in milliseconds of the clock that `load` uses. */
  release(before: number): void
  /** Stores the small fold, so that the next opening is short. Does nothing when fewer than `every` entries were added. */
  keepFold(every?: number): void
}

export interface LogOptions {
  /** Where the small fold of the project is kept. Without it, every opening reads all entries. */
  readonly folds?: FoldStore
  /** A journal with at most so many entries is loaded whole. */
  readonly loadedWhole?: number
}

/** Reading this many entries takes a twentieth of a second. */
const loadedWhole = 4_000

/** `announce` is called with every stored entry, after it was folded. */
export function openProjectLog(
  journal: Journal,
  announce: (entry: Entry) => void,
  options: LogOptions = {},
): ProjectLog {
  return logOf(journal, announce, openFamilies(journal, options.folds, options.loadedWhole ?? loadedWhole))
}

/** Opens it like `openProjectLog`. After an update, a long journal takes seconds, so other work is done in between. */
export async function openProjectLogInSteps(
  journal: Journal,
  announce: (entry: Entry) => void,
  options: LogOptions & { readonly afterStep: (progress: OpeningProgress) => Promise<void> | undefined },
): Promise<ProjectLog> {
  const { steps, families } = beginFamilies(journal, options.folds, options.loadedWhole ?? loadedWhole)
  for (const progress of steps) await options.afterStep(progress)
  return logOf(journal, announce, families)
}

function logOf(journal: Journal, announce: (entry: Entry) => void, families: Families): ProjectLog {
  return {
    get state() {
      return families.state()
    },
    get trees() {
      return families.trees()
    },
    commit(drafts) {
      families.load(idsOf(drafts))
      if (!stillApply(families.trees(), drafts)) return failure('moved_on')
      const entries = journal.append(drafts)
      entries.forEach(families.take)
      entries.forEach(announce)
      return success(entries)
    },
    load: families.load,
    release: families.release,
    families: families.summaries,
    visitFamilies: families.visit,
    keepFold: families.keep,
    rootOf: (id) => journal.rootOf(id),
    familyPiece: (query) => journal.piece(query),
    entries: (types) => journal.read({ after: 0, ...(types && { types }) }),
    pages: (limit, from) => readPages(journal, limit, from),
    entriesAfter: (after, types, family) => journal.read({ after, ...(types && { types }), ...(family && { family }) }),
    find: (query) => journal.find(query),
    entryAt(sequence) {
      const entry = journal.read({ after: sequence - 1, limit: 1 }).find((one) => one.sequence === sequence)
      if (entry) families.load([entry.threadId])
      return entry
    },
  }
}

/** The threads and branches whose families the entries change or read. Those that begin here are in no family yet. */
function idsOf(drafts: Entries): readonly (ThreadId | BranchId)[] {
  const begun = new Set<ThreadId | BranchId>()
  for (const draft of drafts) if (draft.type === 'thread.created') begun.add(draft.threadId).add(draft.branchId)
  return drafts.flatMap(idsOfDraft).filter((id) => !begun.has(id))
}

function idsOfDraft(draft: EntryDraft): readonly (ThreadId | BranchId)[] {
  if (draft.type === 'thread.created') return draft.parent === null ? [] : [draft.parent.threadId]
  if (draft.type === 'thread.copied') return [draft.threadId, draft.from]
  return [draft.threadId, ...('branchId' in draft ? [draft.branchId] : [])]
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
