import { LayeredMap } from '#shared/base/layered-map.ts'
import type { MergeBase } from '#shared/model/branch.ts'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { OverlayEntry } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { emptyTree, patchTree, type Tree } from '../overlay/tree.ts'

/** What one merge of a branch set as the base of its next one. */
export interface MergeRound {
  readonly sequence: Sequence
  readonly bases: ReadonlyMap<VirtualPath, MergeBase[1]>
}

/** The tree of every branch of a project, as folded from its journal. */
export interface BranchTrees {
  readonly heads: LayeredMap<BranchId, Tree>
  readonly forkPoints: LayeredMap<BranchId, Tree>
  /** Merges of each branch into its parent, oldest first, without those that were undone. */
  readonly bases: LayeredMap<BranchId, readonly MergeRound[]>
}

export const emptyBranchTrees: BranchTrees = {
  heads: LayeredMap.empty(),
  forkPoints: LayeredMap.empty(),
  bases: LayeredMap.empty(),
}

/** One entry's effect on the trees; entries about other things give the same trees back. */
export function foldTrees(trees: BranchTrees, entry: Entry): BranchTrees {
  switch (entry.type) {
    case 'branch.forked':
      return forked(trees, entry)
    case 'branch.merged':
      return withRound(patched(trees, entry.into, entry.patch), entry)
    case 'merge.undone':
      return withoutRound(patched(trees, entry.into, entry.patch), entry.branchId, entry.of)
    case 'tree.changed':
    case 'branch.discarded':
    case 'branch.restored':
    case 'apply.finished':
    case 'apply.undone':
      return patched(trees, entry.branchId, entry.patch)
    default:
      return trees
  }
}

/** The branch's version of a path at its last merge; undefined when it was never merged. */
export function mergeBaseOf(
  trees: BranchTrees,
  branchId: BranchId,
  path: VirtualPath,
): OverlayEntry | null | undefined {
  return trees.bases
    .get(branchId)
    ?.findLast(({ bases }) => bases.has(path))
    ?.bases.get(path)
}

/** True while no later merge of the branch builds on this one: taken back first, it would change what the later ones meant. */
export function isLastMerge(trees: BranchTrees, { branchId, sequence, bases }: EntryOf<'branch.merged'>): boolean {
  const later = trees.bases.get(branchId)?.filter((round) => round.sequence > sequence) ?? []
  return !later.some((round) => bases.some(([path]) => round.bases.has(path)))
}

/** Every path that was ever merged from the branch. */
export function mergedPaths(trees: BranchTrees, branchId: BranchId): ReadonlySet<VirtualPath> {
  return new Set(trees.bases.get(branchId)?.flatMap(({ bases }) => [...bases.keys()]))
}

function forked(trees: BranchTrees, { branchId, parentId }: EntryOf<'branch.forked'>): BranchTrees {
  const start = (parentId === null ? undefined : trees.heads.get(parentId)) ?? emptyTree
  return {
    ...trees,
    heads: trees.heads.with(branchId, start),
    forkPoints: trees.forkPoints.with(branchId, start),
  }
}

function patched(trees: BranchTrees, branchId: BranchId, patch: Patch): BranchTrees {
  const head = trees.heads.get(branchId)
  if (!head || patch.length === 0) return trees
  return { ...trees, heads: trees.heads.with(branchId, patchTree(head, patch)) }
}

function withRound(trees: BranchTrees, { branchId, bases, sequence }: EntryOf<'branch.merged'>): BranchTrees {
  if (bases.length === 0) return trees
  const rounds = [...(trees.bases.get(branchId) ?? []), { sequence, bases: new Map(bases) }]
  return { ...trees, bases: trees.bases.with(branchId, rounds) }
}

function withoutRound(trees: BranchTrees, branchId: BranchId, sequence: Sequence): BranchTrees {
  const rounds = trees.bases.get(branchId)
  if (!rounds?.some((round) => round.sequence === sequence)) return trees
  const kept = rounds.filter((round) => round.sequence !== sequence)
  return { ...trees, bases: trees.bases.with(branchId, kept) }
}
