import type { JsonValue } from '#shared/base/json.ts'
import type { BranchDiff } from '#shared/model/branch.ts'
import type { AttemptsWish, AttemptVerdict } from '#shared/model/calls/attempts.ts'
import type { AwaitedBefore, AwaitedResult } from '#shared/model/derived/awaited.ts'
import type { BatchOutcome } from '#shared/model/derived/batch.ts'
import type { BranchId, Handle, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { Usage } from '#shared/model/models/usage.ts'
import type { ThreadStatus } from '#shared/model/thread.ts'
import type { FileAccess } from '../../secrets/file-access.ts'

/** A kind of subagent, as the delegating model sees it. */
export interface SubagentType {
  /** The name that a task gives as its type. */
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

/** A subagent that ended, with a result or an error, and the branch as far as it got. */
export interface SubagentOutcome {
  /** The subagent's own thread. */
  readonly threadId: ThreadId
  /** The branch that it worked on, not merged yet. */
  readonly branchId: BranchId
  /** The parent's name for the branch, such as `subagent_0`. */
  readonly handle: Handle
  /** For people. Two subagents may have the same name. */
  readonly name: string
  /** The task as given. */
  readonly task: string
  /** Its answer, or what it said before it ended otherwise; null when there is none. JSON as its definition asks for it, else a text. */
  readonly result: JsonValue
  /** A sentence; null when it succeeded. */
  readonly error: string | null
  /** Everything the branch changed since its fork. */
  readonly diff: BranchDiff
  /** Milliseconds since the Unix epoch. Null while it works. */
  readonly endedAt: number | null
}

/** How far a subagent is. */
export interface SubagentView extends Pick<SubagentOutcome, 'threadId' | 'handle' | 'name' | 'task'> {
  readonly status: ThreadStatus
  /** True from its start until its end is stored. */
  readonly isRunning: boolean
  /** The tool that it calls now. Null for none. */
  readonly doing: string | null
  /** Its last words. Empty before it said something. */
  readonly said: string
}

export interface SpawningCall {
  /** The parent's thread. */
  readonly threadId: ThreadId
  /** Used to find the subagents of the call again after a restart. */
  readonly callId: ToolCallId
}

/** Subagents that work while the agent that started them goes on. */
export interface BackgroundSubagents {
  /** Runs them beside the caller, which goes on. A stop of the caller stops them too. */
  begin(caller: ThreadId, threadIds: readonly ThreadId[]): void
  /** All that the caller has started, oldest first. */
  list(caller: ThreadId): readonly SubagentView[]
  /** Waits until all of them, or any, do not run. Those that do not come back. Throws the abort reason. */
  waitFor(
    caller: ThreadId,
    threadIds: readonly ThreadId[],
    until: 'any' | 'all',
    signal: AbortSignal,
  ): Promise<readonly SubagentOutcome[]>
  /** Tells one that works something more at its next step, and has one that has ended go on with it. */
  tell(caller: ThreadId, threadId: ThreadId, text: string): 'queued' | 'begun'
  /** Stops one. Resolves when its end is stored. */
  stop(threadId: ThreadId): Promise<void>
}

/**
 * Runs subagents for a tool call. Forks are stored and found again by the call's id. So a call that continues after a
 * restart uses the same subagents and does not run finished ones again.
 */
export interface Subagents extends BackgroundSubagents {
  /** The types that a task may name. */
  readonly types: readonly SubagentType[]
  /** Why no subagent of a type can start; undefined when one can. */
  startProblem(type: string): string | undefined
  /** True when the call already started its subagents before a restart. */
  hasForked(call: SpawningCall): boolean
  /** Forks one branch per task, from the caller's current tree. */
  fork(call: SpawningCall, tasks: readonly SubagentTask[]): readonly ThreadId[]
  /** Runs all at the same time and waits for all. A failing one never fails the others. Throws the abort reason. */
  run(caller: ThreadId, threadIds: readonly ThreadId[], signal: AbortSignal): Promise<readonly SubagentOutcome[]>
  /**
   * What the branch changed as a unified patch of at most so many characters, which says what it leaves out. What the caller
   * may not read without asking is named alone.
   */
  patchOf(branchId: BranchId, access: FileAccess, limit: number): Promise<string>
}

/**
 * Runs the tasks of a call a few at a time, each with a subagent on its own fork. The outcome of a task is read from
 * its subagent's thread. So after a restart or for a retry, the call continues with the tasks that have no outcome.
 */
export interface Batches {
  /** Waits for all tasks. A failing task never fails the others; tasks without remaining budget are skipped. */
  run(call: SpawningCall, signal: AbortSignal): Promise<BatchSummary>
  /** Ends the tasks of a running batch. The agent that started it goes on. Returns false when the batch does not run. */
  stop(call: SpawningCall): boolean
  /** Call it when a person has changed a batch. Does nothing for one that does not run. */
  heard(call: SpawningCall): void
  /** What the tasks of a batch for which code waits came to, for that code. Undefined for any other batch. */
  resultsForCode(call: SpawningCall, otherwise: BatchOutcome): Promise<readonly AwaitedResult[] | undefined>
  /** What the code that waits now had waited for before; nothing when none waits. */
  awaitedBefore(threadId: ThreadId): AwaitedBefore
  /** Estimated US dollars for a number of tasks, from the cost of earlier subagents. Null when unknown. */
  estimate(threadId: ThreadId, tasks: number): number | null
  readonly attempts: Attempts
}

/** Tries one task several times at once, each attempt on its own fork of one tree. Its call is a batch. */
export interface Attempts {
  /** Why attempts cannot be made as they are wanted, by a thread or with a model; undefined when they can. */
  problem(wish: AttemptsWish, by: ThreadId | { readonly model: string }): string | undefined
  /** True while a thread answers a message that a person wants tried several times. */
  isPersons(threadId: ThreadId): boolean
  /** Runs all, judges them, and says what was found. Throws the abort reason. */
  run(call: SpawningCall, wish: AttemptsWish, signal: AbortSignal): Promise<AttemptsSummary>
  /** Ends those that run; what they changed stays. Returns false when they do not run. */
  stop(call: SpawningCall): boolean
  /** Waits before a request of an attempt that has spent its part of a round. Returns at once for every other thread. */
  pass(threadId: ThreadId, signal: AbortSignal): Promise<void>
}

/** What was found of all attempts, for the agent that wanted them. The best one comes first. */
export interface AttemptsSummary {
  readonly attempts: readonly FoundAttempt[]
  /** The handle of the one to take: the best, if it changed something and every check is green. Null when none is. */
  readonly best: Handle | null
  /** What to know besides, in sentences. Empty for nothing. */
  readonly note: string
  /** Path of a file with one line of JSON for each attempt, with what its agent said. */
  readonly results_file: string
  /** US dollars of all together. Null when a price is unknown. */
  readonly cost: number | null
  readonly stopped_by_user?: true
}

export interface FoundAttempt {
  readonly attempt: number
  /** Null for one that could not be made. */
  readonly handle: Handle | null
  readonly checks: AttemptVerdict
  /** Names of checks that are not green. */
  readonly not_green: readonly string[]
  readonly files: number
  readonly lines: number
  readonly cost: number | null
  readonly findings: readonly string[] | null
  /** The handle of the first attempt with the same files. Absent for files of its own. */
  readonly same_as?: Handle
  /** Why it ended otherwise than by itself. Absent when it did not. */
  readonly ended?: string
}

/** One unsuccessful task of a batch, as named in the summary. */
export interface BatchFailure {
  /** 0-based position among the tasks. */
  readonly index: number
  /** The id that the model gave the task. */
  readonly id: string
  /** Any outcome except `ok`. */
  readonly status: BatchOutcome
  /** Null when the task was never started. */
  readonly handle: Handle | null
  /** At most 200 characters; empty when the task left no message. */
  readonly error?: string
}

/** The summary of a batch for the model. It is as long for a thousand tasks as for ten. */
export interface BatchSummary extends Readonly<Record<BatchOutcome, number>> {
  /** Number of tasks in the batch. The counts by outcome add up to it. */
  readonly tasks: number
  /** Number of changed paths of all tasks together. A path counts once for each task. */
  readonly changed_paths: number
  /** The usage of all subagents of the batch together. */
  readonly usage: Usage
  /** Path of this summary, for the file tools. */
  readonly summary_file: string
  /** Path of a file with one line of JSON for each task. */
  readonly results_file: string
  /** Path of a file with one line of JSON for each task that is not `ok`. */
  readonly failures_file: string
  /** The first few tasks that are not `ok`. */
  readonly failures: readonly BatchFailure[]
  /** Present when a person stopped the batch. Tasks without an outcome are `cancelled` then. */
  readonly stopped_by_user?: true
}
