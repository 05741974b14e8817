import type { Drift } from './drift.ts'
import type { Entry } from './entry.ts'
import type { BranchId, MessageId, Sequence, ThreadId, ToolCallId } from './ids.ts'

/**
 * What is seen while it happens and is not kept: the entry that follows holds the whole. `sequence` is that of the last
 * entry before it, so that a client that reconnects asks for entries after the last sequence it saw.
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
  /** The stream broke and the reply is asked for again: what was shown of it goes. */
  | { readonly type: 'message.dropped'; readonly messageId: MessageId }
  | { readonly type: 'tool.output'; readonly callId: ToolCallId; readonly text: string }
  | {
      readonly type: 'model.retrying'
      readonly attempt: number
      readonly delayMs: number
      readonly reason: string
    }
  | { readonly type: 'model.waiting'; readonly ahead: number }
  /** All files that moved on disk under a branch; each event takes the place of the one before. */
  | { readonly type: 'drift.changed'; readonly branchId: BranchId; readonly files: readonly Drift[] }
  /** How much of an apply to disk is done, counted in pieces of work. */
  | { readonly type: 'apply.progress'; readonly branchId: BranchId; readonly done: number; readonly total: number }
  /** So many messages are being summarised. */
  | { readonly type: 'context.compacting'; readonly messages: number }
  /** The run is over, and not even that could be stored: all that was is as it was, and the run can be continued. */
  | { readonly type: 'run.unstored'; readonly message: string }
  | ({ readonly type: 'batch.progress'; readonly callId: ToolCallId } & BatchProgress)

/** How far a batch is; each event takes the place of the one before. */
export interface BatchProgress {
  readonly total: number
  /** Tasks that ended, the failed ones among them. */
  readonly done: number
  readonly failed: number
  readonly running: number
  /** Tasks that ended per minute since the batch was begun or resumed; null before the first. */
  readonly perMinute: number | null
  readonly leftMs: number | null
  /** US dollars so far; null where a model's price is not known. */
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
  'context.compacting',
  'run.unstored',
  'batch.progress',
])

export function isLive(event: CoppiceEvent): event is LiveEvent {
  return liveTypes.has(event.type)
}
