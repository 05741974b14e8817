import { type EarlierMerges, emptyTree, patchTree, type Tree } from '#overlay'
import { type Chain, chain } from '#shared/base/chain.ts'
import { LayeredMap } from '#shared/base/layered-map.ts'
import type { MergeBase } from '#shared/model/branch.ts'
import type { BranchPatch, Entry, EntryBody, EntryOf, EntryType } from '#shared/model/entry.ts'
import type { BranchId, LayerId, Sequence } from '#shared/model/ids.ts'
import { versionAt } from '#shared/model/snapshots.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** The versions that one merge of a branch set as the base of its next merge. */
export interface MergeRound {
  /** The entry of the merge. */
  readonly sequence: Sequence
  /** Only paths that the merge settled; the fork point is the base of all others. */
  readonly bases: ReadonlyMap<VirtualPath, MergeBase[1]>
}

/** The merges that counted since the entry `sequence`, oldest first. */
export interface MergeRounds {
  /** The entry that made this list the current one. */
  readonly sequence: Sequence
  /** Empty after the only merge was undone. */
  readonly rounds: readonly MergeRound[]
}

/** The environment of a branch since the entry `sequence`. */
export interface EnvironmentVersion {
  readonly sequence: Sequence
  /** The oldest first. */
  readonly layers: readonly LayerId[]
}

/** The tree of every branch of a project, as folded from its journal. */
export interface BranchTrees {
  /** Every branch as it is now, discarded ones included. */
  readonly heads: LayeredMap<BranchId, Tree>
  /** The parent's tree at the entry that forked the branch. */
  readonly forkPoints: LayeredMap<BranchId, Tree>
  /** Merges of each branch into its parent, without undone ones. Earlier lists are kept for rewinds. */
  readonly bases: LayeredMap<BranchId, Chain<MergeRounds>>
  /** What commands of each branch find beside its files. Earlier versions are kept for rewinds. */
  readonly environments: LayeredMap<BranchId, Chain<EnvironmentVersion>>
}

export const emptyBranchTrees: BranchTrees = {
  heads: LayeredMap.empty(),
  forkPoints: LayeredMap.empty(),
  bases: LayeredMap.empty(),
  environments: LayeredMap.empty(),
}

/** One entry's effect on the trees. An entry about something else returns the same trees. */
export function foldTrees(trees: BranchTrees, entry: Entry): BranchTrees {
  if (entry.type === 'branch.forked') return addFork(trees, entry)
  const patched = patchesOf(entry).reduce(withPatch, trees)
  switch (entry.type) {
    case 'branch.merged':
      return withRound(patched, entry)
    case 'merge.undone':
      return withoutRounds(patched, entry)
    case 'rewound':
      return (entry.files ?? []).reduce((rewound, { branchId }) => withPast(rewound, branchId, entry), patched)
    case 'environment.changed':
      return withEnvironment(trees, entry.branchId, entry)
    default:
      return patched
  }
}

/** The types of entries that contain patches. */
export const patchingTypes: readonly EntryType[] = [
  'branch.merged',
  'merge.undone',
  'tree.changed',
  'branch.discarded',
  'branch.restored',
  'apply.finished',
  'apply.undone',
  'rewound',
]

/** The patches of an entry, in order; empty for an entry that changes no tree. */
export function patchesOf(entry: EntryBody): readonly BranchPatch[] {
  switch (entry.type) {
    case 'branch.merged':
    case 'merge.undone':
      return [{ branchId: entry.into, patch: entry.patch }]
    case 'tree.changed':
    case 'branch.discarded':
    case 'branch.restored':
    case 'apply.finished':
    case 'apply.undone':
      return [entry]
    case 'rewound':
      return entry.files ?? []
    default:
      return []
  }
}

/** What the merges of a branch settled, as its next merge asks for it. */
export function earlierMerges(trees: BranchTrees, branchId: BranchId): EarlierMerges {
  const rounds = trees.bases.get(branchId)?.value.rounds ?? noRounds
  const known = merges.get(rounds)
  if (known) return known
  const made: EarlierMerges = {
    baseOf: (path) => rounds.findLast(({ bases }) => bases.has(path))?.bases.get(path),
    paths: new Set(rounds.flatMap(({ bases }) => [...bases.keys()])),
  }
  merges.set(rounds, made)
  return made
}

const noRounds: readonly MergeRound[] = []
/** Made once for each list of merges, so that whoever compares knows that nothing was merged since. */
const merges = new WeakMap<readonly MergeRound[], EarlierMerges>()

/** The layers of a branch's environment after the entry `to`, or now. The oldest first. */
export function environmentOf(trees: BranchTrees, branchId: BranchId, to?: Sequence): readonly LayerId[] {
  const past = trees.environments.get(branchId)
  return (to === undefined ? past?.value : versionAt(past, to))?.layers ?? []
}

/** True while no later merge of the branch builds on this one. Only then can it be undone alone. */
export function isLastMerge(trees: BranchTrees, merge: EntryOf<'branch.merged'>): boolean {
  return basesIn(merge).every(({ branchId, bases }) => {
    const later = roundsOf(trees, branchId).filter((round) => round.sequence > merge.sequence)
    return !later.some((round) => bases.some(([path]) => round.bases.has(path)))
  })
}

/** What a merge settled of each branch: of one, or of all that were composed. */
function basesIn({ branchId, bases, composed }: EntryOf<'branch.merged'>) {
  return [{ branchId, bases }, ...(composed?.others ?? [])]
}

function addFork(trees: BranchTrees, { branchId, parentId, sequence }: EntryOf<'branch.forked'>): BranchTrees {
  const start = (parentId === null ? undefined : trees.heads.get(parentId)) ?? emptyTree
  const layers = parentId === null ? [] : environmentOf(trees, parentId)
  const forked = {
    ...trees,
    heads: trees.heads.with(branchId, start),
    forkPoints: trees.forkPoints.with(branchId, start),
  }
  return layers.length === 0 ? forked : withEnvironment(forked, branchId, { sequence, layers })
}

function withEnvironment(
  trees: BranchTrees,
  branchId: BranchId,
  { sequence, layers }: EnvironmentVersion,
): BranchTrees {
  const before = trees.environments.get(branchId) ?? null
  return { ...trees, environments: trees.environments.with(branchId, chain(before, { sequence, layers })) }
}

function withPatch(trees: BranchTrees, { branchId, patch }: BranchPatch): BranchTrees {
  const head = trees.heads.get(branchId)
  if (!head || patch.length === 0) return trees
  return { ...trees, heads: trees.heads.with(branchId, patchTree(head, patch)) }
}

function roundsOf(trees: BranchTrees, branchId: BranchId): readonly MergeRound[] {
  return trees.bases.get(branchId)?.value.rounds ?? []
}

function withRounds(trees: BranchTrees, branchId: BranchId, version: MergeRounds): BranchTrees {
  return { ...trees, bases: trees.bases.with(branchId, chain(trees.bases.get(branchId) ?? null, version)) }
}

function withRound(trees: BranchTrees, entry: EntryOf<'branch.merged'>): BranchTrees {
  const { sequence } = entry
  return basesIn(entry).reduce((folded, { branchId, bases }) => {
    if (bases.length === 0) return folded
    const rounds = [...roundsOf(folded, branchId), { sequence, bases: new Map(bases) }]
    return withRounds(folded, branchId, { sequence, rounds })
  }, trees)
}

function withoutRounds(trees: BranchTrees, { branchId, others = [], of, sequence }: EntryOf<'merge.undone'>) {
  return [branchId, ...others].reduce((folded, id) => withoutRound(folded, id, { of, sequence }), trees)
}

function withoutRound(
  trees: BranchTrees,
  branchId: BranchId,
  { of, sequence }: Pick<EntryOf<'merge.undone'>, 'of' | 'sequence'>,
): BranchTrees {
  const rounds = roundsOf(trees, branchId)
  if (!rounds.some((round) => round.sequence === of)) return trees
  return withRounds(trees, branchId, { sequence, rounds: rounds.filter((round) => round.sequence !== of) })
}

function withPast(trees: BranchTrees, branchId: BranchId, entry: EntryOf<'rewound'>): BranchTrees {
  const rewound = withRoundsAt(trees, branchId, entry)
  if (!trees.environments.get(branchId)) return rewound
  return withEnvironment(rewound, branchId, {
    sequence: entry.sequence,
    layers: environmentOf(trees, branchId, entry.to),
  })
}

function withRoundsAt(trees: BranchTrees, branchId: BranchId, { to, sequence }: EntryOf<'rewound'>): BranchTrees {
  const rounds = versionAt(trees.bases.get(branchId), to)?.rounds ?? []
  return rounds === roundsOf(trees, branchId) ? trees : withRounds(trees, branchId, { sequence, rounds })
}
