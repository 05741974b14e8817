import type { Branch } from '#shared/model/branch.ts'
import { isAsking } from '#shared/model/calls/call.ts'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { addUsage, noUsage, type Usage } from '#shared/model/models/usage.ts'
import { lastSeen, type ProjectState, rootThreadOf, spendersOf } from '#shared/model/project-state.ts'
import { answeringModel, type ThreadState, type ThreadStatus } from '#shared/model/thread.ts'
import type { AppState } from './app-state.ts'

/** Caches the result for each state object, because screens ask at every frame. */
function memoize<State extends object, Made>(make: (state: State) => Made): (state: State) => Made {
  const known = new WeakMap<State, Made>()
  return (state) => {
    const made = known.get(state) ?? make(state)
    known.set(state, made)
    return made
  }
}

type Threads = ProjectState['threads']

const latestRoots = memoize((threads: Threads): readonly ThreadState[] =>
  // Of two that changed in the same millisecond, the one that was begun last comes first.
  [...threads.values()]
    .filter((thread) => !thread.parent)
    .reverse()
    .sort((a, b) => b.updatedAt - a.updatedAt),
)

/** All root threads, latest first, including deleted and archived ones. */
export function allRoots({ project }: AppState): readonly ThreadState[] {
  return latestRoots(project.threads)
}

const standingRoots = memoize((roots: readonly ThreadState[]) =>
  roots.filter(({ deletedAt, archived }) => deletedAt === null && !archived),
)

/** The root threads that are neither deleted nor archived, latest first. */
export function rootThreads(state: AppState): readonly ThreadState[] {
  return standingRoots(allRoots(state))
}

/** The thread whose chat is shown; null for a new one. */
export function activeThread(state: AppState): ThreadState | null {
  const { thread } = state.ui
  if (thread.kind === 'new') return null
  if (thread.kind === 'auto') return rootThreads(state)[0] ?? null
  return nearestThread(state.project, thread.id)
}

/** The thread that the person chose, which may not have been read yet, or the one that is shown. Null for a new one. */
export function shownThreadId(state: AppState): ThreadId | null {
  const { thread } = state.ui
  return thread.kind === 'thread' ? thread.id : (activeThread(state)?.id ?? null)
}

/** True while only the outline of the shown thread's family is known. */
export function isUnread(state: AppState): boolean {
  const root = activeRoot(state)
  return root !== null && state.unread.has(root.id)
}

/** The thread; if a rewind removed it, the nearest thread above it. */
function nearestThread(project: ProjectState, id: ThreadId): ThreadState | null {
  const parent = lastSeen(project, id)?.parent
  return project.threads.get(id) ?? (parent ? nearestThread(project, parent.threadId) : null)
}

/** The root of the shown thread; null for a new thread. */
export function activeRoot(state: AppState): ThreadState | null {
  const active = activeThread(state)
  return active ? (state.project.threads.get(rootThreadOf(state.project, active.id)) ?? active) : null
}

/** The root of the shown thread if that root was deleted; null otherwise. */
export function deletedRoot(state: AppState): ThreadState | null {
  const root = activeRoot(state)
  return root && root.deletedAt !== null ? root : null
}

/** The branch of the active root thread, which *Export patch* and *Apply to disk* use. */
export function workspaceOf(state: AppState): BranchId | null {
  return activeRoot(state)?.branchId ?? null
}

/** Threads by parent. Computed once, because a batch has a thousand subagents. */
const childrenByParent = memoize((threads: Threads): ReadonlyMap<ThreadId, readonly ThreadState[]> => {
  const grouped = new Map<ThreadId, ThreadState[]>()
  for (const thread of threads.values()) {
    if (!thread.parent) continue
    const siblings = grouped.get(thread.parent.threadId)
    if (siblings) siblings.push(thread)
    else grouped.set(thread.parent.threadId, [thread])
  }
  return grouped
})

/** Caches the result for each state object and thread, because screens ask for a thousand subagents at every frame. */
function memoizeByThread<State extends object, Made>(
  make: (state: State, id: ThreadId) => Made,
): (state: State, id: ThreadId) => Made {
  const known = memoize((_: State) => new Map<ThreadId, Made>())
  return (state, id) => {
    const made = known(state).get(id) ?? make(state, id)
    known(state).set(id, made)
    return made
  }
}

const families = memoizeByThread((threads: Threads, root): readonly ThreadState[] => {
  const grouped = childrenByParent(threads)
  const family: ThreadState[] = []
  const visit = (thread: ThreadState | undefined): void => {
    if (!thread) return
    family.push(thread)
    for (const child of grouped.get(thread.id) ?? []) visit(child)
  }
  visit(threads.get(root))
  return family
})

/** The subagents that a thread started itself, oldest first. */
export function subagentsOf({ project }: AppState, id: ThreadId): readonly ThreadState[] {
  return childrenByParent(project.threads).get(id) ?? noThreads
}

/** The active root thread and all its subagents, parents first. */
export function activeFamily(state: AppState): readonly ThreadState[] {
  const root = activeRoot(state)
  return root ? families(state.project.threads, root.id) : noThreads
}

const noThreads: readonly ThreadState[] = []

const allBranches = memoize((branches: ProjectState['branches']): readonly Branch[] =>
  [...branches.values()].sort((a, b) => a.forkedAt - b.forkedAt),
)

const branchesOf = memoizeByThread(({ threads, branches }: ProjectState, root): readonly Branch[] => {
  const ids = new Set(families(threads, root).map((thread) => thread.branchId))
  return allBranches(branches).filter((branch) => ids.has(branch.id))
})

/** The branches of the active family, oldest first. The workspace comes first. */
export function activeBranches(state: AppState): readonly Branch[] {
  const root = activeRoot(state)
  return root ? branchesOf(state.project, root.id) : noBranches
}

const noBranches: readonly Branch[] = []

const standingInterrupts = memoize((project: ProjectState): readonly Interrupt[] => {
  const stands = (id: ThreadId) => project.threads.get(rootThreadOf(project, id))?.deletedAt === null
  return waitingThreads(project.threads).flatMap(({ id, interrupts }) => (stands(id) ? interrupts : []))
})

const waitingThreads = memoize((threads: Threads): readonly ThreadState[] =>
  [...threads.values()].filter(({ interrupts }) => interrupts.length > 0),
)

const familyFirst = memoize((all: readonly Interrupt[]) =>
  memoize((members: readonly ThreadState[]): readonly Interrupt[] => {
    const family = new Set(members.map((thread) => thread.id))
    return [...all.filter((item) => family.has(item.threadId)), ...all.filter((item) => !family.has(item.threadId))]
  }),
)

/** The open interrupts of all threads that are not deleted. Those of the active family come first. */
export function openInterrupts(state: AppState): readonly Interrupt[] {
  const all = standingInterrupts(state.project)
  return all.length === 0 ? all : familyFirst(all)(activeFamily(state))
}

/** Every thread that spent in the active family, including those that a rewind removed. */
export function activeSpenders(state: AppState): ReturnType<typeof spendersOf> {
  const root = activeRoot(state)
  return root ? spendersOf(state.project, root.id) : []
}

/** The tokens and money spent in the active family, including threads that a rewind removed. */
export function familyUsage(state: AppState): Usage {
  const root = activeRoot(state)
  return root ? usageBelow(state, root.id) : noUsage
}

const spentByRoot = memoizeByThread((project: ProjectState, root) =>
  spendersOf(project, root).reduce((sum, thread) => addUsage(sum, thread.usage), noUsage),
)

/** The tokens and money spent in the family of a root thread, including threads that a rewind removed. */
export function usageBelow({ project }: AppState, root: ThreadId): Usage {
  return spentByRoot(project, root)
}

/** What the present run of the active family used so far, or else its last run. */
export function runUsage(state: AppState): Usage {
  const root = activeRoot(state)
  const from = root?.runStartedAt ?? null
  if (from === null) return noUsage
  return activeFamily(state)
    .filter(({ runStartedAt }) => runStartedAt !== null && runStartedAt >= from)
    .reduce((sum, { usage, usageBeforeRun }) => addUsage(sum, spentSince(usage, usageBeforeRun)), noUsage)
}

function spentSince(now: Usage, before: Usage): Usage {
  return {
    modelCalls: now.modelCalls - before.modelCalls,
    inputTokens: now.inputTokens - before.inputTokens,
    outputTokens: now.outputTokens - before.outputTokens,
    cacheReadTokens: now.cacheReadTokens - before.cacheReadTokens,
    cacheWriteTokens: now.cacheWriteTokens - before.cacheWriteTokens,
    cost: now.cost === null || before.cost === null ? null : now.cost - before.cost,
  }
}

/** Whether a thread's run goes on: it is working, or waiting for a free slot or for the person. */
export function isRunning({ status }: Pick<ThreadState, 'status'>): boolean {
  return status === 'working' || status === 'queued' || status === 'needs_you'
}

/** Whether the thread's run paused after a step and can go on. */
export function isBetweenSteps({ status, end }: Pick<ThreadState, 'status' | 'end'>): boolean {
  return status === 'paused' && end?.reason === 'step'
}

/** The thread with an id; null if there is none. */
export function threadOf(state: AppState, id: ThreadId): ThreadState | null {
  return state.project.threads.get(id) ?? null
}

/** The requests of an interrupt that still wait for a decision, in the model's order. */
export function openRequests(thread: ThreadState, interrupt: Interrupt): Interrupt['action_requests'] {
  return interrupt.action_requests.filter(({ callId }) => isAsking(thread.calls.get(callId)))
}

/** One call that waits for the person. */
export interface WaitingCall {
  readonly interrupt: Interrupt
  readonly request: Interrupt['action_requests'][number]
}

const waitingOf = memoize((interrupts: readonly Interrupt[]) =>
  memoize((threads: Threads): readonly WaitingCall[] =>
    interrupts.flatMap((interrupt) => {
      const thread = threads.get(interrupt.threadId)
      return thread ? openRequests(thread, interrupt).map((request) => ({ interrupt, request })) : []
    }),
  ),
)

/**
 * Every call that waits, in the order in which a person walks them. The order does not depend on what is shown, so a
 * walk reaches each of them.
 */
export function waitingCalls(state: AppState): readonly WaitingCall[] {
  return waitingOf(standingInterrupts(state.project))(state.project.threads)
}

/** The filled share of the open thread's context, from 0 to 1; null while unknown. */
export function contextShare(state: AppState): number | null {
  const thread = activeThread(state)
  const held = thread?.contextTokens
  const model = thread && answeringModel(thread)
  const window = state.info?.provider.models.find(({ id }) => id === model)?.contextWindow
  return held && window ? Math.min(held / window, 1) : null
}

/** The name of a model as people know it; its id when nobody named it. */
export function modelName({ info }: Pick<AppState, 'info'>, id: string): string {
  return info?.provider.models.find((known) => known.id === id)?.name ?? id
}

type Statuses = ReadonlyMap<ThreadId, ThreadStatus>
const known = new WeakMap<ProjectState['threads'], Statuses>()

/** The status of each root thread. A root thread needs the person if any of its subagents does. */
export function familyStatus(project: ProjectState): Statuses {
  const made = known.get(project.threads) ?? statusesOf(project)
  known.set(project.threads, made)
  return made
}

function statusesOf(project: ProjectState): Statuses {
  const statuses = new Map<ThreadId, ThreadStatus>()
  for (const thread of project.threads.values()) {
    if (!thread.parent) statuses.set(thread.id, statuses.get(thread.id) ?? thread.status)
    else if (thread.status === 'needs_you') statuses.set(rootThreadOf(project, thread.id), 'needs_you')
  }
  return statuses
}
