import type { Drift } from '#shared/model/drift.ts'
import type { Entry } from '#shared/model/entry.ts'
import { type BatchProgress, type CoppiceEvent, isLive, type LiveEvent } from '#shared/model/event.ts'
import type { BranchId, MessageId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { ProcessRecord, ProcessView } from '#shared/model/process.ts'
import type { SetupState } from '#shared/model/setup.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** A reply while it is being written. The `message` entry that follows replaces it. */
export interface Streaming {
  readonly messageId: MessageId
  readonly text: string
  readonly thinking: string
}

/** The reason why the model is not answering right now. */
export type Delay =
  | {
      readonly kind: 'retrying'
      readonly attempt: number
      readonly until: number
      readonly reason: string
      readonly cause?: string | undefined
    }
  | { readonly kind: 'waiting'; readonly ahead: number }
  | { readonly kind: 'compacting'; readonly messages: number }
  /** The run has ended, but its end could not be stored. */
  | { readonly kind: 'unstored'; readonly message: string }

/** State that is shown while it happens and never stored. */
export interface LiveState {
  readonly streaming: ReadonlyMap<ThreadId, Streaming>
  /** What replies said that broke off, oldest first. They stay in sight until the next run or a complete reply. */
  readonly broken: ReadonlyMap<ThreadId, readonly Streaming[]>
  /** Output of running calls, by `outputKey`. */
  readonly outputs: ReadonlyMap<string, string>
  readonly delays: ReadonlyMap<ThreadId, Delay>
  /** Files that changed on disk under a branch. */
  readonly drifts: ReadonlyMap<BranchId, ReadonlyMap<VirtualPath, Drift>>
  /** Processes of agents that changed since the page opened, by `processKey`. */
  readonly processes: ReadonlyMap<string, ProcessView>
  /** Progress of running batches, by `outputKey`. */
  readonly batches: ReadonlyMap<string, BatchProgress>
  /** The finished share of an apply to disk, from 0 to 1. */
  readonly applies: ReadonlyMap<BranchId, number>
  /** The setup of the project as a command last heard of it. Null before. */
  readonly setup: SetupState | null
  /** How often something about the checks of a branch changed. */
  readonly checks: ReadonlyMap<BranchId, number>
  /** How often a server asked during a call, or stopped asking, by `outputKey`. */
  readonly asked: ReadonlyMap<string, number>
}

export const emptyLive: LiveState = {
  streaming: new Map(),
  broken: new Map(),
  outputs: new Map(),
  delays: new Map(),
  drifts: new Map(),
  processes: new Map(),
  batches: new Map(),
  applies: new Map(),
  setup: null,
  checks: new Map(),
  asked: new Map(),
}

const brokenKept = 3

/** The number of last characters kept of a running call's output. The result will hold all of it. */
const outputKept = 20_000

/** The key of a call in `outputs` and `batches`. A call's id is unique only within its thread. */
export function outputKey(threadId: ThreadId, callId: ToolCallId): string {
  return `${threadId} ${callId}`
}

export function processKey({ threadId, id }: Pick<ProcessRecord, 'threadId' | 'id'>): string {
  return `${threadId} ${id}`
}

/** Folds a live event, or drops what a stored entry replaces. */
export function foldLive(state: LiveState, event: CoppiceEvent): LiveState {
  return isLive(event) ? happen(state, event) : settle(state, event)
}

function happen(state: LiveState, event: LiveEvent): LiveState {
  switch (event.type) {
    case 'message.delta':
      return stream({ ...state, delays: without(state.delays, event.threadId) }, event)
    case 'message.dropped':
      return breakOff(state, event.threadId)
    case 'tool.output': {
      const key = outputKey(event.threadId, event.callId)
      const text = `${state.outputs.get(key) ?? ''}${event.text}`.slice(-outputKept)
      return { ...state, outputs: new Map(state.outputs).set(key, text) }
    }
    case 'model.retrying': {
      const until = event.at + event.delayMs
      return delay(state, event.threadId, {
        kind: 'retrying',
        attempt: event.attempt,
        until,
        reason: event.reason,
        cause: event.cause,
      })
    }
    case 'model.waiting':
      return delay(state, event.threadId, { kind: 'waiting', ahead: event.ahead })
    case 'drift.changed': {
      const files = new Map(event.files.map((file) => [file.path, file]))
      return { ...state, drifts: new Map(state.drifts).set(event.branchId, files) }
    }
    case 'process.changed':
      return { ...state, processes: new Map(state.processes).set(processKey(event.process), event.process) }
    case 'apply.progress':
      return { ...state, applies: new Map(state.applies).set(event.branchId, event.done / event.total) }
    case 'setup.changed':
      return { ...state, setup: event.setup }
    case 'checks.changed':
      return {
        ...state,
        checks: new Map(state.checks).set(event.branchId, (state.checks.get(event.branchId) ?? 0) + 1),
      }
    case 'server.asked': {
      const key = outputKey(event.threadId, event.callId)
      return { ...state, asked: new Map(state.asked).set(key, (state.asked.get(key) ?? 0) + 1) }
    }
    case 'context.compacting':
      return delay(state, event.threadId, { kind: 'compacting', messages: event.messages })
    case 'run.unstored': {
      const streaming = without(state.streaming, event.threadId)
      return delay({ ...state, streaming }, event.threadId, { kind: 'unstored', message: event.message })
    }
    case 'batch.progress':
      return { ...state, batches: new Map(state.batches).set(outputKey(event.threadId, event.callId), event) }
  }
}

/** Keeps the text of a reply that broke. What is tried again may say something else. */
function breakOff(state: LiveState, threadId: ThreadId): LiveState {
  const cut = state.streaming.get(threadId)
  const streaming = without(state.streaming, threadId)
  if (!cut || cut.text.trim() === '') return { ...state, streaming }
  const earlier = state.broken.get(threadId) ?? []
  return { ...state, streaming, broken: new Map(state.broken).set(threadId, [...earlier, cut].slice(-brokenKept)) }
}

function stream(state: LiveState, event: LiveEvent & { type: 'message.delta' }): LiveState {
  const known = state.streaming.get(event.threadId)
  const current = known?.messageId === event.messageId ? known : { messageId: event.messageId, text: '', thinking: '' }
  const next = { ...current, [event.part]: current[event.part] + event.text }
  return { ...state, streaming: new Map(state.streaming).set(event.threadId, next) }
}

/** Drops the live state that a stored entry replaces. */
function settle(state: LiveState, entry: Entry): LiveState {
  switch (entry.type) {
    case 'message':
    case 'compacted':
    case 'run.started':
    case 'run.ended':
      return {
        ...state,
        // A run that failed shows what it had of its answer.
        broken:
          entry.type === 'run.ended' || entry.type === 'compacted'
            ? state.broken
            : without(state.broken, entry.threadId),
        streaming: without(state.streaming, entry.threadId),
        delays: without(state.delays, entry.threadId),
      }
    case 'tool.finished':
      return {
        ...state,
        outputs: without(state.outputs, outputKey(entry.threadId, entry.callId)),
        batches: without(state.batches, outputKey(entry.threadId, entry.callId)),
      }
    case 'apply.finished':
    case 'apply.failed':
    case 'apply.undone':
      return { ...state, applies: without(state.applies, entry.branchId) }
    default:
      return state
  }
}

function delay(state: LiveState, threadId: ThreadId, value: Delay): LiveState {
  return { ...state, delays: new Map(state.delays).set(threadId, value) }
}

function without<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): ReadonlyMap<Key, Value> {
  if (!map.has(key)) return map
  const rest = new Map(map)
  rest.delete(key)
  return rest
}
