import { type Chain, chain } from '../../base/chain.ts'
import type { Sequence, ThreadId } from '../ids.ts'
import type { Message } from '../message.ts'
import { everInFamily, type ProjectState } from '../project-state.ts'
import type { SnapshotMark, ThreadSnapshot } from '../snapshots.ts'
import type { ThreadState } from '../thread.ts'

/** When a snapshot is taken, and why. */
export interface SnapshotMoment {
  /** The state is the one after this entry, which may be an entry of another family. */
  readonly sequence: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly mark: SnapshotMark
}

/**
 * Keeps the thread and every thread below it that changed since its last snapshot. So one sequence names one state of
 * them all.
 */
export function recordSnapshot(
  state: ProjectState,
  threadId: ThreadId,
  { sequence, at, mark }: SnapshotMoment,
): ProjectState {
  let { threads } = state.past
  for (const id of everInFamily(state, threadId)) {
    const thread = state.threads.get(id)
    const latest = threads.get(id)
    if (!thread || (id !== threadId && latest?.value.thread?.lastSequence === thread.lastSequence)) continue
    const messages = growMessages(latest?.value.messages ?? null, thread.messages)
    threads = threads.with(
      id,
      chain(latest ?? null, keep(sequence, at, id === threadId ? mark : sibling, thread, messages)),
    )
  }
  return { ...state, past: { ...state.past, threads } }
}

export const sibling: SnapshotMark = { kind: 'sibling' }

export function keep(
  sequence: Sequence,
  at: number,
  mark: SnapshotMark,
  state: ThreadState,
  messages: Chain<Message> | null,
): ThreadSnapshot {
  const thread: ThreadState = { ...state, messages: none }
  return { sequence, at, mark, thread, messages }
}

/** To make a copy with a field left out takes five times the memory and time of one with the field emptied. */
const none: ThreadState['messages'] = []

/** Adds the messages that came since the last snapshot. */
function growMessages(known: Chain<Message> | null, messages: readonly Message[]): Chain<Message> | null {
  return messages.slice(known?.length ?? 0).reduce<Chain<Message> | null>(chain, known)
}
