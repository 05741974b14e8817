import { latestFirst } from '../base/chain.ts'
import { LayeredMap } from '../base/layered-map.ts'
import type { Branch } from './branch.ts'
import type { CheckRecords } from './check.ts'
import type { BranchId, Sequence, ThreadId } from './ids.ts'
import type { Memory, UserMemoryWrites } from './memory.ts'
import type { Spending } from './models/usage.ts'
import type { ProcessRecord, TerminalRecord } from './process.ts'
import { emptySnapshots, type Snapshots, type ThreadSnapshot, versionAt } from './snapshots.ts'
import type { ThreadState } from './thread.ts'

/** Everything about a project except file content: threads and branches, folded from its journal. */
export interface ProjectState {
  readonly sequence: Sequence
  readonly threads: LayeredMap<ThreadId, ThreadState>
  readonly branches: LayeredMap<BranchId, Branch>
  /**
   * Subagents by the thread that started them, oldest first. A batch has a thousand, and every request asks for them.
   */
  readonly children: LayeredMap<ThreadId, readonly ThreadId[]>
  /** By name. Deleted ones are included, for their versions. */
  readonly memories: LayeredMap<string, Memory>
  /** By the name of a memory for all projects that this project wrote. */
  readonly userMemories: LayeredMap<string, UserMemoryWrites>
  /** Commands that stay or stayed, by their thread, oldest first. A rewind leaves them as they are. */
  readonly processes: LayeredMap<ThreadId, readonly ProcessRecord[]>
  /** Terminals of people that run or wait for a decision, by the thread of their branch. A rewind leaves them as they are. */
  readonly terminals: LayeredMap<ThreadId, readonly TerminalRecord[]>
  /** What checks said about trees. A rewind leaves it as it is. */
  readonly checks: CheckRecords
  /** By the root thread. */
  readonly spending: LayeredMap<ThreadId, Spending>
  readonly past: Snapshots
}

export const emptyProject: ProjectState = {
  sequence: 0,
  threads: LayeredMap.empty(),
  branches: LayeredMap.empty(),
  children: LayeredMap.empty(),
  memories: LayeredMap.empty(),
  userMemories: LayeredMap.empty(),
  processes: LayeredMap.empty(),
  terminals: LayeredMap.empty(),
  checks: { byKey: LayeredMap.empty(), byBranch: LayeredMap.empty(), queue: [] },
  spending: LayeredMap.empty(),
  past: emptySnapshots,
}

/** The root agent above `threadId`, or the thread itself. */
export function rootThreadOf(state: Pick<ProjectState, 'threads'>, threadId: ThreadId): ThreadId {
  const parent = state.threads.get(threadId)?.parent
  return parent ? rootThreadOf(state, parent.threadId) : threadId
}

/**
 * The agent's path in its family: `main` for the root agent, and `main/subagent_0` for its first subagent. Unlike an id,
 * it is the same when the same task runs again.
 */
export function agentPathOf(state: Pick<ProjectState, 'threads'>, threadId: ThreadId): string {
  const parent = state.threads.get(threadId)?.parent
  return parent ? `${agentPathOf(state, parent.threadId)}/${parent.handle}` : 'main'
}

/** True when a person lets the agents of the thread's family know the project's memory. */
export function knowsMemory(state: ProjectState, threadId: ThreadId): boolean {
  return state.threads.get(rootThreadOf(state, threadId))?.memory ?? true
}

export function childrenOf(state: ProjectState, threadId: ThreadId): readonly ThreadState[] {
  return (state.children.get(threadId) ?? []).map((id) => state.threads.get(id)).filter((child) => child !== undefined)
}

/** The thread and every subagent below it, parents first. */
export function familyOf(state: ProjectState, threadId: ThreadId): readonly ThreadState[] {
  const family: ThreadState[] = []
  const visit = (id: ThreadId): void => {
    const thread = state.threads.get(id)
    if (!thread) return
    family.push(thread)
    for (const child of state.children.get(id) ?? []) visit(child)
  }
  visit(threadId)
  return family
}

/** The state that a rewind to `to` would restore; undefined when there is no checkpoint. */
export function checkpointOf(state: ProjectState, threadId: ThreadId, to: Sequence): ThreadSnapshot | undefined {
  const snapshot = versionAt(state.past.threads.get(threadId), to)
  return snapshot?.sequence === to && snapshot.thread && snapshot.mark.kind !== 'sibling' ? snapshot : undefined
}

/** The thread and every subagent it ever had, including those that a rewind took away. */
export function everInFamily(state: ProjectState, threadId: ThreadId): ReadonlySet<ThreadId> {
  const family = new Set([threadId])
  for (const id of family) for (const child of state.children.get(id) ?? []) family.add(child)
  return family
}

/** Every thread whose spending counts for this thread. A rewind takes subagents away but gives no money back. */
export function spendersOf(state: ProjectState, threadId: ThreadId): readonly Omit<ThreadState, 'messages'>[] {
  return [...everInFamily(state, threadId)].flatMap((id) => state.threads.get(id) ?? lastSeen(state, id) ?? [])
}

/** A thread as in its last snapshot; null when it has none. */
export function lastSeen({ past }: ProjectState, threadId: ThreadId): ThreadSnapshot['thread'] {
  for (const { thread } of latestFirst(past.threads.get(threadId))) if (thread) return thread
  return null
}

/** A terminal of a person by its name. Undefined for one that was decided, or that changed nothing. */
export function findTerminal({ terminals }: ProjectState, id: string): TerminalRecord | undefined {
  return [...terminals.values()].flat().find((terminal) => terminal.id === id)
}
