import type { OverlayEntry } from './tree-node.ts'
import type { VirtualPath } from './virtual-path.ts'

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

/** What changed between two trees, by path alone. */
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

/** What a merge did, and what it left. */
export interface MergeResult {
  readonly written: readonly VirtualPath[]
  readonly deleted: readonly VirtualPath[]
  readonly renamed: readonly { readonly from: VirtualPath; readonly to: VirtualPath }[]
  readonly merged: readonly VirtualPath[]
  readonly conflicts: readonly Conflict[]
  readonly skipped: readonly VirtualPath[]
}

/** `three_way` joins texts whose changes do not overlap; `refuse` reports them as conflicts. */
export type MergeStrategy = 'refuse' | 'three_way'

/** How one path of a branch compares with its parent before a merge. */
export type MergeStatus = 'clean' | 'mergeable' | 'conflict' | 'identical'

/**
 * The state of a path at the branch's last merge into its parent: the base of the next three-way comparison. Without
 * one, the fork point is the base.
 */
export type MergeBase = readonly [path: VirtualPath, entry: OverlayEntry | null]
