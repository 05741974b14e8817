import { LayeredMap } from '../../base/layered-map.ts'
import { type Call, derivedCallsOf } from '../calls/call.ts'
import type { Entry } from '../entry.ts'
import type { Sequence, ThreadId, ToolCallId } from '../ids.ts'
import { type Message, toolCallsOf } from '../message.ts'
import { noUsage, type Spending } from '../models/usage.ts'
import { type ProjectState, rootThreadOf } from '../project-state.ts'
import type { ThreadState } from '../thread.ts'
import { type ProjectPart, projectPartOf, projectWith } from './project-part.ts'

/**
 * What a page shows of a long journal before it reads any of it: the threads in the lists, the calls that wait for a
 * person, the end of one conversation, and what belongs to the whole project. It reads the entries of a family – a root
 * thread with its subagents – when it needs more of it.
 */
export interface ProjectOutline {
  /** The last entry of the journal when the outline was made. */
  readonly last: Sequence
  readonly threads: readonly ThreadOutline[]
  /** By root thread. */
  readonly spending: readonly (readonly [ThreadId, Spending])[]
  readonly project: ProjectPart
  /** The root threads of the families that the page reads at once: the shown one, and those in which something goes on. */
  readonly read: readonly ThreadId[]
}

/** A family that a page has not read, as the host knows it. */
export interface FamilyOutline {
  /** The root thread, without messages and calls. */
  readonly root: ThreadOutline
  /** Null before the first request to a model. */
  readonly spending: Spending | null
  /** True while something in it goes on, waits for a person or must be put right after a crash. */
  readonly isActive: boolean
}

/** A piece of a family's journal. */
export interface FamilyEntries {
  readonly root: ThreadId
  readonly entries: readonly Entry[]
  /** What the next piece begins after; null when there is no more. */
  readonly next: Sequence | null
}

/** What a page needs to know of a journal before it reads it. */
export interface JournalStart {
  /** The last entry; 0 for an empty journal. */
  readonly last: Sequence
  /** Null when the journal is short enough to read at once. */
  readonly outline: ProjectOutline | null
}

/** A thread with only the messages and calls that are shown. */
interface WholeOutline extends Omit<ThreadState, 'calls' | 'contentHashes' | 'diskNotes' | 'usageByModel'> {
  readonly calls: readonly Call[]
}

/** What most threads have in common, and what no list shows. It is left out of stored folds: raise `foldVersion` with it. */
const usual = {
  memory: true,
  answerSchema: null,
  parent: null,
  depth: 0,
  inputFilter: null,
  prompt: null,
  stepping: false,
  costLimit: null,
  assumedPrice: null,
  iterations: 0,
  messages: [],
  calls: [],
  derivedCalls: [],
  instructed: [],
  todos: [],
  python: null,
  linkedTodo: null,
  interrupts: [],
  queue: [],
  usage: noUsage,
  usageBeforeRun: noUsage,
  contextTokens: null,
  compaction: null,
  compactionRequested: false,
  rewinds: [],
} satisfies Partial<WholeOutline>

type Usual = keyof typeof usual

/**
 * A thread as it is listed. What it has in common with most threads is left out, because a project in daily use has
 * thousands, and all of them are stored, sent and parsed when it opens.
 */
export type ThreadOutline = Omit<WholeOutline, Usual> & Partial<Pick<WholeOutline, Usual>>

const messagesAtEnd = 40

/**
 * `chosen` is the thread whose conversation is shown; null for the most recently changed one. `state` has the families
 * that are loaded, with that of `chosen`.
 */
export function outlineOf(
  state: ProjectState,
  families: ReadonlyMap<ThreadId, FamilyOutline>,
  chosen: ThreadId | null,
): ProjectOutline {
  const shown = shownThread(state, families, chosen)
  const ids = new Set<ThreadId>()
  for (const thread of state.threads.values())
    if (thread.id === shown || thread.interrupts.length > 0) addWithParents(state, thread, ids)
  const loaded = [...ids].flatMap((id) => state.threads.get(id) ?? [])
  const listed = [...families.values()].filter(({ root }) => !ids.has(root.id))
  const active = [...families].flatMap(([id, { isActive }]) => (isActive ? [id] : []))
  return {
    last: state.sequence,
    threads: [...listed.map(({ root }) => root), ...loaded.map((thread) => outlineThread(thread, thread.id === shown))],
    spending: [...families].flatMap(([id, { spending }]) => (spending ? [[id, spending] as const] : [])),
    project: projectPartOf(state),
    read: [...new Set([...(shown ? [rootThreadOf(state, shown)] : []), ...active])],
  }
}

/** The thread that a page shows first. The caller loads it before it makes the outline. */
export function shownThread(
  state: Pick<ProjectState, 'threads'>,
  families: ReadonlyMap<ThreadId, FamilyOutline>,
  chosen: ThreadId | null,
): ThreadId | undefined {
  if (chosen !== null && (state.threads.has(chosen) || families.has(chosen))) return chosen
  const roots = [...families.values()].map(({ root }) => root)
  return latest(roots.filter(({ deletedAt, archived }) => deletedAt === null && !archived))?.id
}

function latest(threads: readonly ThreadOutline[]): ThreadOutline | undefined {
  return threads.reduce<ThreadOutline | undefined>((a, b) => (a && a.updatedAt > b.updatedAt ? a : b), undefined)
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
  const { calls: _, contentHashes: _hashes, diskNotes: _notes, usageByModel: _usage, ...rest } = thread
  const messages = shown ? thread.messages.slice(-messagesAtEnd) : []
  const { instructed, rewinds, compaction } = usual
  return withoutUsual({ ...rest, messages, calls: callsOf(thread, messages), instructed, rewinds, compaction })
}

function withoutUsual(whole: WholeOutline): ThreadOutline {
  const common: Readonly<Record<string, unknown>> = usual
  const isUsual = (key: string, value: unknown): boolean =>
    key in common && (value === common[key] || (Array.isArray(value) && value.length === 0))
  // The types cannot know that only fields of `usual` are left out.
  return Object.fromEntries(Object.entries(whole).filter(([key, value]) => !isUsual(key, value))) as ThreadOutline
}

/** The calls in the messages, the calls that a person is asked about, and the calls derived from them. */
function callsOf({ calls, interrupts }: ThreadState, messages: readonly Message[]): readonly Call[] {
  const made = messages.flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []))
  const asked = interrupts.flatMap(({ action_requests }) => action_requests)
  const known = new Set([...made, ...asked].flatMap(({ callId }) => calls.get(callId) ?? []))
  const derived = [...known].flatMap(derivedCallsOf).flatMap((callId) => calls.get(callId) ?? [])
  return [...new Set([...known, ...derived])]
}

/** A project state with the outline's threads. */
export function stateOf({ last, threads, spending, project }: ProjectOutline): ProjectState {
  const state = {
    ...projectWith(project),
    sequence: last,
    spending: LayeredMap.empty<ThreadId, Spending>().withAll(spending),
  }
  return threads.reduce<ProjectState>(withThread, state)
}

function withThread(state: ProjectState, outline: ThreadOutline): ProjectState {
  const { calls, ...rest }: WholeOutline = { ...usual, ...outline }
  const thread: ThreadState = {
    ...rest,
    calls: calls.reduce((known, call) => known.with(call.callId, call), LayeredMap.empty<ToolCallId, Call>()),
    contentHashes: LayeredMap.empty(),
    diskNotes: LayeredMap.empty(),
    usageByModel: LayeredMap.empty(),
  }
  const { id, parent } = thread
  const siblings = parent ? (state.children.get(parent.threadId) ?? []) : []
  const children = parent ? state.children.with(parent.threadId, [...siblings, id]) : state.children
  return { ...state, threads: state.threads.with(id, thread), children }
}
