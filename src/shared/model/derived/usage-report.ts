import type { BranchId, ThreadId } from '../ids.ts'
import type { Usage } from '../models/usage.ts'

/** What a model was asked for: a reply, the summary of a compaction, the verdict on a goal's criteria, or messages for commits. */
export type UsagePurpose = 'reply' | 'summary' | 'grade' | 'delivery'

/** Everything that one run used on one day of one model for one purpose. */
export interface UsageRow {
  /** The beginning of the day, in milliseconds since the Unix epoch: one of the days that the report was asked for. */
  readonly day: number
  readonly threadId: ThreadId
  /**
   * Which attempt at the agent's task it was, from 1. Every run of its thread counts, and so do the runs of earlier
   * subagents that had the same task of the same call, because a batch retries a task with a new subagent. 0 before the
   * first run.
   */
  readonly run: number
  readonly model: string
  readonly purpose: UsagePurpose
  readonly usage: Usage
}

/** An agent that used something, or the root agent above one. */
export interface UsageThread {
  readonly id: ThreadId
  /** The root thread of its family; its own id for a root thread. */
  readonly root: ThreadId
  readonly title: string
  readonly agent: string
  readonly agentType: string
  /** 0 for a root thread. */
  readonly depth: number
  readonly branchId: BranchId
  readonly branch: string
  /** The batch that started it or an agent above it, as the id of a `UsageBatch`; null for none. */
  readonly batch: string | null
}

export interface UsageBatch {
  /** The thread and the call that started it. Call ids alone are unique only within a thread. */
  readonly id: string
  readonly root: ThreadId
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** Tasks that were started. */
  readonly tasks: number
}

/** What the threads of one project used. Threads and batches are named once, because there are many rows. */
export interface UsageReport {
  readonly rows: readonly UsageRow[]
  readonly threads: readonly UsageThread[]
  readonly batches: readonly UsageBatch[]
}

/** What one project used, by day and model. */
export interface ProjectUsage {
  readonly id: string
  readonly name: string
  /** Absolute path on the host; null for a project without a folder. */
  readonly folder: string | null
  readonly rows: readonly Pick<UsageRow, 'day' | 'model' | 'usage'>[]
  /** Why its journal could not be read, as a sentence; null when it could. It has no rows then. */
  readonly problem: string | null
}
