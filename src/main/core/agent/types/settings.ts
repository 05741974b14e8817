import type { ContextScope } from '#shared/model/thread.ts'
import type { PolicySettings } from '../../approval/policy.ts'
import type { RunnerLimits } from '../../ports/code-runner.ts'
import type { Effort } from '../../ports/model-client.ts'

/** The settings of agents, read anew at the start of every run. */
export interface AgentSettings {
  /** Replaces the built-in role of the main agent; null keeps it. */
  readonly systemPrompt: string | null
  /** Model replies in one run of the main agent. */
  readonly maxIterations: number
  /** Model replies in one run of a subagent. */
  readonly maxSubagentIterations: number
  /** Levels of subagents below the main agent; 0 allows none. */
  readonly maxSubagentDepth: number
  /** Most subagents of one batch that work at the same time. */
  readonly batchConcurrency: number
  /** Of one reply. */
  readonly maxTokens: number
  /** Null for the model's own default. */
  readonly temperature: number | null
  /** Null for the model's own default. */
  readonly effort: Effort | null
  /** All limits hold at once. The first one that is spent stops the run. */
  readonly budgets: Budgets
  /** How much of the conversation a subagent sees when its definition does not say. */
  readonly quarantine: ContextScope
  /** True when nested subagents see as much as their parent. Otherwise `quarantine` decides for each. */
  readonly quarantineInherited: boolean
  /** Rules and settings for approval. */
  readonly policy: PolicySettings
  /** When a long conversation is summarised. */
  readonly summarisation: SummarisationSettings
  /** Most tokens of a tool's result that stay in the conversation. */
  readonly resultTokens: number
  /** For model calls that fail in a way that may pass. */
  readonly retry: RetryPolicy
  /** For every run of a script. */
  readonly runner: RunnerLimits
}

/** The most that may be spent. Null means no limit. */
export interface Budget {
  /** US dollars. Models of unknown price cost nothing here. */
  readonly cost: number | null
  /** Input, output and cached input together. */
  readonly tokens: number | null
  /** Requests that a provider answered. */
  readonly modelCalls: number | null
  /** Wall-clock time. */
  readonly minutes: number | null
}

/** For one run with all its subagents, for a thread's whole life, for one batch, and for one subagent. */
export interface Budgets {
  /** Covers one run with all its subagents. */
  readonly run: Budget
  /** Covers a thread's whole life. */
  readonly thread: Budget
  /** Covers one batch with all its tasks. */
  readonly batch: Budget
  /** Covers each subagent by itself. */
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
  /** Summarises at this many tokens, or earlier by `share`. */
  readonly tokens: number
  /** Part of the model's window that may be filled, between 0 and 1. */
  readonly share: number
}

export const defaultSummarisation: SummarisationSettings = { tokens: 170_000, share: 0.85 }

export interface RetryPolicy {
  /** Number of tries, the first one included. */
  readonly attempts: number
  /** Wait before the second try; it doubles with every further one. */
  readonly baseDelayMs: number
  /** Longest wait between two tries. */
  readonly maxDelayMs: number
}

export const defaultRetry: RetryPolicy = { attempts: 6, baseDelayMs: 1_000, maxDelayMs: 60_000 }
