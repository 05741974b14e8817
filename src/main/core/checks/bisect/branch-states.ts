import { emptyTree, type MergeSources, patchTree, planMerge, type Tree } from '#overlay'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { invert } from '#shared/model/patch.ts'
import { patchesOf, patchingTypes } from '../../branches/branch-trees.ts'
import type { LogReader } from '../../journal/project-log.ts'

/** A branch as one entry left it. */
export interface BranchState {
  /** The entry that led to it. Null for the branch as it was forked. */
  readonly entry: Entry | null
  /** The merge that brought the entry, when it is one of another branch. */
  readonly mergedBy: EntryOf<'branch.merged'> | null
  /** Null when it never was and cannot be made: a merge in the middle of a branch's work that has conflicts. */
  tree(): Promise<Tree | null>
}

export interface StateSources extends Omit<MergeSources, 'fork' | 'ours' | 'theirs' | 'earlier' | 'tree'> {
  readonly log: LogReader
}

/**
 * The states of a branch in order, from its fork or from the last time that its changes were written to the folder, since those
 * before stand on another folder. A merge is unfolded: the branch that it brought is merged as it was after each of its own
 * entries.
 */
export function statesOf(sources: StateSources, branchId: BranchId): readonly BranchState[] {
  const steps = stepsOf(sources.log, branchId)
  const applied = steps.findLastIndex(({ entry }) => entry !== null && writing.has(entry.type))
  return unfold(sources, steps.slice(Math.max(0, applied)), 0)
}

const writing: ReadonlySet<Entry['type']> = new Set(['apply.finished', 'apply.undone'])
/** Branches of branches of branches are searched; below that a merge is one step. */
const deepest = 4

interface Step {
  readonly entry: Entry | null
  readonly after: Tree
}

/** Every entry that changed the branch, the oldest first, after the state that it began with. */
function stepsOf(log: LogReader, branchId: BranchId): readonly Step[] {
  log.load([branchId])
  const root = log.rootOf(branchId)
  const entries = root === undefined ? [] : log.entriesAfter(-1 as Sequence, patchingTypes, root)
  const steps: Step[] = []
  let after = log.trees.heads.get(branchId) ?? emptyTree
  for (const entry of entries.toReversed()) {
    const patches = patchesOf(entry).filter((one) => one.branchId === branchId && one.patch.length > 0)
    if (patches.length === 0) continue
    steps.push({ entry, after })
    for (const { patch } of patches.toReversed()) after = patchTree(after, invert(patch))
  }
  return [{ entry: null, after }, ...steps.reverse()]
}

function unfold(sources: StateSources, steps: readonly Step[], depth: number): readonly BranchState[] {
  return steps.flatMap(({ entry, after }, at): readonly BranchState[] => {
    const own: BranchState = { entry, mergedBy: null, tree: async () => after }
    const before = steps[at - 1]?.after
    if (entry?.type !== 'branch.merged' || !before || depth >= deepest) return [own]
    return [...insideOf(sources, entry, before, depth), own]
  })
}

/** What the parent would have been with the merged branch as it was after each of its entries, without the last. */
function insideOf(
  sources: StateSources,
  merge: EntryOf<'branch.merged'>,
  ours: Tree,
  depth: number,
): readonly BranchState[] {
  const steps = stepsOf(sources.log, merge.branchId)
  const earlier = lastMergeBefore(sources.log, merge)
  const start = steps.findLastIndex(({ entry }) => (entry?.sequence ?? -1) <= earlier)
  const end = steps.findLastIndex(({ entry }) => (entry?.sequence ?? -1) < merge.sequence)
  const fork = steps[Math.max(0, start)]?.after ?? emptyTree
  const states = unfold(sources, steps.slice(Math.max(0, start), end + 1), depth + 1)
  return states.slice(1, -1).map(({ entry, tree }) => ({
    ...{ entry, mergedBy: merge },
    async tree() {
      const theirs = await tree()
      if (theirs === null) return null
      const how = { paths: null, force: merge.forced, strategy: 'three_way' } as const
      const { patch, result } = await planMerge({ ...sources, fork, ours, theirs, ...how })
      return result.conflicts.length > 0 && !merge.forced ? null : patchTree(ours, patch)
    },
  }))
}

function lastMergeBefore(log: LogReader, { branchId, sequence }: EntryOf<'branch.merged'>): number {
  const rounds = log.trees.bases.get(branchId)?.value.rounds ?? []
  return rounds.findLast((round) => round.sequence < sequence)?.sequence ?? -1
}
