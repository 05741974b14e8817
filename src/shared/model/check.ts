import type { LayeredMap } from '../base/layered-map.ts'
import type { BranchId, LayerId, Sequence } from './ids.ts'
import type { VirtualPath } from './virtual-path.ts'

/** When a check runs: on a branch, on a merge before it is made, on what is written to disk or exported. */
export const checkMoments = ['branch', 'merge', 'apply'] as const
export type CheckMoment = (typeof checkMoments)[number]

/**
 * What a result is of: a tree as at one of these moments, or a `past` one that a search made of what the branch was, or of a part
 * of it.
 */
export const checkOccasions = [...checkMoments, 'past'] as const
export type CheckOccasion = (typeof checkOccasions)[number]

/** A command of the project that says whether a tree is any good, such as its tests. */
export interface CheckDefinition {
  /** Unique in the project. */
  readonly name: string
  /** A bash command line. It starts in the project's root. Exit code 0 is green. */
  readonly run: string
  /** Patterns such as `src/**`. The check concerns only trees that changed one of these files. Empty for all. */
  readonly paths: readonly string[]
  readonly timeoutSeconds: number
  readonly on: readonly CheckMoment[]
  /** A required check that is not green keeps back merges *when green*, and a goal. */
  readonly required: boolean
}

/** `flaky`: it failed and then passed on the same tree, or the other way round. It never counts as green. */
export const checkOutcomes = ['green', 'red', 'flaky'] as const
export type CheckOutcome = (typeof checkOutcomes)[number]

/** What one check said about one tree in one environment. */
export interface CheckResult {
  readonly check: string
  /** Names the check's command, the tree, the environment and the state of the folder that it ran on. */
  readonly key: string
  /** Hash of the tree, as checkpoints have it. */
  readonly tree: string
  readonly environment: readonly LayerId[]
  readonly outcome: CheckOutcome
  /** Null when it could not be started or a signal ended it. */
  readonly exitCode: number | null
  /** What it printed, of the last run. Cut in the middle when it is long. */
  readonly output: string
  /** What a person must know beside the output, in sentences: a limit, hosts that it could not reach. May be empty. */
  readonly note: string
  /** The first files that it changed. Their changes were dropped. */
  readonly dropped: readonly VirtualPath[]
  /** Of the last run. */
  readonly durationMs: number
}

/** A stored result, without what it printed. */
export interface CheckRecord
  extends Pick<CheckResult, 'check' | 'key' | 'tree' | 'outcome' | 'exitCode' | 'durationMs' | 'note'> {
  /** The entry that stored it. */
  readonly sequence: Sequence
  readonly branchId: BranchId
  readonly on: CheckOccasion
  /** Milliseconds since the Unix epoch. */
  readonly at: number
}

/** The results of a project, and the merges that wait for some. */
export interface CheckRecords {
  /** The newest result of each key. */
  readonly byKey: LayeredMap<string, CheckRecord>
  /** The newest result of each check on the branch's own trees. */
  readonly byBranch: LayeredMap<BranchId, readonly CheckRecord[]>
  /** The last queue of merges *when green*, in the order of merging. Empty before the first. */
  readonly queue: readonly QueuedMerge[]
}

/** A check of a branch or of a tree as people see it, the worst first. `stale`: the newest result is of another tree than the present one. */
export const checkStates = ['red', 'flaky', 'running', 'queued', 'stale', 'none', 'green'] as const
export type CheckState = (typeof checkStates)[number]

/** One check of one branch now. */
export interface CheckView {
  readonly name: string
  readonly required: boolean
  readonly state: CheckState
  /** The newest result, of this tree or, while stale, of an older one. Null for none. Its output is asked for by itself. */
  readonly last: {
    /** The entry of the result. */
    readonly sequence: Sequence
    readonly outcome: CheckOutcome
    readonly exitCode: number | null
    readonly durationMs: number
    /** Milliseconds since the Unix epoch. */
    readonly at: number
    readonly note: string
  } | null
}

export interface BranchChecks {
  readonly branchId: BranchId
  /** The worst of its checks: red, flaky, running, queued, stale, none, green. None without checks. */
  readonly state: CheckState
  readonly checks: readonly CheckView[]
}

/** A branch in a queue of merges *when green*, as the journal knows it. */
export interface QueuedMerge {
  readonly branchId: BranchId
  /** What became of it. Null while it waits, and while its checks run. */
  readonly end: QueuedMergeEnd | null
}

/** A result that stands in the journal. Its entry may name another check, which had the same command. */
export interface StoredResult {
  readonly check: string
  readonly sequence: Sequence
}

/** Of these ends, all but `merged` left the parent as it was. */
export type QueuedMergeEnd<Failed = StoredResult> =
  | { readonly kind: 'merged'; readonly sequence: Sequence }
  /** Files changed on both sides. */
  | { readonly kind: 'conflict'; readonly paths: readonly VirtualPath[] }
  /** Required checks failed on the merged tree. */
  | { readonly kind: 'red'; readonly failed: readonly Failed[]; readonly greenAlone: boolean }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'refused'; readonly reason: string }

/** What became of one branch in a queue of merges *when green*, with the output of failed checks. */
export type GreenMergeState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'checking'; readonly check: string; readonly startedAt: number }
  | QueuedMergeEnd<CheckResult>

export interface GreenQueueView {
  /** In the order of merging. */
  readonly branches: readonly { readonly branchId: BranchId; readonly state: GreenMergeState }[]
  readonly isRunning: boolean
}

/** What a thread must reach before it is done. */
export interface Goal {
  /** Names of checks that must be green; null for every required one. */
  readonly checks: readonly string[] | null
  /** Judged by a grader when the checks are green: it sees the change and the checks. Absent and null for none. */
  readonly criteria?: string | null | undefined
  /** How often the agent is sent back before a person is asked. */
  readonly attempts: number
}
