import type { BatchOutcome } from '#shared/model/batch.ts'
import type { BranchDiff } from '#shared/model/branch.ts'
import type { BranchId, Handle, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { Usage } from '#shared/model/usage.ts'

/** A kind of subagent as the delegating model reads it. */
export interface SubagentType {
  /** What a task gives as its type. */
  readonly name: string
  /** When to use it. */
  readonly description: string
}

export interface SubagentTask {
  /** The first message of the subagent. */
  readonly task: string
  /** The name of a `SubagentType`. */
  readonly subagentType: string
  /** Null lets the app choose one. */
  readonly name: string | null
  /** 0-based item of the todo list that follows the subagent; null for none. */
  readonly todoIndex: number | null
}

/** A subagent that ended: with a result, or with an error and the branch as far as it came. */
export interface SubagentOutcome {
  /** The subagent's own thread. */
  readonly threadId: ThreadId
  /** The branch that it worked on, not merged yet. */
  readonly branchId: BranchId
  /** Names the branch for the parent, such as `subagent_0`. */
  readonly handle: Handle
  /** For people; two subagents may share it. */
  readonly name: string
  /** As it was given. */
  readonly task: string
  /** Its last answer; null when it failed. */
  readonly result: string | null
  /** A sentence; null when it ended well. */
  readonly error: string | null
  /** Everything the branch changed since its fork. */
  readonly diff: BranchDiff
}

export interface SpawningCall {
  /** The parent's thread. */
  readonly threadId: ThreadId
  /** Finds the subagents of the call again after a restart. */
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
  /** Runs all at the same time and waits for all. A failing one never fails the others. Throws the abort reason. */
  run(caller: ThreadId, threadIds: readonly ThreadId[], signal: AbortSignal): Promise<readonly SubagentOutcome[]>
}

/**
 * Runs the tasks of a call a few at a time, each by a subagent on its own fork. What a task came to is read from its
 * subagent's thread, so a call that is entered again, after a restart or for a retry, goes on with what has no outcome.
 */
export interface Batches {
  /** Waits for all tasks. A failing task never fails the others; tasks without budget left are skipped. */
  run(call: SpawningCall, signal: AbortSignal): Promise<BatchSummary>
  /** Estimated US dollars for a number of tasks, from the cost of earlier subagents. Null when unknown. */
  estimate(threadId: ThreadId, tasks: number): number | null
}

/** One task of a batch that did not end well, as the summary names it. */
export interface BatchFailure {
  /** 0-based position among the tasks. */
  readonly index: number
  /** As the model named the task. */
  readonly id: string
  /** Any outcome but `ok`. */
  readonly status: BatchOutcome
  /** Null when the task was never started. */
  readonly handle: Handle | null
  /** At most 200 characters; empty when the task left no message. */
  readonly error?: string
}

/** The summary of a batch that the model reads. It is as long for a thousand tasks as for ten. */
export interface BatchSummary extends Readonly<Record<BatchOutcome, number>> {
  /** How many tasks the batch has; the counts by outcome add up to it. */
  readonly tasks: number
  /** Changed paths of all tasks, added up: a path counts once for each task. */
  readonly changed_paths: number
  /** Of all subagents of the batch together. */
  readonly usage: Usage
  /** Path of this summary, for the file tools. */
  readonly summary_file: string
  /** Path of one line of JSON for each task. */
  readonly results_file: string
  /** Path of one line of JSON for each task that is not `ok`. */
  readonly failures_file: string
  /** The first few tasks that are not `ok`. */
  readonly failures: readonly BatchFailure[]
}
