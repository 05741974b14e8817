import { emptyTree, type MergeSources, patchTree, planMerge, type Tree, treeHash } from '#overlay'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { invert } from '#shared/model/patch.ts'
import { patchesOf, patchingTypes } from '../../branches/branch-trees.ts'
import type { LogReader } from '../../journal/project-log.ts'

/** A branch as one entry left it. */
export interface BranchState {
  /** The entry that led to it. Null for the branch as it was forked. */
  readonly entry: Entry | null
  /** The branch in which the entry is a step. */
  readonly branchId: BranchId
  /** The merge that brought the entry, when it is one of another branch. */
  readonly mergedBy: EntryOf<'branch.merged'> | null
  /** Null for a state that the branch never had: a merge of what another one was. */
  readonly was: Tree | null
  /** Null when it never was and cannot be made: a merge in the middle of a branch's work that has conflicts. */
  tree(): Promise<Tree | null>
}

export interface StateSources extends Omit<MergeSources, 'fork' | 'ours' | 'theirs' | 'earlier' | 'tree'> {
  readonly log: LogReader
}

/**
 * The states of a branch in order, from its fork or from the last time that its changes were written to the folder, since those
 * before stand on another folder. What was taken back whole, by a rewind or an undo, is left out. A merge is unfolded: the branch
 * that it brought is merged as it was after each of its own entries.
 */
export async function statesOf(given: StateSources, branchId: BranchId): Promise<readonly BranchState[]> {
  const { log } = given
  log.load([branchId])
  const root = log.rootOf(branchId)
  // Read once: every branch that was merged is of the same family.
  const entries = root === undefined ? [] : log.entriesAfter(-1 as Sequence, patchingTypes, root)
  const sources = { ...given, entries }
  const steps = stepsOf(sources, branchId)
  const applied = steps.findLastIndex(({ entry }) => entry !== null && writing.has(entry.type))
  return unfold(sources, steps.slice(Math.max(0, applied)), { branchId, depth: 0 })
}

const writing: ReadonlySet<Entry['type']> = new Set(['apply.finished', 'apply.undone'])
/** Branches of branches of branches are searched; below that a merge is one step. */
const deepest = 4

interface Step {
  readonly entry: Entry | null
  readonly after: Tree
}

interface History extends StateSources {
  /** Of the family, those that changed a tree. */
  readonly entries: readonly Entry[]
}

/** Every entry that changed the branch, the oldest first, after the state that it began with. */
function stepsOf({ log, entries }: History, branchId: BranchId): readonly Step[] {
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

/**
 * Leaves out what led back to where it began: no such step can be why the branch is as it is now. Each state counts by the step
 * that led to it first, so what was taken back and brought back again is there in all its steps.
 */
function withoutDetours(steps: readonly Step[], { hashing }: StateSources): readonly Step[] {
  const hashes = steps.map(({ after }) => treeHash(after, hashing))
  const first = new Map(hashes.map((hash, at) => [hash, at] as const).reverse())
  const kept: Step[] = []
  for (let at = steps.length - 1; at >= 0; at -= 1) {
    at = first.get(hashes[at] ?? '') ?? at
    const step = steps[at]
    if (step) kept.push(step)
  }
  return kept.reverse()
}

interface Place {
  readonly branchId: BranchId
  readonly depth: number
}

async function unfold(
  sources: History,
  steps: readonly Step[],
  { branchId, depth }: Place,
): Promise<readonly BranchState[]> {
  const kept = withoutDetours(steps, sources)
  const states: BranchState[] = []
  for (const [at, { entry, after }] of kept.entries()) {
    const before = kept[at - 1]?.after
    const was = { was: after, tree: async () => after }
    const inside =
      entry?.type === 'branch.merged' && before && depth < deepest
        ? await insideOf(sources, entry, { before, after, depth })
        : []
    const last = inside.at(-1)
    // After the last of its entries the merged branch is what the merge brought.
    states.push(...inside.slice(0, -1), last ? { ...last, ...was } : { entry, branchId, mergedBy: null, ...was })
  }
  return states
}

interface MergeSides {
  readonly before: Tree
  readonly after: Tree
  readonly depth: number
}

/**
 * What the parent would have been with the merged branch as it was after each of its entries. Empty for a merge
 * that took only a part, or something else than a merge of the whole branch: its entries are no steps of the parent.
 */
async function insideOf(
  sources: History,
  merge: EntryOf<'branch.merged'>,
  { before, after, depth }: MergeSides,
): Promise<readonly BranchState[]> {
  const { log, hashing } = sources
  const steps = stepsOf(sources, merge.branchId)
  const earlier = lastMergeBefore(log, merge)
  const start = Math.max(
    0,
    steps.findLastIndex(({ entry }) => (entry?.sequence ?? -1) <= earlier),
  )
  const end = steps.findLastIndex(({ entry }) => (entry?.sequence ?? -1) < merge.sequence)
  const fork = steps[start]?.after ?? emptyTree
  async function mergedWith(theirs: Tree): Promise<Tree | null> {
    const how = { paths: null, force: merge.forced, strategy: 'three_way' } as const
    const { patch, result } = await planMerge({ ...sources, fork, ours: before, theirs, ...how })
    return result.conflicts.length > 0 && !merge.forced ? null : patchTree(before, patch)
  }
  const whole = await mergedWith(steps[end]?.after ?? emptyTree)
  if (whole === null || treeHash(whole, hashing) !== treeHash(after, hashing)) return []
  const states = await unfold(sources, steps.slice(start, end + 1), { branchId: merge.branchId, depth: depth + 1 })
  return states.slice(1).map(({ entry, branchId, tree }) => ({
    ...{ entry, branchId, mergedBy: merge, was: null },
    async tree() {
      const theirs = await tree()
      return theirs && mergedWith(theirs)
    },
  }))
}

function lastMergeBefore(log: LogReader, { branchId, sequence }: EntryOf<'branch.merged'>): number {
  const rounds = log.trees.bases.get(branchId)?.value.rounds ?? []
  return rounds.findLast((round) => round.sequence < sequence)?.sequence ?? -1
}
