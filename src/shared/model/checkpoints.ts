import { latestFirst } from '../base/chain.ts'
import type { Sequence, ThreadId } from './ids.ts'
import { toolCallsOf } from './message.ts'
import type { SnapshotMark, ThreadSnapshot } from './past.ts'
import type { ProjectState } from './project-state.ts'
import type { CallState } from './thread.ts'

/** One row of the list a person chooses from when a thread is to go back. */
export interface CheckpointRow {
  readonly to: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly mark: Exclude<SnapshotMark, { kind: 'beside' }>
  /** Files that calls of the reply had changed by then. */
  readonly changed: readonly string[]
  /** False for steps between two states a person would look for. */
  readonly main: boolean
}

/** Every checkpoint of a thread, oldest first: what a person said, each batch of writes, ends and rewinds are the main ones. */
export function checkpointRows(state: ProjectState, threadId: ThreadId): readonly CheckpointRow[] {
  const rows: CheckpointRow[] = []
  /** The next younger step. */
  let later: ThreadSnapshot | null = null
  for (const snapshot of latestFirst(state.past.threads.get(threadId))) {
    const { mark, thread } = snapshot
    if (mark.kind === 'beside' || !thread) continue
    if (rows.at(-1)?.to === snapshot.sequence) continue
    const changed = changedBy(snapshot)
    const main = mark.kind !== 'step' || (changed.length > 0 && !isSameReply(snapshot, later))
    rows.push({ to: snapshot.sequence, at: snapshot.at, mark, changed, main })
    later = snapshot
  }
  return rows.reverse()
}

/** Results of one reply are stored one by one; the last of them stands for all. */
function isSameReply(snapshot: ThreadSnapshot, later: ThreadSnapshot | null): boolean {
  return later?.mark.kind === 'step' && later.messages === snapshot.messages
}

function changedBy({ messages, thread, mark }: ThreadSnapshot): readonly string[] {
  const reply = messages?.value
  if (mark.kind !== 'step' || !thread || reply?.role !== 'assistant') return []
  const calls = toolCallsOf(reply).flatMap(({ callId }) => withDerived(thread, callId))
  return [...new Set(calls.flatMap(({ changedPaths }) => changedPaths))]
}

function withDerived({ calls }: Pick<NonNullable<ThreadSnapshot['thread']>, 'calls'>, callId: CallState['callId']) {
  const call = calls.get(callId)
  const derived = call?.derived ? calls.get(call.derived) : undefined
  return [call, derived].filter((one) => one !== undefined)
}
