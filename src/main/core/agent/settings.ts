import type { ContextScope } from '#shared/model/thread.ts'
import type { PolicySettings } from '../approval/policy.ts'
import type { RunnerLimits } from '../ports/code-runner.ts'
import type { Effort } from '../ports/model-client.ts'
import type { Budgets } from './budgets.ts'
import type { SummarisationSettings } from './compaction.ts'
import type { RetryPolicy } from './retry.ts'

/** What a person can set about agents, read anew at the start of every run. */
export interface AgentSettings {
  readonly systemPrompt: string | null
  readonly maxIterations: number
  readonly maxSubagentIterations: number
  readonly maxSubagentDepth: number
  /** Subagents of one batch that work at once. */
  readonly batchConcurrency: number
  readonly maxTokens: number
  readonly temperature: number | null
  readonly effort: Effort | null
  readonly budgets: Budgets
  readonly quarantine: ContextScope
  /** Nested subagents see what their parent sees; else theirs is decided afresh. */
  readonly quarantineInherited: boolean
  readonly policy: PolicySettings
  readonly summarisation: SummarisationSettings
  /** Tokens of a tool's result that stay in the conversation. */
  readonly resultTokens: number
  readonly retry: RetryPolicy
  readonly runner: RunnerLimits
}
