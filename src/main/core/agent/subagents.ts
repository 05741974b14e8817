import type { BranchDiff } from '#shared/model/branch.ts'
import type { BranchId, Handle, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { AgentDefinition } from './agent-definition.ts'

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
  readonly types: readonly Pick<AgentDefinition, 'name' | 'description'>[]
  /** True when the call started its subagents already, before a restart. */
  hasForked(call: SpawningCall): boolean
  /** Forks one branch per task, from the caller's tree as it is now. */
  fork(call: SpawningCall, tasks: readonly SubagentTask[]): readonly ThreadId[]
  /** Runs all at once and waits for all; one that fails never fails the others. */
  run(caller: ThreadId, threadIds: readonly ThreadId[], signal: AbortSignal): Promise<readonly SubagentOutcome[]>
}
