import type { BranchId, Sequence } from './ids.ts'
import type { VirtualPath } from './virtual-path.ts'

/** What becomes a commit of its own, when work is delivered. */
export const commitUnits = ['all', 'todo', 'agent', 'branch', 'message'] as const
export type CommitUnit = (typeof commitUnits)[number]

/** Changes of a workspace as commits of a branch of git. */
export interface Delivery {
  readonly branchId: BranchId
  /** The folder of the repository, relative to the project: empty for the one around the project. */
  readonly repository: string
  /** The branch of git, without `refs/heads/`. */
  readonly branch: string
  /** The commit that the branch was at before; null for a branch that did not exist. */
  readonly before: string | null
  /** The commit that the first one stands on. */
  readonly base: string
  /** Object ids, the oldest first. */
  readonly commits: readonly string[]
  /** Number of changed paths. */
  readonly files: number
}

/** A delivery, and what became of it. */
export interface DeliveryRecord extends Delivery {
  /** The entry that stored it, which an undo names. */
  readonly sequence: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly undone: boolean
  /** The remote that it was pushed to. Null for none. */
  readonly remote: string | null
  /** The address of its pull request. Null for none. */
  readonly pullRequest: string | null
}

/** A changed file of a delivery, and what becomes of it. */
export interface DeliveryFile {
  readonly path: VirtualPath
  readonly kind: 'create' | 'modify' | 'delete'
  /**
   * `joined`: both sides changed it, in different places. `conflict`: in the same ones, so somebody must decide. `left`: it is
   * not delivered.
   */
  readonly state: 'ready' | 'joined' | 'conflict' | 'left'
  /** How the person's own file differs from the last commit, when the change stands on it. Null when it does not. */
  readonly uncommitted: string | null
  /** A sentence for a person. Null when there is nothing to say. */
  readonly why: string | null
}
