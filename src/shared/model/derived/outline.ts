import { LayeredMap } from '../../base/layered-map.ts'
import type { Sequence, ThreadId, ToolCallId } from '../ids.ts'
import { type Message, toolCallsOf } from '../message.ts'
import { emptyProject, type ProjectState } from '../project-state.ts'
import type { CallState, ThreadState } from '../thread.ts'

/**
 * The part of a project that can be shown and answered before its journal is read: the threads in the lists, the calls
 * that wait for a person, and the end of one conversation.
 */
export interface ProjectOutline {
  /** The last entry of the journal when the outline was made. */
  readonly last: Sequence
  readonly threads: readonly ThreadOutline[]
}

/** What a page needs to know of a journal before it reads it. */
export interface JournalStart {
  /** The last entry; 0 for an empty journal. */
  readonly last: Sequence
  /** Null when the journal is short enough to read at once. */
  readonly outline: ProjectOutline | null
}

/** A thread with only the messages and calls that are shown. */
export interface ThreadOutline extends Omit<ThreadState, 'calls' | 'contentHashes' | 'diskNotes' | 'usageByModel'> {
  readonly calls: readonly CallState[]
}

const messagesAtEnd = 40

/** `chosen` is the thread whose conversation is shown; null for the most recently changed one. */
export function outlineOf(state: ProjectState, chosen: ThreadId | null): ProjectOutline {
  const all = [...state.threads.values()]
  const active = all.filter(({ parent, deletedAt, archived }) => !parent && deletedAt === null && !archived)
  const shown = chosen ?? latest(active)?.id
  const ids = new Set(active.map(({ id }) => id))
  for (const thread of all) if (thread.id === shown || thread.interrupts.length > 0) addWithParents(state, thread, ids)
  const threads = [...ids].flatMap((id) => state.threads.get(id) ?? [])
  return { last: state.sequence, threads: threads.map((thread) => outlineThread(thread, thread.id === shown)) }
}

function latest(threads: readonly ThreadState[]): ThreadState | undefined {
  return threads.reduce<ThreadState | undefined>((a, b) => (a && a.updatedAt > b.updatedAt ? a : b), undefined)
}

function addWithParents(state: ProjectState, thread: ThreadState, ids: Set<ThreadId>): void {
  for (
    let one: ThreadState | undefined = thread;
    one;
    one = one.parent ? state.threads.get(one.parent.threadId) : undefined
  )
    ids.add(one.id)
}

/** `shown` is true for the thread whose conversation is shown. */
export function outlineThread(thread: ThreadState, shown: boolean): ThreadOutline {
  const { calls, contentHashes: _hashes, diskNotes: _notes, usageByModel: _usage, ...rest } = thread
  const messages = shown ? thread.messages.slice(-messagesAtEnd) : []
  return {
    ...rest,
    messages,
    calls: callsOf(thread, messages),
    instructed: [],
    rewinds: [],
    compaction: null,
  }
}

/** The calls in the messages, the calls that a person is asked about, and the calls derived from them. */
function callsOf({ calls, interrupts }: ThreadState, messages: readonly Message[]): readonly CallState[] {
  const made = messages.flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []))
  const asked = interrupts.flatMap(({ action_requests }) => action_requests)
  const known = new Set([...made, ...asked].flatMap(({ callId }) => calls.get(callId) ?? []))
  const derived = [...known].flatMap((call) => (call.derived && calls.get(call.derived)) || [])
  return [...new Set([...known, ...derived])]
}

/** A project state with the outline's threads. Its sequence is 0, as if no entry had been read yet. */
export function stateOf({ threads }: ProjectOutline): ProjectState {
  return threads.reduce<ProjectState>(withThread, emptyProject)
}

function withThread(state: ProjectState, { calls, ...rest }: ThreadOutline): ProjectState {
  const thread: ThreadState = {
    ...rest,
    calls: calls.reduce((known, call) => known.with(call.callId, call), LayeredMap.empty<ToolCallId, CallState>()),
    contentHashes: LayeredMap.empty(),
    diskNotes: LayeredMap.empty(),
    usageByModel: LayeredMap.empty(),
  }
  const { id, parent } = thread
  const siblings = parent ? (state.children.get(parent.threadId) ?? []) : []
  const children = parent ? state.children.with(parent.threadId, [...siblings, id]) : state.children
  return { ...state, threads: state.threads.with(id, thread), children }
}
