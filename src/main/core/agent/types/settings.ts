import type { ContextScope } from '#shared/model/thread.ts'
import type { PolicySettings } from '../../approval/policy.ts'
import type { RunnerLimits } from '../../ports/code-runner.ts'
import type { Effort } from '../../ports/model-client.ts'

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

/** How much may be spent; null where nothing limits it. */
export interface Budget {
  /** US dollars. Models of unknown price cost nothing here. */
  readonly cost: number | null
  readonly tokens: number | null
  readonly modelCalls: number | null
  readonly minutes: number | null
}

/** For one run with all its subagents, for a thread's whole life, for one batch, and for one subagent. */
export interface Budgets {
  readonly run: Budget
  readonly thread: Budget
  readonly batch: Budget
  readonly subagent: Budget
}

export const unlimited: Budget = { cost: null, tokens: null, modelCalls: null, minutes: null }

/** A run that nobody watches stops before it gets expensive. */
export const defaultBudgets: Budgets = {
  run: { ...unlimited, cost: 5 },
  thread: unlimited,
  batch: unlimited,
  subagent: unlimited,
}

export interface SummarisationSettings {
  readonly tokens: number
  readonly share: number
}

export const defaultSummarisation: SummarisationSettings = { tokens: 170_000, share: 0.85 }

export interface RetryPolicy {
  /** Tries in all, the first one included. */
  readonly attempts: number
  readonly baseDelayMs: number
  readonly maxDelayMs: number
}

export const defaultRetry: RetryPolicy = { attempts: 6, baseDelayMs: 1_000, maxDelayMs: 60_000 }
