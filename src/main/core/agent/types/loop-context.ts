import type { Clock } from '#shared/base/clock.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { Drift } from '#shared/model/drift.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { LiveEventBody } from '#shared/model/event.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { ApprovalMode, RunReason, RunStatus, ThreadState } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { CallAccess, ToolFacts } from '#shared/tools/tool-facts.ts'
import type { ApprovalPolicy } from '../../approval/policy.ts'
import type { MemoryTrace } from '../../memory/memory-files.ts'
import type { Effort, ModelClient, RequestMessage, ToolSpec } from '../../ports/model-client.ts'
import type { Instructions } from '../../prompts/appendices.ts'
import type { PrefixName } from '../../tools/namespace/prefixes.ts'
import type { Tool, ToolContext } from '../../tools/tool.ts'
import type { Conversation } from '../context/conversation.ts'
import type { ModelGate } from '../model/model-gate.ts'
import type { RetryPolicy, SummarisationSettings } from './settings.ts'

/** What one call works on; `commitStores` keeps what it wrote outside the overlay, and says what it did with the memory. */
export interface CallWorkspace extends Pick<ToolContext, 'files' | 'branch' | 'drift' | 'access'> {
  commitStores(): MemoryTrace
}

/** All that the loop of one thread may use. The thread itself is read anew after every commit. */
export interface LoopContext {
  readonly threadId: ThreadId
  /** What is stored with the start of the run. */
  readonly opening: Commit
  readonly system: string
  readonly tools: readonly Tool[]
  readonly toolSpecs: readonly ToolSpec[]
  /** What of the parent's conversation this agent sees before its own. */
  readonly inherited: readonly RequestMessage[]
  readonly conversation: Conversation
  readonly policy: ApprovalPolicy
  /** The thread's own as it is now, or that of an agent above it where that lets less through. */
  approvalMode(): ApprovalMode
  /** What a call does to files, as its paths are written and as their links lead. */
  accessOf(tool: ToolFacts, args: JsonObject): Promise<CallAccess>
  readonly model: ModelClient
  readonly modelGate: ModelGate
  readonly retry: RetryPolicy
  readonly clock: Clock
  readonly limits: RunLimits
  readonly mode: RunMode
  thread(): ThreadState
  /** Instructions of the folders a path lies in, the root's left out. */
  instructionsAt(path: VirtualPath): Promise<readonly Instructions[]>
  /** What a spent budget says; undefined while there is room. */
  spentBudget(): string | undefined
  /** Those of the ids that a call of any agent of the thread's family has already. */
  knownCalls(callIds: readonly ToolCallId[]): ReadonlySet<ToolCallId>
  openWorkspace(signal: AbortSignal): Promise<CallWorkspace>
  /** Every file that moved on disk since the agent read or changed it, told or not. */
  drift(): Promise<readonly Drift[]>
  /** False when the branch was changed by someone else under the call. */
  stillApplies(patch: Patch): boolean
  /** Of the agent's branch, once these entries are stored. */
  treeHashAfter(entries: Commit): string
  /** Stores a result that is too large for the conversation and returns the text that stands for it. */
  evict(callId: ToolCallId, text: string): string
  /** Keeps a text beside the project under a prefix of the family's and returns the path the agent reads it by. */
  keepText(prefix: PrefixName, name: string, text: string): VirtualPath
  untilDecided(signal: AbortSignal): Promise<void>
  live(event: LiveEventBody): void
  nextId(): string
  random(): number
}

/**
 * `step` pauses after every turn until a person continues; `compact` summarises the conversation and ends; `calls` gives
 * open calls their results and ends.
 */
export type RunMode = 'work' | 'step' | 'compact' | 'calls'

export interface RunLimits {
  readonly maxIterations: number
  readonly maxTokens: number
  /** US dollars of the whole run, announced where it starts. */
  readonly cost: number | null
  readonly temperature: number | null
  readonly effort: Effort | null
  /** Tokens of the model's window. */
  readonly contextWindow: number
  readonly summarisation: SummarisationSettings
  /** Tokens of a result that stay in the conversation. */
  readonly resultTokens: number
}

/** What the loop asks to be stored, in one transaction. */
export type Commit = readonly EntryFromTool[]

/** `moved_on`: someone else changed the branch meanwhile, so nothing of the commit was stored. */
export type CommitOutcome = 'stored' | 'moved_on'

/** Stores what the loop yielded. Only a commit that changes a branch can be refused. */
export type StoreCommit = (entries: Commit) => CommitOutcome

/** A part of the loop: it yields what is to be stored and goes on with how that went. */
export type LoopSteps<Result = void> = AsyncGenerator<Commit, Result, CommitOutcome>

export interface RunEnd {
  readonly status: RunStatus
  readonly reason: RunReason
  readonly message: string
}
