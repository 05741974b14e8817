import type { BatchOutcome } from '#shared/model/batch.ts'
import type { BranchDiff } from '#shared/model/branch.ts'
import type { BranchId, Handle, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { Usage } from '#shared/model/usage.ts'

/** A kind of subagent as the delegating model reads it. */
export interface SubagentType {
  readonly name: string
  readonly description: string
}

export interface SubagentTask {
  readonly task: string
  readonly subagentType: string
  readonly name: string | null
  readonly todoIndex: number | null
}

/** A subagent that ended: with a result, or with an error and the branch as far as it came. */
export interface SubagentOutcome {
  readonly threadId: ThreadId
  readonly branchId: BranchId
  readonly handle: Handle
  readonly name: string
  readonly task: string
  readonly result: string | null
  readonly error: string | null
  readonly diff: BranchDiff
}

export interface SpawningCall {
  readonly threadId: ThreadId
  readonly callId: ToolCallId
}

/**
 * Runs subagents for a tool call. Forking is durable and found again by the call's id, so a call that is entered a
 * second time after a restart goes on with the same subagents, and those that finished are not run again.
 */
export interface Subagents {
  /** The types a task may name. */
  readonly types: readonly SubagentType[]
  /** True when the call started its subagents already, before a restart. */
  hasForked(call: SpawningCall): boolean
  /** Forks one branch per task, from the caller's tree as it is now. */
  fork(call: SpawningCall, tasks: readonly SubagentTask[]): readonly ThreadId[]
  /** Runs all at once and waits for all; one that fails never fails the others. */
  run(caller: ThreadId, threadIds: readonly ThreadId[], signal: AbortSignal): Promise<readonly SubagentOutcome[]>
}

/**
 * Runs the tasks of a call a few at a time, each by a subagent on its own fork. What a task came to is read from its
 * subagent's thread, so a call that is entered again, after a restart or for a retry, goes on with what has no outcome.
 */
export interface Batches {
  /** Waits for all. One that fails never fails the others; what a spent budget keeps from starting is skipped. */
  run(call: SpawningCall, signal: AbortSignal): Promise<BatchSummary>
  /** US dollars that so many tasks may cost, by what subagents have cost so far; null where that is not known. */
  estimate(threadId: ThreadId, tasks: number): number | null
}

/** One task of a batch that did not end well, as the summary names it. */
export interface BatchFailure {
  /** 0-based position among the tasks. */
  readonly index: number
  readonly id: string
  readonly status: BatchOutcome
  /** Null when the task was never started. */
  readonly handle: Handle | null
  readonly error?: string
}

/** What the model reads of a batch: as long for a thousand tasks as for ten. */
export interface BatchSummary extends Readonly<Record<BatchOutcome, number>> {
  readonly tasks: number
  readonly changed_paths: number
  readonly usage: Usage
  readonly summary_file: string
  readonly results_file: string
  readonly failures_file: string
  /** The first few that are not `ok`. */
  readonly failures: readonly BatchFailure[]
}
