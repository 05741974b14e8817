import type { CheckOutcome } from '../check.ts'
import type { BranchId, Sequence } from '../ids.ts'

/** A step of a branch that a search found: one entry, of the branch itself or of one that was merged into it. */
export interface BisectStep {
  /** Its place among the states of the search: 0 is the state that the search began with. */
  readonly at: number
  /** The entry. Null for the state that the search began with. */
  readonly sequence: Sequence | null
  /** The branch that the entry changed. Null where nobody can say. */
  readonly branchId: BranchId | null
  /** The merge that brought it to the branch of the search. Null for an entry of that branch itself. */
  readonly mergedBy: Sequence | null
}

export type BisectEnd =
  /** The check is red after this step, and green before it. */
  | { readonly kind: 'found'; readonly step: BisectStep }
  /** The check is green now. */
  | { readonly kind: 'green' }
  /** It was red before the first step: the folder has it, or what was written to it. */
  | { readonly kind: 'always' }
  /** It broke after one step and not later than in another. Those between cannot be checked. */
  | { readonly kind: 'between'; readonly after: BisectStep; readonly until: BisectStep }
  /** The check says different things of one state too often to tell. */
  | { readonly kind: 'flaky'; readonly step: BisectStep }
  /** Files in the folder kept changing, so results of different states cannot be compared. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'cancelled' }

/** A search for the step that broke a check on a branch, as it is now. */
export interface Bisect {
  readonly branchId: BranchId
  readonly check: string
  /** How many steps there are, those of merged branches included. */
  readonly steps: number
  /** The states that were asked about so far, in that order. */
  readonly asked: readonly { readonly step: number; readonly verdict: CheckOutcome | 'unknown' }[]
  /** How often the check ran. What stored results say costs no run. */
  readonly runs: number
  /** How many runs it takes at most with a check that always says the same. */
  readonly most: number
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  readonly durationMs: number
  /** Null while it runs. */
  readonly end: BisectEnd | null
}
