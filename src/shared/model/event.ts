import type { Drift } from './drift.ts'
import type { Entry } from './entry.ts'
import type { BranchId, MessageId, Sequence, ThreadId, ToolCallId } from './ids.ts'
import type { ProcessView } from './process.ts'
import type { SetupState } from './setup.ts'

/**
 * Something that is shown while it happens and is not stored; the entry that follows contains all of it. `sequence` is
 * that of the last entry before it, so a client that reconnects asks for the entries after the last sequence it saw.
 */
export type LiveEvent = {
  readonly sequence: Sequence
  readonly threadId: ThreadId
  readonly at: number
} & LiveEventBody

export type LiveEventBody =
  | {
      readonly type: 'message.delta'
      readonly messageId: MessageId
      readonly part: 'text' | 'thinking'
      readonly text: string
    }
  /** The stream broke and the reply is requested again. What was shown of it disappears. */
  | { readonly type: 'message.dropped'; readonly messageId: MessageId }
  | { readonly type: 'tool.output'; readonly callId: ToolCallId; readonly text: string }
  | {
      readonly type: 'model.retrying'
      readonly attempt: number
      readonly delayMs: number
      readonly reason: string
      /** What the failed request was about, such as `rate_limited`. */
      readonly cause?: string
    }
  | { readonly type: 'model.waiting'; readonly ahead: number }
  /** All files of a branch that changed on disk. Each event replaces the one before. */
  | { readonly type: 'drift.changed'; readonly branchId: BranchId; readonly files: readonly Drift[] }
  /** Progress of an apply to disk, in pieces of work. */
  | { readonly type: 'apply.progress'; readonly branchId: BranchId; readonly done: number; readonly total: number }
  /** A process that stays, as it is now. Each event about a process replaces the one before. */
  | { readonly type: 'process.changed'; readonly process: ProcessView }
  /** The setup of the project, which a command of the thread waits for. Each event replaces the one before. */
  | { readonly type: 'setup.changed'; readonly setup: SetupState }
  /** Checks or merges *when green* of a branch began, went on or ended. What is shown about them is asked for again. */
  | { readonly type: 'checks.changed'; readonly branchId: BranchId }
  /** A server asks the person during this call, or does so no longer. What is shown about it is asked for again. */
  | { readonly type: 'server.asked'; readonly callId: ToolCallId }
  /** This many messages are being summarised. */
  | { readonly type: 'context.compacting'; readonly messages: number }
  /**
   * The run ended because storing failed, and its end could not be stored either. What was stored before is intact, and
   * the run can be continued.
   */
  | { readonly type: 'run.unstored'; readonly message: string }
  | ({ readonly type: 'batch.progress'; readonly callId: ToolCallId } & BatchProgress)

/** Progress of a batch. Each event replaces the one before. */
export interface BatchProgress {
  readonly total: number
  /** Tasks that ended, including the failed ones. */
  readonly done: number
  readonly failed: number
  readonly running: number
  /** Tasks that ended per minute since the batch started or resumed; null before the first one. */
  readonly perMinute: number | null
  readonly leftMs: number | null
  /** US dollars so far; null when the price of a model is not known. */
  readonly cost: number | null
}

export type CoppiceEvent = Entry | LiveEvent

const liveTypes: ReadonlySet<string> = new Set<LiveEventBody['type']>([
  'message.delta',
  'message.dropped',
  'tool.output',
  'model.retrying',
  'model.waiting',
  'drift.changed',
  'apply.progress',
  'process.changed',
  'setup.changed',
  'checks.changed',
  'server.asked',
  'context.compacting',
  'run.unstored',
  'batch.progress',
])

export function isLive(event: CoppiceEvent): event is LiveEvent {
  return liveTypes.has(event.type)
}
