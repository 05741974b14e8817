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
