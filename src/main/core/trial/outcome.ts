import { diffTrees, goBack, type LeafChange, patchTree, type Tree } from '#overlay'
import type { Outcome, PlaceWrite } from '#shared/model/calls/outcome.ts'
import type { BlobHash, LayerId, ToolCallId } from '#shared/model/ids.ts'
import { type Patch, sameEntry } from '#shared/model/patch.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { BranchMounts, JoinedLayerList, MountCapture } from '../ports/branch-mounts.ts'

/**
 * What a trial did is plain data, its outcome. Nothing of it counts before it is kept, in whole or in part. It can be kept
 * only on what it ran on: on anything else it must run again. Nothing has to be undone to drop it, so no function does.
 */

/** What a trial runs on: the branch as it is, or what trials that are not kept yet would make of it. */
export interface Ground {
  readonly tree: Tree
  /** The layers that a command finds, the oldest first. */
  readonly environment: readonly LayerId[]
  /** The last call below whose outcome is not kept yet; null for the branch as it is. */
  readonly after: ToolCallId | null
  /** What the calls below read and wrote. Their results will say so. */
  readonly reads: Outcome['reads']
  /** The Python variables that the calls below leave. Undefined for those of the thread. */
  readonly python: BlobHash | null | undefined
}

/** The ground for the next trial: this outcome's effects on top of what it ran on. */
export function groundOnTop(ground: Ground, callId: ToolCallId, outcome: Outcome): Ground {
  const { patch, layers, reads, python } = outcome
  // A call that changed nothing has nothing that another one could build on.
  const isBuiltOn = patch.length > 0 || layers !== null || python !== undefined
  return {
    tree: patchTree(ground.tree, patch),
    environment: layers ?? ground.environment,
    after: isBuiltOn ? callId : ground.after,
    reads: [...ground.reads, ...reads],
    python: python === undefined ? ground.python : python,
  }
}

/** The branch as it is now, on which an outcome is to be kept. */
export interface Now {
  readonly tree: Tree
  /** Hash of `tree`. */
  readonly hash: string
  readonly environment: readonly LayerId[]
  /** Every file that differs. A rename is one change, under its new path. */
  changesBetween(before: Tree, after: Tree): Promise<readonly LeafChange[]>
  /** Why something else that it began with is another one by now, such as the disk, as a sentence. Null for nothing. */
  whyElse(): Promise<string | null>
}

/** The part of an outcome that counts, and the changed paths that it leaves out. */
export interface KeptPart {
  readonly patch: Patch
  readonly places: readonly PlaceWrite[]
  readonly left: readonly VirtualPath[]
}

/** `stale`: it ran on something else than what is there now, so it must run again. The reason is a sentence. */
export type Kept = ({ readonly kind: 'kept' } & KeptPart) | { readonly kind: 'stale'; readonly reason: string }

/** Keeps all of an outcome. */
export async function keep(outcome: Outcome, now: Now): Promise<Kept> {
  const reason = await staleReason(outcome, now)
  return reason === null ? { kind: 'kept', ...wholeOf(outcome) } : { kind: 'stale', reason }
}

/** Keeps what of an outcome touches the chosen paths. */
export async function keepSome(outcome: Outcome, chosen: readonly VirtualPath[], now: Now): Promise<Kept> {
  const whole = await keep(outcome, now)
  return whole.kind === 'stale' ? whole : { kind: 'kept', ...(await partOf(outcome, chosen, now)) }
}

/** All of an outcome, whether or not it can be kept. */
export function wholeOf({ patch, places }: Outcome): KeptPart {
  return { patch, places, left: [] }
}

async function staleReason(
  { tree, after, environment }: Outcome,
  { hash, environment: layers, whyElse }: Now,
): Promise<string | null> {
  if (tree !== hash)
    return after === null
      ? 'It ran again, because the branch changed after it had run.'
      : 'It ran again, because what an earlier command changed was not kept as it was.'
  if (!sameLayers(environment, layers))
    return 'It ran again, because what commands find in ignored files changed after it had run.'
  return whyElse()
}

/**
 * The layers of a branch after a trial, when the journal has `now` for it: what the trial left comes on top of what
 * others left since it was opened over `before`. `evicted` is what of the trial is shown elsewhere. Throws
 * `BranchMountError`.
 */
export async function layersAfter(
  mounts: Pick<BranchMounts, 'joinLayers'>,
  { environment, added = [] }: Pick<MountCapture, 'environment' | 'added'>,
  { opened, before, now }: Record<'opened' | 'before' | 'now', readonly LayerId[]>,
): Promise<JoinedLayerList> {
  if (sameLayers(now, before)) return { layers: environment, evicted: [] }
  if (added.length === 0) return { layers: now, evicted: [] }
  return mounts.joinLayers({ start: opened, own: added, onto: now })
}

/** True when programs find the same in both environments. */
export function sameLayers(left: readonly LayerId[], right: readonly LayerId[]): boolean {
  return left.length === right.length && left.every((id, index) => id === right[index])
}

async function partOf(
  { patch, places }: Outcome,
  chosen: readonly VirtualPath[],
  { tree: before, changesBetween }: Now,
): Promise<KeptPart> {
  const after = patchTree(before, patch)
  const dropped = (await changesBetween(before, after)).filter(
    ({ path, renamedFrom }) => !isChosen(chosen, path) && !(renamedFrom && isChosen(chosen, renamedFrom)),
  )
  const paths = dropped.flatMap(bothPaths)
  const kept = paths.length === 0 ? after : patchTree(after, goBack(after, before, paths))
  // A file that took the place of a folder, and the other way round, goes back with what is in its way.
  const inKept = new Set((await changesBetween(before, kept)).flatMap(bothPaths))
  const lost = (await changesBetween(before, after)).flatMap(bothPaths).filter((path) => !inKept.has(path))
  const placesLeft = places.map(({ path }) => path).filter((path) => !isChosen(chosen, path))
  return {
    patch: diffTrees(before, kept),
    places: places.filter(({ path }) => isChosen(chosen, path)),
    left: [...lost, ...placesLeft],
  }
}

function bothPaths({ path, renamedFrom }: LeafChange): readonly VirtualPath[] {
  return renamedFrom ? [renamedFrom, path] : [path]
}

function isChosen(chosen: readonly VirtualPath[], path: VirtualPath): boolean {
  return chosen.some((one) => isWithin(path, one))
}

/** True when a run on another ground changed what the first one changed. */
export function changedTheSame(first: Outcome, second: Outcome): boolean {
  const byPath = new Map(second.patch)
  return (
    first.patch.length === second.patch.length &&
    first.patch.every(([path, [before, after]]) => {
      const other = byPath.get(path)
      return other !== undefined && sameEntry(before, other[0]) && sameEntry(after, other[1])
    }) &&
    JSON.stringify([first.places, first.declares]) === JSON.stringify([second.places, second.declares])
  )
}
