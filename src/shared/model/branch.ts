import type { FileOrigin, MergeBase } from '#overlay'
import type { BranchId, Handle, Sequence, ThreadId } from './ids.ts'
import { canBeRestored } from './thread.ts'
import type { VirtualPath } from './virtual-path.ts'

/** What comparisons and merges report. Field names are part of the tools' contract. */
export type {
  BranchDiff,
  ChangeKind,
  Conflict,
  ConflictReason,
  FileChange,
  MergeBase,
  MergeResult,
  MergeStatus,
  MergeStrategy,
  SideSummary,
} from '#overlay'

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

/** What a person composed of several branches, with where every part of it is from. */
export interface Composition {
  /** What was chosen from, each as it was after an entry. Positions in this list name them. */
  readonly sources: readonly { readonly branchId: BranchId; readonly sequence: Sequence }[]
  /** The merge bases of all sources but the first. Only branches that merge into the same one have some. */
  readonly others: readonly { readonly branchId: BranchId; readonly bases: readonly MergeBase[] }[]
  readonly files: readonly FileOrigin[]
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

/**
 * `worktree`: one of the person's repository, at a folder that they chose. `copy`: the files alone, at such a folder. `editor`: a
 * folder of the app, which follows the branch while it is open.
 */
export const checkoutKinds = ['worktree', 'copy', 'editor'] as const

/** A folder on disk that stands for a branch. */
export interface Checkout {
  readonly id: string
  readonly kind: (typeof checkoutKinds)[number]
  /** Absolute path. */
  readonly folder: string
  /** Hash of the tree that it began with. */
  readonly tree: string
  /** The commit that is checked out in it. Null without git. */
  readonly commit: string | null
  /** The branch of git that is checked out in it. Null for none. */
  readonly gitBranch: string | null
}

/** A checkout of a branch, as the journal knows it. */
export interface CheckoutRecord extends Checkout {
  readonly branchId: BranchId
  /** When it was made, in milliseconds since the Unix epoch. */
  readonly at: number
}

/** What was taken back from a checkout, and what was not. */
export interface TakenBack {
  /** Paths of the branch that changed. */
  readonly changed: readonly VirtualPath[]
  /** Texts that both sides had changed, and that were joined. */
  readonly joined: readonly VirtualPath[]
  /** Both sides changed them at the same place, so a person must decide. Nothing of them was taken. */
  readonly conflicts: readonly VirtualPath[]
  /** What a branch must not hold, with the reason as a sentence. */
  readonly refused: readonly { readonly path: string; readonly why: string }[]
}
