import { type Chain, chained, latestFirst } from '../base/chain.ts'
import { LayeredMap } from '../base/layered-map.ts'
import type { Branch } from './branch.ts'
import type { BranchId, Sequence, ThreadId } from './ids.ts'
import type { Message, UserMessage } from './message.ts'
import type { ProjectState } from './project-state.ts'
import type { ThreadState } from './thread.ts'

/** What a state of a thread was kept for. */
export type SnapshotMark =
  /** The state before a person said this. */
  | { readonly kind: 'message'; readonly message: UserMessage }
  | { readonly kind: 'step'; readonly treeHash: string }
  | { readonly kind: 'end' }
  /** The state that taking back a rewind goes to. */
  | { readonly kind: 'before_rewind' }
  /** The state a rewind left. */
  | { readonly kind: 'rewind' }
  /** Another thread of the family reached a checkpoint. */
  | { readonly kind: 'beside' }

/** A thread as it was after the entry `sequence` of the project; it shares all that has not changed since. */
export interface ThreadSnapshot {
  readonly sequence: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly mark: SnapshotMark
  /** Null: a rewind took the whole thread away. */
  readonly thread: Omit<ThreadState, 'messages'> | null
  readonly messages: Chain<Message> | null
}

export interface BranchVersion {
  readonly sequence: Sequence
  readonly branch: Branch
}

/** What a rewind can go back to, latest first. It is never cut, so that a rewind can be taken back. */
export interface Past {
  readonly threads: LayeredMap<ThreadId, Chain<ThreadSnapshot>>
  readonly branches: LayeredMap<BranchId, Chain<BranchVersion>>
}

export const emptyPast: Past = { threads: LayeredMap.empty(), branches: LayeredMap.empty() }

/** The latest of a past that is no younger than `to`. */
export function versionAt<Version extends { readonly sequence: Sequence }>(
  past: Chain<Version> | undefined,
  to: Sequence,
): Version | undefined {
  for (const version of latestFirst(past)) if (version.sequence <= to) return version
  return undefined
}

/** The state that a rewind to `to` would bring back; undefined where no checkpoint is. */
export function checkpointOf(state: ProjectState, threadId: ThreadId, to: Sequence): ThreadSnapshot | undefined {
  const snapshot = versionAt(state.past.threads.get(threadId), to)
  return snapshot?.sequence === to && snapshot.thread && snapshot.mark.kind !== 'beside' ? snapshot : undefined
}

/** The thread and every subagent it ever had, those that a rewind took away among them. */
export function everInFamily(state: ProjectState, threadId: ThreadId): ReadonlySet<ThreadId> {
  const family = new Set([threadId])
  for (const id of family) for (const child of state.children.get(id) ?? []) family.add(child)
  return family
}

/** All who spent in a thread's name: a rewind takes subagents away and gives no money back. */
export function spendersOf(state: ProjectState, threadId: ThreadId): readonly Omit<ThreadState, 'messages'>[] {
  return [...everInFamily(state, threadId)].flatMap((id) => state.threads.get(id) ?? lastSeen(state, id) ?? [])
}

/** A thread as it was when it was kept last; null when it never was. */
export function lastSeen({ past }: ProjectState, threadId: ThreadId): ThreadSnapshot['thread'] {
  for (const { thread } of latestFirst(past.threads.get(threadId))) if (thread) return thread
  return null
}

/** Keeps the thread and all below it that changed since they were last kept, so that one sequence names one state of all. */
export function remember(state: ProjectState, threadId: ThreadId, at: number, mark: SnapshotMark): ProjectState {
  let { threads } = state.past
  for (const id of everInFamily(state, threadId)) {
    const thread = state.threads.get(id)
    const latest = threads.get(id)
    if (!thread || (id !== threadId && latest?.value.thread?.lastSequence === thread.lastSequence)) continue
    const messages = grown(latest?.value.messages ?? null, thread.messages)
    threads = threads.with(
      id,
      chained(latest ?? null, keep(state.sequence, at, id === threadId ? mark : beside, thread, messages)),
    )
  }
  return { ...state, past: { ...state.past, threads } }
}

export const beside: SnapshotMark = { kind: 'beside' }

export function keep(
  sequence: Sequence,
  at: number,
  mark: SnapshotMark,
  { messages: _, ...thread }: ThreadState,
  messages: Chain<Message> | null,
): ThreadSnapshot {
  return { sequence, at, mark, thread, messages }
}

/** Messages are only ever added to what was kept last. */
function grown(known: Chain<Message> | null, messages: readonly Message[]): Chain<Message> | null {
  return messages.slice(known?.length ?? 0).reduce<Chain<Message> | null>(chained, known)
}

export function withVersion(past: Past, branch: Branch, sequence: number): Past {
  const history = past.branches.get(branch.id) ?? null
  return { ...past, branches: past.branches.with(branch.id, chained(history, { sequence, branch })) }
}
