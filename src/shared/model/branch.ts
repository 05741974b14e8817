import type { BranchId, Handle, Sequence, ThreadId } from './ids.ts'
import { canBeRestored } from './thread.ts'
import type { OverlayEntry } from './tree-node.ts'
import type { VirtualPath } from './virtual-path.ts'

/** `open`: can be merged or discarded. `discarded`: dropped as a whole, restorable until it is gone (`isGone`). */
export type BranchStatus = 'open' | 'discarded'

export interface Branch {
  readonly id: BranchId
  /** The thread whose agent works on it. */
  readonly threadId: ThreadId
  /** `null` on the workspace, the root agent's branch. */
  readonly parentId: BranchId | null
  readonly handle: Handle | null
  readonly name: string
  /** The entry that forked it; the parent's tree at that entry is its fork point. */
  readonly forkedAt: Sequence
  readonly status: BranchStatus
  /** When it was dropped, in milliseconds since the Unix epoch; absent while it is open. */
  readonly discardedAt?: number
  readonly merges: readonly MergeNote[]
}

/** True for a branch that was discarded so long ago that it cannot be restored any more. */
export function isGone({ discardedAt }: Branch, now: number): boolean {
  return discardedAt !== undefined && !canBeRestored(discardedAt, now)
}

/** One merge of this branch into its parent, for the graph and for undo. */
export interface MergeNote {
  readonly sequence: Sequence
  readonly paths: readonly VirtualPath[]
  readonly forced: boolean
  readonly by: 'agent' | 'person'
  readonly undone: boolean
}

export type ChangeKind = 'create' | 'modify' | 'delete' | 'rename' | 'mode' | 'symlink'

export interface FileChange {
  readonly path: VirtualPath
  readonly kind: ChangeKind
  /** Bytes after the change; 0 when deleted. */
  readonly size: number
  readonly from?: VirtualPath
  /** Lines; null when the file is binary or too large to compare. */
  readonly added: number | null
  readonly removed: number | null
  readonly binary: boolean
}

/** What `spawn_subagents` reports of a branch: field names are part of the tool contract. */
export interface BranchDiff {
  readonly written: readonly { readonly path: VirtualPath; readonly kind: ChangeKind; readonly size: number }[]
  readonly deleted: readonly VirtualPath[]
  readonly renamed: readonly { readonly from: VirtualPath; readonly to: VirtualPath }[]
}

/** Why both sides cannot simply be taken. */
export type ConflictReason = 'content' | 'binary' | 'delete_modify' | 'rename' | 'kind' | 'mode'

export interface Conflict {
  readonly path: VirtualPath
  readonly reason: ConflictReason
  /** True when `three_way` would join the two texts. */
  readonly mergeable: boolean
  readonly base: SideSummary
  readonly ours: SideSummary
  readonly theirs: SideSummary
}

export interface SideSummary {
  readonly state: 'absent' | 'file' | 'symlink' | 'directory'
  readonly size: number
}

/** The record `merge_subagent` returns; virtual paths, field names are part of the tool contract. */
export interface MergeResult {
  readonly written: readonly VirtualPath[]
  readonly deleted: readonly VirtualPath[]
  readonly renamed: readonly { readonly from: VirtualPath; readonly to: VirtualPath }[]
  readonly merged: readonly VirtualPath[]
  readonly conflicts: readonly Conflict[]
  readonly skipped: readonly VirtualPath[]
}

export type MergeStrategy = 'refuse' | 'three_way'

/** Where one path of a branch stands against its parent, before a merge. */
export type MergeStatus = 'clean' | 'mergeable' | 'conflict' | 'identical'

/**
 * What a path of a branch was at its last merge into the parent, which is the base of its next three-way comparison.
 * Kept per path in the `branch.merged` entry; without it the fork point is the base.
 */
export type MergeBase = readonly [path: VirtualPath, entry: OverlayEntry | null]
