import { type Chain, latestFirst, valuesOf } from '../../base/chain.ts'
import { type Call, derivedCallsOf } from '../calls/call.ts'
import type { MessageId, Sequence } from '../ids.ts'
import { toolCallsOf } from '../message.ts'
import type { SnapshotMark, ThreadSnapshot } from '../snapshots.ts'

/** One row of the list from which a person chooses a state to rewind to. */
export interface CheckpointRow {
  readonly to: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly mark: Exclude<SnapshotMark, { kind: 'sibling' }>
  /** Files that the reply's calls had changed by then. */
  readonly changed: readonly string[]
  /** False for a step that a person would hardly look for. */
  readonly main: boolean
}

/**
 * Every checkpoint of a thread, oldest first. The main ones are a person's messages, batches of writes, ends and
 * rewinds.
 */
export function checkpointRows(past: Chain<ThreadSnapshot>): readonly CheckpointRow[] {
  const own = valuesOf(past).filter(({ mark, thread }) => mark.kind !== 'sibling' && thread)
  const rows = new Map<Sequence, CheckpointRow>()
  /** The workspace's tree at the end of the previous reply; null when a rewind may have changed it. */
  let treeHash: string | null = ''
  own.forEach((snapshot, index) => {
    const { mark, sequence: to, at } = snapshot
    if (mark.kind === 'sibling') return
    const ends = mark.kind !== 'step' || !isSameReply(snapshot, own[index + 1])
    const changes = mark.kind !== 'step' || (treeHash !== null && mark.treeHash !== treeHash)
    if (mark.kind === 'step' && ends) treeHash = mark.treeHash
    if (mark.kind === 'rewind') treeHash = null
    rows.set(to, { to, at, mark, changed: changedBy(snapshot), main: ends && changes })
  })
  return [...rows.values()]
}

/** Results of one reply are stored one by one. Only the last of them is a main row. */
function isSameReply({ messages }: ThreadSnapshot, next: ThreadSnapshot | undefined): boolean {
  return next?.mark.kind === 'step' && next.messages === messages
}

function changedBy({ messages, thread, mark }: ThreadSnapshot): readonly string[] {
  const reply = messages?.value
  if (mark.kind !== 'step' || !thread || reply?.role !== 'assistant') return []
  const calls = toolCallsOf(reply).flatMap(({ callId }) => withDerived(thread, callId))
  return [...new Set(calls.flatMap(({ changedPaths }) => changedPaths))]
}

function withDerived({ calls }: Pick<NonNullable<ThreadSnapshot['thread']>, 'calls'>, callId: Call['callId']) {
  const call = calls.get(callId)
  return call ? [call, ...derivedCallsOf(call).flatMap((derived) => calls.get(derived) ?? [])] : []
}

/** The checkpoint right before a person's message; undefined for any other message. */
export function checkpointBefore(past: Chain<ThreadSnapshot> | undefined, messageId: MessageId): Sequence | undefined {
  for (const { mark, sequence } of latestFirst(past)) {
    if (mark.kind === 'message' && mark.message.messageId === messageId) return sequence
  }
  return undefined
}

/** The checkpoint before the last thing a person said before `end`; undefined if there is none. */
export function checkpointBeforeRun(past: Chain<ThreadSnapshot> | undefined, end: Sequence): Sequence | undefined {
  for (const { mark, sequence } of latestFirst(past)) if (mark.kind === 'message' && sequence < end) return sequence
  return undefined
}
