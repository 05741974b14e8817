import type { Goal } from '#shared/model/check.ts'
import type { Effort } from '#shared/model/models/model-facts.ts'
import type { AssumedPrice } from '#shared/model/models/usage.ts'
import type { ContextScope } from '#shared/model/thread.ts'
import type { PolicySettings } from '../../approval/policy.ts'
import type { RunnerLimits } from '../../ports/code-runner.ts'
import type { AgentTuning } from './tuning.ts'

/** The settings of agents, read at the start of every run. */
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
  /** Most background processes that run at the same time, of all agents. */
  readonly mostProcesses: number
  /** Most tokens of one reply. */
  readonly maxTokens: number
  /** Whether agents may read pages of the web. */
  readonly fetchesPages: boolean
  /** Whether agents know the memories for all projects. */
  readonly userMemory: boolean
  /** What a thread must reach before it is done, unless it says so itself. Null for nothing. */
  readonly goal: Goal | null
  /** For every agent, unless its definition says otherwise. */
  readonly tuning: AgentTuning
  /** The model of new threads. */
  readonly usualModel: string
  /** The model of subagents whose definition names none; null for the model of their parent. */
  readonly subagentModel: string | null
  /** The model that summarises and grades; null for the model of the thread. */
  readonly summaryModel: string | null
  /** Models that answer in turn while the model of a thread cannot. */
  readonly fallback: readonly string[]
  /** Null for the model's own default. */
  readonly effort: Effort | null
  /** All limits apply at once. The first spent one stops the run. */
  readonly budgets: Budgets
  /** How limits in dollars count a model whose price is unknown. `refuse`: it may not run while there is such a limit. */
  readonly unknownPrice: AssumedPrice | 'refuse'
  /** How much of the conversation a subagent sees, unless its definition says otherwise. */
  readonly quarantine: ContextScope
  /** True when nested subagents see as much as their parent. Otherwise `quarantine` decides for each. */
  readonly quarantineInherited: boolean
  /** Mistakes in the settings that would let something pass unasked, in sentences for a person. */
  readonly gateProblems: readonly string[]
  /** Rules and settings for approval. */
  readonly policy: PolicySettings
  /** When a long conversation is summarised. */
  readonly summarisation: SummarisationSettings
  /** Most tokens of a tool's result that stay in the conversation. */
  readonly resultTokens: number
  /** For model calls with temporary errors. */
  readonly retry: RetryPolicy
  /** For every run of a script. */
  readonly runner: RunnerLimits
}

/** The most that may be spent. Null means no limit. */
export interface Budget {
  /** US dollars. A model of unknown price counts with its assumed price. */
  readonly cost: number | null
  /** Input, output and cached input together. */
  readonly tokens: number | null
  /** Requests that a provider answered. */
  readonly modelCalls: number | null
  /** Wall-clock time. */
  readonly minutes: number | null
}

/** Four budgets that apply at once. */
export interface Budgets {
  /** Covers one run with all its subagents. */
  readonly run: Budget
  /** Covers a thread's whole life. */
  readonly thread: Budget
  /** Covers one batch with all its tasks. */
  readonly batch: Budget
  /** Covers each subagent alone. */
  readonly subagent: Budget
}

export const unlimited: Budget = { cost: null, tokens: null, modelCalls: null, minutes: null }

/** An unwatched run stops before it gets expensive. */
export const defaultBudgets: Budgets = {
  run: { ...unlimited, cost: 5 },
  thread: unlimited,
  batch: unlimited,
  subagent: unlimited,
}

/** The list price of a mid-size model, so that a limit holds before anybody has set a price. */
export const defaultUnknownPrice: AssumedPrice = { input: 3, output: 15 }

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
  /** Milliseconds before the second try, doubled with each further one. */
  readonly baseDelayMs: number
  /** Most milliseconds between two tries. */
  readonly maxDelayMs: number
}

export const defaultRetry: RetryPolicy = { attempts: 6, baseDelayMs: 1_000, maxDelayMs: 60_000 }
