import { type Chain, chain, latestFirst } from '../base/chain.ts'
import { LayeredMap } from '../base/layered-map.ts'
import type { Branch } from './branch.ts'
import type { BranchId, Sequence, ThreadId } from './ids.ts'
import type { Message, UserMessage } from './message.ts'
import type { ThreadState } from './thread.ts'

/** Why a state of a thread was kept. */
export type SnapshotMark =
  /** The state before a person said this. */
  | { readonly kind: 'message'; readonly message: UserMessage }
  | { readonly kind: 'step'; readonly treeHash: string }
  | { readonly kind: 'end' }
  /** The state to return to when the rewind is redone. */
  | { readonly kind: 'before_rewind' }
  /** The state after a rewind. */
  | { readonly kind: 'rewind' }
  /** Another thread of the family reached a checkpoint. */
  | { readonly kind: 'sibling' }

/** A thread as it was after the project's entry `sequence`. It shares everything that has not changed since. */
export interface ThreadSnapshot {
  readonly sequence: Sequence
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly mark: SnapshotMark
  /** Null when a rewind took the whole thread away. */
  readonly thread: Omit<ThreadState, 'messages'> | null
  readonly messages: Chain<Message> | null
}

export interface BranchVersion {
  readonly sequence: Sequence
  readonly branch: Branch
}

/** What a rewind can go back to, latest first. Nothing is ever removed, so that a rewind can be undone. */
export interface Snapshots {
  readonly threads: LayeredMap<ThreadId, Chain<ThreadSnapshot>>
  readonly branches: LayeredMap<BranchId, Chain<BranchVersion>>
}

export const emptySnapshots: Snapshots = { threads: LayeredMap.empty(), branches: LayeredMap.empty() }

/** The latest version at or before `to`; undefined when there is none. */
export function versionAt<Version extends { readonly sequence: Sequence }>(
  past: Chain<Version> | undefined,
  to: Sequence,
): Version | undefined {
  for (const version of latestFirst(past)) if (version.sequence <= to) return version
  return undefined
}

export function withVersion(past: Snapshots, branch: Branch, sequence: number): Snapshots {
  const history = past.branches.get(branch.id) ?? null
  return { ...past, branches: past.branches.with(branch.id, chain(history, { sequence, branch })) }
}
