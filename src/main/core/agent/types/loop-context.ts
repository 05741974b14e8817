import type { Clock } from '#shared/base/clock.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { Result } from '#shared/base/result.ts'
import type { Call } from '#shared/model/call.ts'
import type { CheckResult, Goal } from '#shared/model/check.ts'
import type { Drift } from '#shared/model/drift.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { LiveEventBody } from '#shared/model/event.ts'
import type { LayerId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { Effort } from '#shared/model/models/model-facts.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { ProcessView } from '#shared/model/process.ts'
import type { PermissionRules } from '#shared/model/settings.ts'
import type { ApprovalMode, RunReason, RunStatus, ThreadState } from '#shared/model/thread.ts'
import type { AssumedPrice } from '#shared/model/usage.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { CallAccess, ToolFacts } from '#shared/tools/tool-facts.ts'
import type { FileEffect } from '../../approval/effects.ts'
import type { ApprovalPolicy } from '../../approval/policy.ts'
import type { MemoryTrace } from '../../memory/memory-files.ts'
import type { LeafChange } from '../../overlay/changes.ts'
import type { Tree } from '../../overlay/tree.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { ModelClient, RequestMessage, ToolSpec } from '../../ports/model-client.ts'
import type { Instructions } from '../../prompts/appendices.ts'
import type { PrefixName } from '../../tools/namespace/prefixes.ts'
import type { Tool, ToolContext } from '../../tools/tool.ts'
import type { Conversation } from '../context/conversation.ts'
import type { ModelGate } from '../model/model-gate.ts'
import type { ProgramStages } from '../model/program-stages.ts'
import type { AgentProgram } from './agent-definition.ts'
import type { RetryPolicy, SummarisationSettings } from './settings.ts'

/**
 * Everything one call works on. `commitStores` keeps its writes outside the overlay and returns its changes of the
 * memory.
 */
export interface CallWorkspace extends Pick<ToolContext, 'files' | 'branch' | 'drift' | 'access'> {
  /** The branch as it was when the call began. */
  readonly before: Tree
  /** What the call did so far to files beside the project, such as memories. */
  effectsBeside(): Promise<readonly FileEffect[]>
  /**
   * Makes changes durable that are not stored with the result: real folders and the texts of all projects. Call before
   * `commitStores`. Throws `FileTreeError`.
   */
  commitOutside(): Promise<void>
  /** The files that `commitOutside` has changed. */
  changedOutside(): readonly VirtualPath[]
  /**
   * Call when the result is stored. Deletes what the call moved to where only the result keeps it. Returns a sentence for
   * the agent when it could not be deleted.
   */
  finishOutside(): Promise<string | undefined>
  /** Call once, and only for a successful call. The trace belongs in the same commit as the result. */
  commitStores(): MemoryTrace
}

/** The agent's branch as it is now, and what can be told about its trees. */
export interface BranchState {
  tree(): Tree
  /** The layers that its commands find, the oldest first. */
  environment(): readonly LayerId[]
  hashOf(tree: Tree): string
  /** Every file that differs, sorted by path. A rename is one change, under its new path. */
  changesBetween(before: Tree, after: Tree): Promise<readonly LeafChange[]>
  /** Content of the branch. */
  readonly blobs: Pick<BlobStore, 'put' | 'get'>
  /** The rules about what commands did, read for every question. */
  rules(): PermissionRules
  /** Hosts that every command of the project may reach. A run that may reach one can have an effect there. */
  hosts(): readonly string[]
}

/** What a person allowed one call. */
export interface CallApproval {
  readonly approved: boolean
  /** The paths that the call names and changes. Empty for a call that nobody approved. */
  readonly written: readonly VirtualPath[]
}

/** Everything the loop of one thread may use. Read the thread again after every commit. */
export interface LoopContext {
  /** The thread whose loop this is: a root thread or a subagent's. */
  readonly threadId: ThreadId
  /** The agent's path in its family, which is the same in every run of the same task: `main/subagent_0`. */
  readonly agentPath: string
  /** Entries to store with the start of the run. */
  readonly opening: Commit
  /** The fixed system prompt, equal for every request of the thread's life. */
  readonly system: string
  /** Those of `toolSpecs` that can still run. */
  readonly tools: readonly Tool[]
  /** Fixed at the first run; the model is always sent all of them. */
  readonly toolSpecs: readonly ToolSpec[]
  /** Messages of the parent that this agent sees before its own. Empty for a root thread. */
  readonly inherited: readonly RequestMessage[]
  /** Turns messages into request form, and reuses the result for the next request. */
  readonly conversation: Conversation
  /** Reads the settings for every question. */
  readonly policy: ApprovalPolicy
  /** The thread's current mode, or a stricter one of an agent above it. */
  approvalMode(): ApprovalMode
  /** The files that a call reads and writes: its paths as written, and the paths that their links lead to. */
  accessOf(tool: ToolFacts, args: JsonObject): Promise<CallAccess>
  /** Set for an agent that is a program or a server instead of a model. */
  readonly program: AgentProgram | null
  /** The user's own stages of the agent. */
  readonly stages: ProgramStages
  /** The client that serves a model. */
  modelFor(model: string): ModelClient
  /** Size of a model's window, in tokens. */
  contextWindowOf(model: string): Promise<number>
  /** Limits the requests to a model's server. Shared by all agents. */
  gateFor(model: string): ModelGate
  /** The model that summarises and grades. */
  summaryModel(): string
  /** Models that may answer when the thread's model cannot, in their order. */
  fallbackModels(): readonly string[]
  /** As set when the run started. */
  readonly retry: RetryPolicy
  /** Times are milliseconds since the Unix epoch. */
  readonly clock: Clock
  /** As set when the run started. */
  readonly limits: RunLimits
  /** A subagent runs in `work`, unless `calls` was requested. */
  readonly mode: RunMode
  /** The folded state as it is now. Throws when the thread does not exist. */
  thread(): ThreadState
  /** JSON Schema that the final answer must fit; null when there is none, and for a subagent. */
  answerSchema(): JsonObject | null
  /** Instructions of the folders above a path, outermost first, without those of the root. */
  instructionsAt(path: VirtualPath): Promise<readonly Instructions[]>
  /** What the thread must reach before it is done. */
  readonly goal: ThreadGoal
  /** The message of a spent budget; undefined while every budget has room. */
  spentBudget(): string | undefined
  /** The subset of `callIds` already used in this thread family. */
  knownCalls(callIds: readonly ToolCallId[]): ReadonlySet<ToolCallId>
  /**
   * The branch as it is now, for one call; its changes wait for the commit. A call that a person approved may change
   * files that ask, and the files of real folders that it names. With `tree`: as if the branch had these files.
   */
  openWorkspace(signal: AbortSignal, approval: CallApproval, tree?: Tree): Promise<CallWorkspace>
  /** The agent's branch, for calls whose effects are held. */
  readonly branch: BranchState
  /** Why a person must be asked about changes of these paths: they are real files. Undefined for all others. */
  realFileReason(access: CallAccess): string | undefined
  /**
   * The files that the call would change if it ran now. Empty when no rule and no setting asks about changes of files,
   * and for a call whose effect cannot be known without running it for real.
   */
  foreseeEffects(call: Call, tool: Tool, signal: AbortSignal): Promise<readonly FileEffect[]>
  /**
   * What a patch does to the files of a call, and what the call did beside the project. Empty when no rule and no setting is
   * about files.
   */
  effectsOf(workspace: Pick<CallWorkspace, 'before' | 'effectsBeside'>, patch: Patch): Promise<readonly FileEffect[]>
  /** What a command will find of the project's setup, in a few words. Null when no setup is set. */
  describeEnvironment(): Promise<string | null>
  /** Every file that changed on disk since the agent read or changed it, whether or not the agent was told. */
  drift(): Promise<readonly Drift[]>
  /** False when someone else changed the branch while the call ran. */
  stillApplies(patch: Patch): boolean
  /** Hash of the agent's tree as it will be once these entries are stored. */
  treeHashAfter(entries: Commit): string
  /** Stores a result that is too large for the conversation and returns the text that replaces it. */
  evict(callId: ToolCallId, text: string): string
  /** Stores a text beside the project and returns the path where the agent can read it. */
  keepText(prefix: PrefixName, name: string, text: string): VirtualPath
  /** The commands that the agent started in the background, oldest first, also those that have ended. */
  processes(): readonly ProcessView[]
  /**
   * Ends the commands of the thread that run in the background, except those that a person keeps. Resolves when their
   * changes are stored.
   */
  endProcesses(): Promise<void>
  /** Resolves when no decision is missing. Rejects with the abort reason. */
  untilDecided(signal: AbortSignal): Promise<void>
  /** Resolves when a person wants a failed request to be tried again at once. Rejects with the abort reason. */
  untilRetried(signal: AbortSignal): Promise<void>
  /** Resolves when the machine slept and is awake again. Rejects with the abort reason. */
  untilAwake(signal: AbortSignal): Promise<void>
  /** Announces an event at once; nothing is stored. */
  live(event: LiveEventBody): void
  /** A new id, unique in the project. */
  nextId(): string
  /** At least 0 and less than 1, as `Math.random`. */
  random(): number
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
  /** For a thread that says nothing of it. Null for the model's own default. */
  readonly effort: Effort | null
  /** For a thread that says nothing of it. False for no thoughts, null for the model's own default. */
  readonly thinking: boolean | null
  /** When the conversation is summarised; null for only when a person asks. */
  readonly summarisation: SummarisationSettings | null
  /** Most tokens of a result that stay in the conversation; Infinity without a limit. */
  readonly resultTokens: number
  /** False when the provider is not asked to cache the conversation. */
  readonly caching: boolean
}

/** Entries that the loop wants stored, in one transaction. */
export type Commit = readonly EntryFromTool[]

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
  /** A line or more for each check. */
  readonly checks: string
}

/** `moved_on`: someone else changed the branch meanwhile, so the whole commit was dropped. */
export type CommitOutcome = 'stored' | 'moved_on'

/** Stores a commit of the loop. Only a commit that changes a branch can be refused. */
export type StoreCommit = (entries: Commit) => CommitOutcome

/** A part of the loop. It yields entries to store and is resumed with the outcome. */
export type LoopSteps<Result = void> = AsyncGenerator<Commit, Result, CommitOutcome>

export interface RunEnd {
  /** The status that the thread has after the run. */
  readonly status: RunStatus
  /** Distinguishes ends with the same status. */
  readonly reason: RunReason
  /** A sentence for a person; empty when there is nothing to say. */
  readonly message: string
  /** What a failed request to the model was about: the code of its error. */
  readonly cause?: string
}
