import type { Grow } from '../../base/grow.ts'
import { isAsking } from '../calls/call.ts'
import { noStages, withNotes } from '../calls/hooks.ts'
import type { DiskNote } from '../drift.ts'
import type { Entry, EntryOf } from '../entry.ts'
import type { ToolCallId } from '../ids.ts'
import { toolCallsOf, type UserMessage } from '../message.ts'
import type { ThreadState, ThreadStatus } from '../thread.ts'
import type { VirtualPath } from '../virtual-path.ts'
import {
  askAbout,
  decideCall,
  deriveCall,
  finishCall,
  foldBatch,
  keepBack,
  newCall,
  stageCall,
  startCall,
  updateCall,
} from './calls.ts'

const callEntryTypes = [
  'message',
  'tool.started',
  'stages.asked',
  'effects.held',
  'tool.finished',
  'tree.changed',
  'interrupt.raised',
  'interrupt.decided',
  'call.derived',
  'batch.started',
  'batch.refused',
  'batch.changed',
  'batch.retried',
  'batch.judged',
  'memory.written',
  'memory.deleted',
  'user_memory.written',
  'user_memory.deleted',
] as const
type CallEntry = EntryOf<(typeof callEntryTypes)[number]>

export function isCallEntry(entry: Entry): entry is CallEntry {
  return (callEntryTypes as readonly string[]).includes(entry.type)
}

/** How messages, tool calls and interrupts affect one another. */
export function foldCall(thread: ThreadState, entry: CallEntry, grow: Grow): ThreadState {
  switch (entry.type) {
    case 'message':
      return foldMessage(thread, entry, grow)
    case 'tool.started':
      return updateCall(thread, entry.callId, (call) => startCall(call, entry))
    case 'stages.asked':
      return foldStages(thread, entry)
    case 'effects.held':
      return updateCall(thread, entry.callId, (call) => keepBack(call, entry))
    case 'tool.finished':
      return withoutAnswered(updateCall(withReads(thread, entry), entry.callId, (call) => finishCall(call, entry)))
    case 'tree.changed': {
      const { callId, patch } = entry
      if (!callId) return thread
      return updateCall(thread, callId, (call) => ({ ...call, changedPaths: patch.map(([path]) => path) }))
    }
    case 'interrupt.raised':
      return foldRaised(thread, entry)
    case 'interrupt.decided':
      return foldDecided(thread, entry)
    case 'call.derived': {
      const { callId, from, name, input } = entry
      const declaring = updateCall(withLoopCall(thread, callId), from, (call) => deriveCall(call, entry))
      return {
        ...declaring,
        calls: declaring.calls.with(callId, { ...newCall(callId, name, input), derivedFrom: from }),
      }
    }
    case 'batch.started':
    case 'batch.refused':
    case 'batch.changed':
    case 'batch.judged':
      return updateCall(thread, entry.callId, (call) => foldBatch(call, entry))
    case 'batch.retried':
      return updateCall(withLoopCall(thread, entry.callId), entry.callId, (call) => foldBatch(call, entry))
    case 'memory.written':
    case 'memory.deleted': {
      const { callId, name, sequence } = entry
      if (!callId) return thread
      return updateCall(thread, callId, (call) => ({ ...call, remembered: [...call.remembered, { name, sequence }] }))
    }
    case 'user_memory.written':
    case 'user_memory.deleted': {
      const { callId, name, sequence, type } = entry
      if (!callId) return thread
      const note = { name, sequence, user: type === 'user_memory.written' ? 'written' : 'deleted' } as const
      return updateCall(thread, callId, (call) => ({ ...call, remembered: [...call.remembered, note] }))
    }
  }
}

function foldMessage(thread: ThreadState, { message }: EntryOf<'message'>, grow: Grow): ThreadState {
  const messages = grow(thread.messages, message)
  if (message.role === 'user') {
    const queue = thread.queue.filter((queued) => queued.messageId !== message.messageId)
    const stages = thread.stages && message.origin === 'person' && { stages: { ...thread.stages, sentBack: 0 } }
    return withCommandOf({ ...thread, messages, queue, ...stages }, message)
  }
  let { calls } = thread
  for (const { callId, name, input, unreadable } of toolCallsOf(message)) {
    const call = newCall(callId, name, input)
    calls = calls.with(callId, unreadable === undefined ? call : { ...call, unreadable })
  }
  return { ...thread, messages, calls, iterations: thread.iterations + 1 }
}

function foldStages(thread: ThreadState, entry: EntryOf<'stages.asked'>): ThreadState {
  const { moment, notes, callId, messageId, verdict, stop } = entry
  const before = thread.stages ?? noStages
  const sendsBack = verdict?.kind === 'refuse' && (moment === 'Stop' || moment === 'SubagentStop')
  const stages = {
    shown: withNotes(before.shown, { moment, notes, after: thread.messages.length }),
    asked: messageId ?? before.asked,
    sentBack: sendsBack ? before.sentBack + 1 : messageId === undefined ? before.sentBack : 0,
    began: before.began || moment === 'SessionStart' || moment === 'SubagentStart',
    stop: stop ?? before.stop,
  }
  const withheld = messageId !== undefined && verdict?.kind === 'refuse' ? withhold(thread, messageId, verdict) : thread
  const folded = { ...withheld, stages }
  return callId === null ? folded : updateCall(folded, callId, (call) => stageCall(call, entry))
}

/** No model reads a message that was refused. What it said is in the journal alone. */
function withhold(
  thread: ThreadState,
  messageId: string,
  { by, reason }: { readonly by: string; readonly reason: string },
): ThreadState {
  const text = `(This message was withheld by ${by}: ${reason})`
  return {
    ...thread,
    messages: thread.messages.map((message) =>
      message.messageId === messageId && message.role === 'user'
        ? { ...message, content: [{ type: 'text', text }] }
        : message,
    ),
  }
}

function foldRaised(thread: ThreadState, { interrupt }: EntryOf<'interrupt.raised'>): ThreadState {
  const waiting = interrupt.action_requests.reduce((folded, { callId }) => updateCall(folded, callId, askAbout), thread)
  return { ...waiting, status: 'needs_you', interrupts: [...thread.interrupts, interrupt] }
}

function foldDecided(thread: ThreadState, entry: EntryOf<'interrupt.decided'>): ThreadState {
  return withoutAnswered(updateCall(thread, entry.decision.callId, (call) => decideCall(call, entry)))
}

/**
 * An interrupt stays open while any of its requests waits. A request stops waiting when it is decided, or answered
 * because it cannot run any more.
 */
function withoutAnswered(thread: ThreadState): ThreadState {
  if (thread.interrupts.length === 0) return thread
  const interrupts = thread.interrupts.filter(({ action_requests }) =>
    action_requests.some(({ callId }) => isAsking(thread.calls.get(callId))),
  )
  const status = interrupts.length === 0 && thread.status === 'needs_you' ? 'working' : thread.status
  return { ...thread, interrupts, status }
}

function withLoopCall(thread: ThreadState, callId: ToolCallId): ThreadState {
  return thread.derivedCalls.includes(callId) ? thread : { ...thread, derivedCalls: [...thread.derivedCalls, callId] }
}

function withReads(thread: ThreadState, { reads, besides = [] }: EntryOf<'tool.finished'>): ThreadState {
  const read = reads.reduce((known, [path, hash]) => known.with(path, hash), thread.contentHashes)
  return besides.reduce<ThreadState>(
    (folded, [path, version]) => withDiskNote(folded, path, { announced: version, read: version }),
    { ...thread, contentHashes: read },
  )
}

export function withDiskNote(thread: ThreadState, path: VirtualPath, note: DiskNote): ThreadState {
  return { ...thread, diskNotes: thread.diskNotes.with(path, note) }
}

/**
 * A person's message to an agent at rest begins something new, so the commands before it count no more. One during a run
 * adds its own command. A run that was stopped or waits goes on under its commands.
 */
function withCommandOf(thread: ThreadState, { origin, command }: UserMessage): ThreadState {
  if (origin !== 'person' || (command === undefined && thread.commands === undefined)) return thread
  const { commands = [], ...rest } = thread
  const isNew = thread.end !== null || thread.status === 'idle'
  const all = [...(isNew ? [] : commands), ...(command ? [command] : [])]
  return all.length === 0 ? rest : { ...rest, commands: all }
}

/** The thread with the model that a person chose, in place of a fallback and of what commands ask for. */
export function withOwnModel(thread: ThreadState): ThreadState {
  const { commands, ...rest } = withoutFallback(thread)
  return commands === undefined ? rest : { ...rest, commands: commands.map((one) => ({ ...one, model: null })) }
}

function withoutFallback(thread: ThreadState): ThreadState {
  if (thread.fallback === undefined) return thread
  const { fallback: _, ...rest } = thread
  return rest
}

export function foldRun(thread: ThreadState, entry: EntryOf<'run.started' | 'run.ended'>): ThreadState {
  if (entry.type === 'run.started') {
    const status = thread.interrupts.length > 0 ? 'needs_you' : 'working'
    const limit = { costLimit: entry.costLimit ?? null, assumedPrice: entry.assumedPrice ?? null }
    const stepping = entry.step ?? false
    const started = { runStartedAt: entry.at, stepping, ...limit, usageBeforeRun: thread.usage }
    const stages = thread.stages && { stages: { ...thread.stages, stop: null } }
    return { ...withoutFallback(thread), ...started, ...stages, status, end: null, iterations: 0 }
  }
  const { status, reason, message, at, cause } = entry
  const end = { status, reason, message, at, ...(cause !== undefined && { cause }) }
  const interrupts = status === 'interrupted' ? thread.interrupts : []
  return { ...thread, interrupts, status: statusAfter(thread, entry), end }
}

function statusAfter(thread: ThreadState, entry: EntryOf<'run.ended'>): ThreadStatus {
  if (thread.interrupts.length > 0 && entry.status === 'interrupted') return 'needs_you'
  if (entry.reason === 'goal') return 'needs_you'
  return entry.status === 'interrupted' ? 'paused' : entry.status
}
