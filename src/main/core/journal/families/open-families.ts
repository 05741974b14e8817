import type { Entry } from '#shared/model/entry.ts'
import { branchesOfFamilies, familiesIn, withFamilies, withoutFamilies } from '#shared/model/fold/family.ts'
import { createReplay, fold } from '#shared/model/fold/project.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import { type BranchTrees, emptyBranchTrees, foldTrees } from '../../branches/branch-trees.ts'
import type { Journal } from '../../ports/journal.ts'
import type { FoldStore } from '../../ports/stores/fold-store.ts'
import { type FamilySummary, summarizeFamilies } from './family-summary.ts'
import { type LoadedFamily, loadFamily, withoutTrees, withTrees } from './load-family.ts'
import { emptyFold, readFold, readProjectPart, writeFold } from './project-fold.ts'

/** The state of a project, of which only the families in use are in memory. */
export interface Families {
  readonly state: () => ProjectState
  readonly trees: () => BranchTrees
  readonly load: (ids: readonly (ThreadId | BranchId)[]) => void
  /** Folds a stored entry. Its family must be loaded, unless the entry begins it. */
  readonly take: (entry: Entry) => void
  readonly release: (before: number) => void
  readonly summaries: () => ReadonlyMap<ThreadId, FamilySummary>
  readonly visit: () => Iterable<LoadedFamily>
  readonly keep: (every?: number) => void
}

/** Opening reads so many entries again at most, which takes a few milliseconds. */
const keptEvery = 500

/** Opening keeps so many families in memory of which others began as copies. */
const mostSources = 16

/** How many families were looked into, of those of which the small fold does not tell all. */
export interface OpeningProgress {
  readonly done: number
  readonly total: number
}

/**
 * Families that are not open yet. Somebody must go through all of `steps` first, and may do other work between two of
 * them, as long as nothing is stored meanwhile. There are many steps only when the small fold is missing, was made by
 * another version, or is far behind.
 */
interface OpeningFamilies {
  readonly steps: Iterable<OpeningProgress>
  readonly families: Families
}

/** Opens them without a pause. */
export function openFamilies(journal: Journal, folds: FoldStore | undefined, loadedWhole: Sequence): Families {
  const { families, steps } = beginFamilies(journal, folds, loadedWhole)
  for (const _ of steps);
  return families
}

/** Reads as little as the journal allows: the small fold, what came after it, and the families in which something goes on. */
export function beginFamilies(journal: Journal, folds: FoldStore | undefined, loadedWhole: Sequence): OpeningFamilies {
  const last = journal.last()
  let state = emptyProject
  let trees = emptyBranchTrees
  let kept: Sequence = 0
  /** Loaded root threads, and when somebody last asked for them. */
  const used = new Map<ThreadId, number>()
  const known = new Map<ThreadId, FamilySummary>()
  /** Loaded families that changed since they were summarised. */
  const stale = new Set<ThreadId>()

  function adopt(root: ThreadId, family: LoadedFamily): void {
    state = withFamilies(state, family.state)
    trees = withTrees(trees, family.trees)
    used.set(root, Date.now())
  }

  function loadRoot(root: ThreadId): void {
    if (used.has(root)) used.set(root, Date.now())
    else adopt(root, readFamily(root))
  }

  function readFamily(root: ThreadId): LoadedFamily {
    return loadFamily(journal, root, (source) => {
      loadRoot(source)
      return state
    })
  }

  function summarize(): void {
    for (const [root, summary] of summarizeFamilies(state, trees, [...stale])) known.set(root, summary)
    stale.clear()
  }

  const isActive = (root: ThreadId): boolean => known.get(root)?.isActive ?? false

  function letGo(roots: readonly ThreadId[]): void {
    if (roots.length === 0) return
    for (const root of roots) used.delete(root)
    trees = withoutTrees(trees, branchesOfFamilies(state, roots))
    state = withoutFamilies(state, roots)
  }

  function replayWhole(): void {
    const replay = createReplay()
    for (const entry of journal.each()) {
      state = replay(state, entry)
      trees = foldTrees(trees, entry)
    }
    for (const root of journal.roots()) {
      used.set(root, Date.now())
      stale.add(root)
    }
    // Reading so few entries again is as fast as reading a fold of them.
    kept = last
  }

  /**
   * Summarises each of the families, and keeps those in memory in which something goes on. Each is summarised by itself,
   * so that it costs no more when a large one is in memory.
   */
  function* lookInto(roots: ReadonlySet<ThreadId>): Generator<OpeningProgress> {
    let done = 0
    for (const root of roots) {
      const isLoaded = used.has(root)
      const family = isLoaded ? { state, trees } : readFamily(root)
      for (const [id, summary] of summarizeFamilies(family.state, family.trees, [root])) known.set(id, summary)
      if (isActive(root) && !isLoaded) adopt(root, family)
      // These were loaded because others began as copies of them. The next may be a copy of the last one.
      const idle = [...used.keys()].filter((one) => !isActive(one))
      if (idle.length > mostSources) letGo(idle.slice(0, -1))
      done += 1
      yield { done, total: roots.size }
    }
    letGo([...used.keys()].filter((one) => !isActive(one)))
  }

  function* openInParts(): Generator<OpeningProgress> {
    const fold = (folds && readFold(folds, last)) ?? emptyFold
    kept = fold.sequence
    for (const [root, summary] of fold.families) known.set(root, summary)
    state = { ...readProjectPart(journal, fold), sequence: last }
    yield* lookInto(new Set(kept === 0 ? journal.roots() : rootsSince(kept)))
    for (const root of known.keys()) if (isActive(root)) loadRoot(root)
  }

  function rootsSince(sequence: Sequence): readonly ThreadId[] {
    return journal.threadsSince(sequence).flatMap((id) => journal.rootOf(id) ?? [])
  }

  function summaries(): ReadonlyMap<ThreadId, FamilySummary> {
    summarize()
    return inOrder(journal.roots(), known)
  }

  function* open(): Generator<OpeningProgress> {
    if (last <= loadedWhole) replayWhole()
    else yield* openInParts()
  }

  const families: Families = {
    state: () => state,
    trees: () => trees,
    load(ids) {
      for (const root of new Set(ids.flatMap((id) => journal.rootOf(id) ?? []))) loadRoot(root)
    },
    take(entry) {
      state = fold(state, entry)
      trees = foldTrees(trees, entry)
      const root = journal.rootOf(entry.threadId)
      if (root === undefined) return
      stale.add(root)
      used.set(root, Date.now())
    },
    release(before) {
      if (state.sequence <= loadedWhole) return
      summarize()
      letGo([...used].flatMap(([root, at]) => (at < before && !isActive(root) ? [root] : [])))
    },
    summaries,
    *visit() {
      for (const root of journal.roots()) {
        const isLoaded = used.has(root)
        yield isLoaded ? { state: familiesIn(state, [root], emptyProject), trees } : readFamily(root)
      }
    },
    keep(every = keptEvery) {
      if (!folds || state.sequence - kept < every) return
      writeFold(folds, { sequence: state.sequence, state, families: summaries() })
      kept = state.sequence
    },
  }
  return { steps: open(), families }
}

function inOrder(
  roots: readonly ThreadId[],
  summaries: ReadonlyMap<ThreadId, FamilySummary>,
): ReadonlyMap<ThreadId, FamilySummary> {
  return new Map(
    roots.flatMap((root): readonly (readonly [ThreadId, FamilySummary])[] => {
      const summary = summaries.get(root)
      return summary ? [[root, summary]] : []
    }),
  )
}
