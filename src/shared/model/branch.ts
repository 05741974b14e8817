import type { BranchId, Handle, Sequence, ThreadId } from './ids.ts'
import { canBeRestored } from './thread.ts'
import type { OverlayEntry } from './tree-node.ts'
import type { VirtualPath } from './virtual-path.ts'

/** `open`: can be merged or discarded. `discarded`: dropped as a whole, and restorable until `isGone`. */
export type BranchStatus = 'open' | 'discarded'

export interface Branch {
  readonly id: BranchId
  /** The thread of the agent that works on it. */
  readonly threadId: ThreadId
  /** Null for the workspace, the root agent's branch. */
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

/** True for a branch that was discarded too long ago to be restored. */
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
  /** Bytes of the larger side, for a file that is too large to be stored and shown. Absent for all others. */
  readonly large?: number
  /** Changes whenever either version does. Present only in the list of a branch's changes. */
  readonly identity?: string
}

/** What `spawn_subagents` reports about a branch. Field names are part of the tool contract. */
export interface BranchDiff {
  readonly written: readonly { readonly path: VirtualPath; readonly kind: ChangeKind; readonly size: number }[]
  readonly deleted: readonly VirtualPath[]
  readonly renamed: readonly { readonly from: VirtualPath; readonly to: VirtualPath }[]
}

/** Why neither side can simply be taken. */
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

/** The record that `merge_subagent` returns. Paths are virtual, and field names are part of the tool contract. */
export interface MergeResult {
  readonly written: readonly VirtualPath[]
  readonly deleted: readonly VirtualPath[]
  readonly renamed: readonly { readonly from: VirtualPath; readonly to: VirtualPath }[]
  readonly merged: readonly VirtualPath[]
  readonly conflicts: readonly Conflict[]
  readonly skipped: readonly VirtualPath[]
}

export type MergeStrategy = 'refuse' | 'three_way'

/** How one path of a branch compares with its parent before a merge. */
export type MergeStatus = 'clean' | 'mergeable' | 'conflict' | 'identical'

/**
 * The state of a path at the branch's last merge into its parent: the base of the next three-way comparison. Stored per
 * path in the `branch.merged` entry; without one, the fork point is the base.
 */
export type MergeBase = readonly [path: VirtualPath, entry: OverlayEntry | null]
