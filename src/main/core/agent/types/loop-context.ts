import type { Result } from '#shared/base/result.ts'
import type { CheckResult, Goal } from '#shared/model/check.ts'
import type { Drift } from '#shared/model/drift.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { Effort } from '#shared/model/models/model-facts.ts'
import type { AssumedPrice } from '#shared/model/models/usage.ts'
import type { ProcessView } from '#shared/model/process.ts'
import type { RunReason, RunStatus } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { ModelClient, ModelRequest, RequestMessage, ToolSpec } from '../../ports/model-client.ts'
import type { Instructions } from '../../prompts/appendices.ts'
import type { CallContext, Commit, CommitOutcome } from '../calls/call-context.ts'
import type { Conversation } from '../context/conversation.ts'
import type { Background } from '../delegation/background.ts'
import type { Reservation } from '../delegation/reservations.ts'
import type { BranchOverlap } from '../drift/overlap-watch.ts'
import type { ExternalSessions } from '../external/external-sessions.ts'
import type { ModelGate } from '../model/model-gate.ts'
import type { AgentStages } from '../stages/agent-stages.ts'
import type { AgentProgram } from './agent-definition.ts'
import type { RetryPolicy, SummarisationSettings } from './settings.ts'

/** Everything the loop of one thread may use. Read the thread again after every commit. */
export interface LoopContext extends CallContext {
  /** The agent's path in its family, which is the same in every run of the same task: `main/subagent_0`. */
  readonly agentPath: string
  /**
   * Entries to store before the next request: with the start of the run what changed since the last one, and later what servers
   * listed meanwhile. Empty for nothing.
   */
  readonly news: () => Commit
  /** The fixed system prompt, equal for every request of the thread's life. */
  readonly system: string
  /** Those of the first run and then what came since; the model is always sent all of them. Read them anew for each request. */
  readonly toolSpecs: readonly ToolSpec[]
  /** Messages of the parent that this agent sees before its own. Empty for a root thread. */
  readonly inherited: readonly RequestMessage[]
  /** Turns messages into request form, and reuses the result for the next request. */
  readonly conversation: Conversation
  /** Set for an agent that is a program or a server instead of a model. */
  readonly program: AgentProgram | null
  /** The external agents that work in the project. */
  readonly external: ExternalSessions
  /** What is asked around the agent's work: programs and hooks of the person and the project. */
  readonly stages: AgentStages
  readonly models: LoopModels
  /** As set when the run started. */
  readonly retry: RetryPolicy
  /** As set when the run started. */
  readonly limits: RunLimits
  /** A subagent runs in `work`, unless `calls` was requested. */
  readonly mode: RunMode
  /**
   * What is wrong with a subagent's answer; null for nothing. That of a root thread is read by whoever asked for it.
   */
  answerProblem(): string | null
  /** Instructions of the folders above a path, outermost first, without those of the root. */
  instructionsAt(path: VirtualPath): Promise<readonly Instructions[]>
  /** What the thread must reach before it is done. */
  readonly goal: ThreadGoal
  /** The message of a spent budget; undefined while every budget has room. */
  spentBudget(): string | undefined
  /** Waits for room in every budget of the thread for one request. */
  reserve(request: ModelRequest, signal: AbortSignal): Promise<Reservation>
  /** The subset of `callIds` already used in this thread family. */
  usedCallIds(callIds: readonly ToolCallId[]): ReadonlySet<ToolCallId>
  /** What others changed where the agent works, whether or not it was told. */
  readonly others: {
    /** Every file that changed on disk since the agent read or changed it. */
    drift(): Promise<readonly Drift[]>
    /** Every file that another branch of the family changed so that it does not join with the agent's. */
    overlaps(): Promise<readonly BranchOverlap[]>
  }
  /** The commands that the agent started in the background, oldest first, also those that have ended. */
  processes(): readonly ProcessView[]
  /**
   * Ends the commands of the thread that run in the background, except those that a person keeps. Resolves when their
   * changes are stored.
   */
  endProcesses(): Promise<void>
  readonly waits: LoopWaits
  /** The subagents that it started and did not wait for. */
  readonly background: Background
  /** At least 0 and less than 1, as `Math.random`. */
  random(): number
}

/** What a request may wait for. Each rejects with the abort reason. */
export interface LoopWaits {
  /** Resolves when a person wants a failed request to be tried again at once. */
  retried(signal: AbortSignal): Promise<void>
  /** Resolves when the machine slept and is awake again. */
  awake(signal: AbortSignal): Promise<void>
}

/** The models that an agent may ask. */
export interface LoopModels {
  /** The client that serves a model. */
  clientOf(model: string): ModelClient
  /** Size of a model's window, in tokens. */
  windowOf(model: string): Promise<number>
  /** Limits the requests to a model's server. Shared by all agents. */
  gateFor(model: string): ModelGate
  /** The one that summarises, grades and proposes messages. */
  summary(): string
  /** Those that may answer when the thread's model cannot, in their order. */
  fallbacks(): readonly string[]
}

/**
 * `step` pauses after every turn until a person continues. `compact` summarises the conversation and ends. `calls`
 * gives open calls their results and ends.
 */
export type RunMode = 'work' | 'step' | 'compact' | 'calls'

export interface RunLimits {
  /** Model replies in one run; 1 for an agent of the mode `tool`. */
  readonly maxIterations: number
  /** Most tokens of one reply. */
  readonly maxTokens: number
  /** The most US dollars for the whole run, announced at its start. Null for a subagent and without a limit. */
  readonly cost: number | null
  /** What `cost` counts with when the price of the model is unknown. Null when it is known or there is no limit. */
  readonly assumedPrice: AssumedPrice | null
  /** Null for the model's own default. */
  readonly temperature: number | null
  /** Null for the model's own default. */
  readonly topP: number | null
  /** Null for the model's own default. */
  readonly topK: number | null
  /** For a thread that says nothing of it. Null for the model's own default. */
  readonly effort: Effort | null
  /** For a thread that says nothing of it. False for no thoughts, null for the model's own default. */
  readonly thinking: boolean | null
  /** When the conversation is summarised; null for only when a person asks. */
  readonly summarisation: SummarisationSettings | null
  /** Most tokens of a result that stay in the conversation; Infinity without a limit. */
  readonly resultTokens: number
  /** Most tokens of what a message says that stay in the conversation; Infinity for an agent that cannot read files. */
  readonly messageTokens: number
  /** False when the provider is not asked to cache the conversation. */
  readonly caching: boolean
}

/** The goal of a thread. That of a subagent is in its definition. */
export interface ThreadGoal {
  /** Null for none. */
  current(): Goal | null
  /** Why it can never be reached, as a sentence for a person; null when there is no such reason. */
  problem(): string | null
  /** The required checks of the goal that are not green on the thread's tree. Those without a result are run. */
  check(signal: AbortSignal): Promise<Result<readonly CheckResult[], string>>
  /** What a grader may see: the thread's change, and what the checks say about it. */
  findEvidence(signal: AbortSignal): Promise<GoalEvidence>
  /** True for a subagent: nobody can be asked in its place, so a missed goal ends its run as failed. */
  readonly isDelegated: boolean
}

export interface GoalEvidence {
  /** The change of the thread's branch as text. */
  readonly change: string
  /** The changed files that are not whole in it. */
  readonly unseen: readonly VirtualPath[]
  /** A line or more for each check. */
  readonly checks: string
}

/** Stores a commit of the loop. Only a commit that changes a branch can be refused. */
export type StoreCommit = (entries: Commit) => CommitOutcome

export interface RunEnd {
  /** The status that the thread has after the run. */
  readonly status: RunStatus
  /** Distinguishes ends with the same status. */
  readonly reason: RunReason
  /** A sentence for a person; empty when there is nothing to say. */
  readonly message: string
  /** What a failed request to the model was about: the code of its error. */
  readonly cause?: string
  /** Hosts that the sandbox kept an external agent from, which may be why. */
  readonly refusedHosts?: readonly string[]
}
