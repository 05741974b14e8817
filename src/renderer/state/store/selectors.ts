import type { Branch } from '#shared/model/branch.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { Interrupt } from '#shared/model/interrupt.ts'
import { lastSeen, type ProjectState, rootThreadOf, spendersOf } from '#shared/model/project-state.ts'
import type { ThreadState, ThreadStatus } from '#shared/model/thread.ts'
import { addUsage, noUsage, type Usage } from '#shared/model/usage.ts'
import type { AppState } from './app-state.ts'

/** Remembers what was made of a state as long as that state is there: screens ask at every frame. */
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
  [...threads.values()].filter((thread) => !thread.parent).sort((a, b) => b.updatedAt - a.updatedAt),
)

/** Every thread of its own, deleted and archived ones among them, latest first. */
export function allRoots({ project }: AppState): readonly ThreadState[] {
  return latestRoots(project.threads)
}

const standingRoots = memoize((roots: readonly ThreadState[]) =>
  roots.filter(({ deletedAt, archived }) => deletedAt === null && !archived),
)

/** The threads that stand, latest first. */
export function rootThreads(state: AppState): readonly ThreadState[] {
  return standingRoots(allRoots(state))
}

/** The thread whose chat is shown: null for a new one. */
export function activeThread(state: AppState): ThreadState | null {
  const { thread } = state.ui
  if (thread.kind === 'new') return null
  if (thread.kind === 'auto') return rootThreads(state)[0] ?? null
  return nearestThread(state.project, thread.id)
}

/** Where a rewind took the thread away, the agent above it. */
function nearestThread(project: ProjectState, id: ThreadId): ThreadState | null {
  const parent = lastSeen(project, id)?.parent
  return project.threads.get(id) ?? (parent ? nearestThread(project, parent.threadId) : null)
}

export function activeRoot(state: AppState): ThreadState | null {
  const active = activeThread(state)
  return active ? (state.project.threads.get(rootThreadOf(state.project, active.id)) ?? active) : null
}

/** The thread that is shown, or the one above it, where it was deleted. */
export function deletedRoot(state: AppState): ThreadState | null {
  const root = activeRoot(state)
  return root && root.deletedAt !== null ? root : null
}

/** The root agent's branch, which patch and apply are made of. */
export function workspaceOf(state: AppState): BranchId | null {
  return activeRoot(state)?.branchId ?? null
}

/** Threads by their parent: a batch has a thousand subagents. */
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

/** What is made of a state for one thread or another, also remembered: a thousand subagents are asked for at every frame. */
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

/** Branches of the active family, oldest first; the workspace comes first. */
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

/** Every open interrupt of threads that stand, those of the active family first. */
export function openInterrupts(state: AppState): readonly Interrupt[] {
  const all = standingInterrupts(state.project)
  if (all.length === 0) return all
  const family = new Set(activeFamily(state).map((thread) => thread.id))
  return [...all.filter((item) => family.has(item.threadId)), ...all.filter((item) => !family.has(item.threadId))]
}

/** All who ever spent in the name of the active root thread. */
export function activeSpenders(state: AppState): ReturnType<typeof spendersOf> {
  const root = activeRoot(state)
  return root ? spendersOf(state.project, root.id) : []
}

export function familyUsage(state: AppState): Usage {
  return activeSpenders(state).reduce((sum, thread) => addUsage(sum, thread.usage), noUsage)
}

export function threadOf(state: AppState, id: ThreadId): ThreadState | null {
  return state.project.threads.get(id) ?? null
}

/** The requests of an interrupt that nobody has decided yet, in the model's order. */
export function openRequests(thread: ThreadState, interrupt: Interrupt): Interrupt['action_requests'] {
  return interrupt.action_requests.filter(({ callId }) => thread.calls.get(callId)?.phase === 'waiting')
}

/** How full the open thread's context is, from 0 to 1; null while that is not known. */
export function contextShare(state: AppState): number | null {
  const thread = activeThread(state)
  const held = thread?.contextTokens
  const window = state.info?.provider.models.find(({ id }) => id === thread?.model)?.contextWindow
  return held && window ? Math.min(held / window, 1) : null
}

type Statuses = ReadonlyMap<ThreadId, ThreadStatus>
const known = new WeakMap<ProjectState['threads'], Statuses>()

/** A root thread needs its person when any of its subagents does. Made once per state. */
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
