import { sameNode } from '../model/patch.ts'
import type { Conflict, ConflictReason, MergeStrategy, SideSummary } from '../model/reports.ts'
import { type FileNode, isLarge, permissionsOf, samePermissions, type TreeNode } from '../model/tree-node.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { isBinary } from '../tree/binary.ts'
import { nodeText, readNode } from '../tree/nodes.ts'
import type { MergeUnit, ThreeWay } from './three-way.ts'

/** The result of merging one unit, before strategy and force are considered. */
export type MergeDecision =
  /** The branch has nothing here that the parent lacks. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'same' }
  | { readonly kind: 'clean' }
  /** Both sides changed the text in different places. `merged` is the file with both changes. */
  | { readonly kind: 'mergeable'; readonly merged: FileNode; readonly conflict: Conflict }
  | { readonly kind: 'conflict'; readonly conflict: Conflict }

export interface DecideSources {
  /** Holds the content of both sides. */
  readonly blobs: BlobStore
  /** Decides whether both changes can be merged. */
  readonly textMerge: TextMerge
}

export async function decide(unit: MergeUnit, sources: DecideSources): Promise<MergeDecision> {
  switch (unit.kind) {
    case 'path':
      return decidePath(unit.sides, sources)
    case 'rename':
      return unit.both
        ? decidePath({ ...unit.to, base: unit.from.base }, sources)
        : decideRename(unit.from, unit.to, sources)
    case 'moved':
      return sameNode(unit.to.ours, unit.to.theirs)
        ? { kind: 'same' }
        : joinOr(unit.from.path, 'rename', unit.to, sources)
  }
}

/** Whether a decision is carried out, given the options of the merge. */
export function outcomeOf(
  verdict: MergeDecision,
  strategy: MergeStrategy,
  force: boolean,
): 'leave' | 'take' | 'join' | 'refuse' {
  switch (verdict.kind) {
    case 'nothing':
    case 'same':
      return 'leave'
    case 'clean':
      return 'take'
    case 'mergeable':
      return strategy === 'three_way' ? 'join' : force ? 'take' : 'refuse'
    case 'conflict':
      return force ? 'take' : 'refuse'
  }
}

async function decidePath(sides: ThreeWay, sources: DecideSources): Promise<MergeDecision> {
  const { path, base, ours, theirs } = sides
  if (sameNode(ours, theirs)) return { kind: 'same' }
  if (sameNode(theirs, base)) return { kind: 'nothing' }
  if (sameNode(ours, base)) return { kind: 'clean' }
  if (theirs === null && ours?.kind === 'directory') return { kind: 'nothing' }
  const reason = reasonOf(sides, sources.blobs)
  return joinOr(path, reason, sides, sources)
}

/** Decides about both paths of a rename together. */
async function decideRename(from: ThreeWay, to: ThreeWay, sources: DecideSources): Promise<MergeDecision> {
  if (from.ours === null && sameNode(to.ours, to.theirs)) return { kind: 'same' }
  // A folder that was already there at the fork was replaced by the branch's file. The folder's files are units of
  // their own.
  const taken = to.ours?.kind === 'directory' && sameNode(to.ours, to.base) ? null : to.ours
  if (sameNode(from.ours, from.base) && taken === null) return { kind: 'clean' }
  const across = { path: to.path, base: from.base, ours: taken ?? from.ours, theirs: to.theirs }
  if (taken !== null || from.ours === null)
    return { kind: 'conflict', conflict: conflictOf(to.path, 'rename', across, false) }
  return joinOr(to.path, 'rename', across, sources)
}

async function joinOr(
  path: ThreeWay['path'],
  reason: ConflictReason,
  sides: ThreeWay,
  sources: DecideSources,
): Promise<MergeDecision> {
  const merged = reason === 'content' || reason === 'rename' ? await join(sides, sources) : undefined
  const conflict = conflictOf(path, reason, sides, merged !== undefined)
  return merged ? { kind: 'mergeable', merged, conflict } : { kind: 'conflict', conflict }
}

async function join(
  { base, ours, theirs }: ThreeWay,
  { blobs, textMerge }: DecideSources,
): Promise<FileNode | undefined> {
  if (base?.kind !== 'file' || ours?.kind !== 'file' || theirs?.kind !== 'file') return undefined
  if (!samePermissions(ours, theirs)) return undefined
  const [old, mine, other] = [base, ours, theirs].map((node) => nodeText(blobs, node))
  if (old === undefined || mine === undefined || other === undefined) return undefined
  const merged = await textMerge.merge(old, mine, other)
  if (!merged) return undefined
  const bytes = new TextEncoder().encode(merged.text)
  return { kind: 'file', blob: blobs.put(bytes), size: bytes.length, ...permissionsOf(ours) }
}

function reasonOf({ ours, theirs }: ThreeWay, blobs: BlobStore): ConflictReason {
  if (!ours || !theirs) return 'delete_modify'
  if (ours.kind !== theirs.kind) return 'kind'
  if (ours.kind !== 'file' || theirs.kind !== 'file') return 'content'
  if (!samePermissions(ours, theirs)) return 'mode'
  const isData = (node: FileNode) => isLarge(node) || isBinary(readNode(blobs, node))
  return isData(ours) || isData(theirs) ? 'binary' : 'content'
}

export function conflictOf(
  path: ThreeWay['path'],
  reason: ConflictReason,
  { base, ours, theirs }: Omit<ThreeWay, 'path'>,
  mergeable: boolean,
): Conflict {
  return { path, reason, mergeable, base: summaryOf(base), ours: summaryOf(ours), theirs: summaryOf(theirs) }
}

function summaryOf(node: TreeNode | null): SideSummary {
  if (!node) return { state: 'absent', size: 0 }
  if (node.kind === 'directory') return { state: 'directory', size: 0 }
  return { state: node.kind, size: node.kind === 'file' ? node.size : new TextEncoder().encode(node.target).length }
}
