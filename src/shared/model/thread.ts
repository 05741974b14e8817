import type { JsonObject } from '../base/json.ts'
import type { LayeredMap } from '../base/layered-map.ts'
import type { Call } from './calls/call.ts'
import type { ThreadStages } from './calls/hooks.ts'
import type { Interrupt } from './calls/interrupt.ts'
import type { Goal } from './check.ts'
import type { DiskNote } from './drift.ts'
import type { BlobHash, BranchId, Handle, MessageId, Sequence, ThreadId, ToolCallId } from './ids.ts'
import {
  type CommandUse,
  type Message,
  type MessageOrigin,
  type Notice,
  textOf,
  toolCallsOf,
  type UserPart,
} from './message.ts'
import type { Effort } from './models/model-facts.ts'
import type { AssumedPrice, Usage } from './models/usage.ts'
import type { Todo } from './todos/todo.ts'
import type { VirtualPath } from './virtual-path.ts'

/** The app's only words for a status. `needs_you` waits for a decision, `paused` for *Continue*. */
export type ThreadStatus = 'idle' | 'queued' | 'working' | 'needs_you' | 'paused' | 'done' | 'failed' | 'stopped'

export type RunStatus = 'done' | 'failed' | 'interrupted' | 'stopped'
/** Why a run ended, for programs; `message` beside it is for people. */
export type RunReason =
  | 'completed'
  | 'budget'
  | 'user'
  | 'interrupt'
  | 'step'
  | 'restart'
  | 'storage'
  | 'goal'
  | 'model_error'
  | 'refusal'
  | 'max_tokens'
  | 'context_window_exceeded'
  | 'invalid_answer'
  | 'internal_error'

export const approvalModes = ['plan', 'ask', 'auto-edit', 'auto'] as const
export type ApprovalMode = (typeof approvalModes)[number]

/** How much of the parent's conversation a subagent may see. */
export type ContextScope = 'strict' | 'scoped' | 'off'

export interface ParentLink {
  readonly threadId: ThreadId
  readonly callId: ToolCallId
  readonly handle: Handle
  /** Position among the tasks of the spawning call. */
  readonly index: number
  readonly task: string
  /** The parent's todo this subagent works on. */
  readonly todoIndex: number | null
  /** The conflict for which a person asked this subagent. Its version of the file is a proposal. */
  readonly resolves?: { readonly branchId: BranchId; readonly path: VirtualPath }
}

export interface QueuedMessage {
  readonly messageId: MessageId
  readonly origin: MessageOrigin
  readonly content: readonly UserPart[]
  /** As in the message that it becomes. */
  readonly notice?: Notice | undefined
  /** As in the message that it becomes. */
  readonly command?: CommandUse | undefined
  /** `steer` is delivered at the next safe point, `queue` after the run. */
  readonly delivery: 'queue' | 'steer'
}

/** A person rewound the thread here. */
export interface RewindNote {
  readonly sequence: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly to: Sequence
  readonly files: boolean
  readonly conversation: boolean
  /** The rewind that this one undoes; null for an ordinary one. */
  readonly undoes: Sequence | null
  /** Number of messages before it. */
  readonly after: number
}

/** What replaces the beginning of a summarised conversation. */
export interface Compaction {
  readonly summary: string
  /** The first message that is still sent unchanged. */
  readonly keptFrom: MessageId
  /** The file in which the agent finds the whole text. */
  readonly file: string
  /** Long texts that a person pasted: the message, and the file that replaces it. */
  readonly pastes: readonly (readonly [MessageId, string])[]
}

/** What a thread's Python and JavaScript remember from their earlier calls. */
export interface PythonMemory {
  /** Null for no variables. */
  readonly state: BlobHash | null
  /** True when a rewind changed the state, until the agent's next call of code has told it. */
  readonly wentBack: boolean
}

/** A model that answers in place of another. */
export interface ModelFallback {
  /** The model that could not answer. */
  readonly from: string
  readonly model: string
  /** What the other model answered last, for a person. */
  readonly reason: string
  /** Number of messages before it. */
  readonly after: number
  /** Every model that could not answer in this run, in the order in which they were asked. */
  readonly failed: readonly string[]
}

/** The model that is meant to answer: that of the newest command which names one, or the thread's own. */
export function chosenModel({ model, commands = [] }: Pick<ThreadState, 'model' | 'commands'>): string {
  return commands.findLast((one) => one.model !== null)?.model ?? model
}

/** The model that is asked next. */
export function answeringModel(thread: Pick<ThreadState, 'model' | 'fallback' | 'commands'>): string {
  return thread.fallback?.model ?? chosenModel(thread)
}

/** One agent's durable conversation, as folded from its journal. */
/** A tool as a model is shown it. */
export type FoundTool = {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject
}

export interface ThreadState {
  readonly id: ThreadId
  readonly agent: string
  readonly agentType: string
  readonly title: string
  readonly pinned: boolean
  readonly archived: boolean
  /** When it was deleted, in milliseconds since the Unix epoch; null while it is not. */
  readonly deletedAt: number | null
  /** For a root thread: true when its agents know the project's memory. */
  readonly memory: boolean
  /** The JSON Schema that its answers must fit; null for answers in words. */
  readonly answerSchema: JsonObject | null
  /** For a root thread: what it must reach before it is done; null for nothing. Absent when the settings decide. */
  readonly goal?: Goal | null
  readonly branchId: BranchId
  readonly parent: ParentLink | null
  readonly depth: number
  readonly model: string
  /** The model that answers in place of `model` until the run ends, because that one could not. Absent for none. */
  readonly fallback?: ModelFallback
  /** Every time that another model took over, oldest first. Absent for never. */
  readonly fallbacks?: readonly ModelFallback[]
  /** The commands of the messages that its run answers, oldest first. Absent for none. */
  readonly commands?: readonly CommandUse[]
  /** How long the model thinks. Null or absent for as the settings say. */
  readonly effort?: Effort | null
  /** Whether a model thinks that can do without. Null or absent for the model's own default. */
  readonly thinking?: boolean | null
  /** The mode of its own that an external agent works in. Null or absent: its definition or our mode decides. */
  readonly agentMode?: string | null
  readonly approvalMode: ApprovalMode
  readonly contextScope: ContextScope
  /** With the scope `off`, the part of the parent's conversation that it sees; null for all of it. */
  readonly inputFilter: 'last_message' | 'no_tools' | null
  /** Its prompt, and the newest version that the agent was told about; null before its first run. */
  readonly prompt: {
    readonly frozen: BlobHash
    readonly announced: BlobHash
    /** Tools that it is shown besides those of its prompt, in the order in which they came. Absent for none. */
    readonly found?: readonly FoundTool[]
  } | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly status: ThreadStatus
  readonly end: {
    readonly status: RunStatus
    readonly reason: RunReason
    readonly message: string
    /** What the failed request was about, such as `rate_limited`; absent for other ends. */
    readonly cause?: string
    readonly at: number
  } | null
  readonly runStartedAt: number | null
  /** Whether its last run pauses after every turn. */
  readonly stepping: boolean
  /** The most US dollars that its run may cost, subagents included; null without a limit. */
  readonly costLimit: number | null
  /** The price that the limit counts with, for a model of unknown price; null when the price is known. */
  readonly assumedPrice: AssumedPrice | null
  /** Number of model replies in the current run. */
  readonly iterations: number
  readonly messages: readonly Message[]
  readonly calls: LayeredMap<ToolCallId, Call>
  /** Calls that the last reply does not contain: the loop's own, and retried batches. */
  readonly derivedCalls: readonly ToolCallId[]
  /**
   * Hash of the content that this thread last read or wrote, per path. `staleRead` after a person took that content
   * away.
   */
  readonly contentHashes: LayeredMap<VirtualPath, BlobHash>
  /** What the agent knows about its files that changed on disk. */
  readonly diskNotes: LayeredMap<VirtualPath, DiskNote>
  /** Instruction files that it was told about in addition to its prompt. */
  readonly instructed: readonly string[]
  readonly todos: readonly Todo[]
  /** Variables and functions of its Python and JavaScript. Null before the first call that left some. */
  readonly python: PythonMemory | null
  /** The text of the root's todo that this subagent works on, also after a person changed it; null for none. */
  readonly linkedTodo: string | null
  readonly interrupts: readonly Interrupt[]
  readonly queue: readonly QueuedMessage[]
  readonly usage: Usage
  readonly usageByModel: LayeredMap<string, Usage>
  /** Its usage when its run began. */
  readonly usageBeforeRun: Usage
  /**
   * Tokens that the provider counted for the last request and its reply, or that an external agent says its conversation
   * holds. Null before the first one and after a compaction.
   */
  readonly contextTokens: number | null
  readonly compaction: Compaction | null
  readonly compactionRequested: boolean
  readonly rewinds: readonly RewindNote[]
  /** What hooks and programs of the person said. Absent while none was asked. */
  readonly stages?: ThreadStages
  readonly lastSequence: Sequence
}

/** A hash that no content has. The file must be read again before it is edited, although it did not change on disk. */
export const staleRead = '' as BlobHash

/**
 * Calls that still need a result: those of the last reply in the model's order, then the loop's own and retried
 * batches.
 */
export function openCalls(thread: ThreadState): readonly Call[] {
  const last = thread.messages.at(-1)
  const asked = last?.role === 'assistant' && last.stopReason === 'tool_use' ? toolCallsOf(last) : []
  const own = asked.flatMap(({ callId }) => thread.calls.get(callId) ?? [])
  const others = thread.derivedCalls.flatMap((callId) => thread.calls.get(callId) ?? [])
  return [...own, ...others.filter((call) => !own.includes(call))].filter(({ state }) => state.kind !== 'finished')
}

/** The text of the last reply, which is the answer of a finished run. */
export function answerOf(thread: Pick<ThreadState, 'messages'>): string {
  const last = thread.messages.findLast((message) => message.role === 'assistant')
  return last ? textOf(last.content) : ''
}

/**
 * Ends of an agent whose last reply is its report all the same: it was told to write one, or the reply itself was the
 * reason. Any other end came in the middle of the work.
 */
const endsWithReport: ReadonlySet<RunReason> = new Set([
  'budget',
  'goal',
  'max_tokens',
  'refusal',
  'context_window_exceeded',
  'invalid_answer',
])

/** What an agent that did not finish said last; null when it ended in the middle of its work or said nothing. */
export function lastReportOf({ messages, end }: Pick<ThreadState, 'messages' | 'end'>): string | null {
  return end && endsWithReport.has(end.reason) ? answerOf({ messages }) || null : null
}

const restorableFor = 7 * 24 * 60 * 60 * 1000

/** True for seven days after something was dropped or deleted. Both times are in milliseconds since the Unix epoch. */
export function canBeRestored(deletedAt: number, now: number): boolean {
  return now <= restorableUntil(deletedAt)
}

export function restorableUntil(deletedAt: number): number {
  return deletedAt + restorableFor
}
