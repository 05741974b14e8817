import { failure, type Result, success } from '#shared/base/result.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { CheckResult, GreenMergeState, GreenQueueView } from '#shared/model/check.ts'
import type { LiveEvent } from '#shared/model/event.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { isFinished, type MergeOptions } from '../branches/branch-merges.ts'
import type { BranchTrees } from '../branches/branch-trees.ts'
import type { MergePlan } from '../branches/merge/execute.ts'
import type { LogReader } from '../journal/project-log.ts'
import { emptyTree, patchTree } from '../overlay/tree.ts'
import { isOfMovedFolder } from './check-runs.ts'
import { listFailed } from './failed-checks.ts'
import type { ProjectChecks } from './project-checks.ts'

/** Merges branches one after the other, each on the tree that the one before it left, and only when checks are green. */
export interface GreenQueue extends AsyncDisposable {
  /** Starts a queue, or joins the one that runs. A branch that is in it already keeps its place. */
  add(branchIds: readonly BranchId[]): void
  /** Null before the first queue. */
  view(): GreenQueueView | null
  /** Takes branches out, also one whose checks run. Null for all of them. */
  cancel(branchIds: readonly BranchId[] | null): void
}

export interface GreenQueueServices {
  readonly log: LogReader
  readonly checks: Pick<ProjectChecks, 'definitions' | 'run'>
  readonly clock: { now(): number }
  planMerge(trees: BranchTrees, branch: Branch, options: MergeOptions): Promise<MergePlan>
  /** Stores a planned merge. Null when a branch moved on, so that nothing was stored. */
  store(branchId: BranchId, plan: MergePlan): Sequence | null
  readonly announce: (event: LiveEvent) => void
  readonly report: (problem: string, error: unknown) => void
}

/** How often a merge is planned again because its parent moved on meanwhile. */
const mostPlans = 3
const wholeBranch: MergeOptions = { paths: null, force: false, strategy: 'three_way' }

export function createGreenQueue(services: GreenQueueServices): GreenQueue {
  const { log, clock } = services
  let states = new Map<BranchId, GreenMergeState>()
  let running: Promise<void> | null = null
  let current: { readonly branchId: BranchId; readonly control: AbortController } | null = null

  function set(branchId: BranchId, state: GreenMergeState): void {
    states.set(branchId, state)
    log.load([branchId])
    const threadId = log.state.branches.get(branchId)?.threadId
    if (threadId === undefined) return
    const { sequence } = log.state
    services.announce({ type: 'checks.changed', branchId, threadId, at: clock.now(), sequence })
  }

  async function runQueue(): Promise<void> {
    for (;;) {
      const branchId = [...states].find(([, { kind }]) => kind === 'queued')?.[0]
      if (branchId === undefined) return
      const control = new AbortController()
      current = { branchId, control }
      const onStart = (check: string) => set(branchId, { kind: 'checking', check, startedAt: clock.now() })
      // A state that is not queued any more, before the first check runs.
      onStart('')
      set(branchId, await endOf(branchId, onStart, control.signal))
      current = null
    }
  }

  async function endOf(
    branchId: BranchId,
    onStart: (check: string) => void,
    signal: AbortSignal,
  ): Promise<GreenMergeState> {
    try {
      return await mergeWhenGreen(services, branchId, onStart, signal)
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') return { kind: 'cancelled' }
      services.report('A merge when green failed', error)
      const reason = 'Something went wrong inside Coppice. Nothing was merged; the log has the details.'
      return { kind: 'refused', reason }
    }
  }

  function cancel(branchIds: readonly BranchId[] | null): void {
    for (const id of branchIds ?? [...states.keys()]) {
      if (states.get(id)?.kind === 'queued') set(id, { kind: 'cancelled' })
      if (current?.branchId === id) current.control.abort(new MergeCancelled())
    }
  }

  return {
    add(branchIds) {
      if (running === null) states = new Map()
      for (const id of branchIds) {
        const kind = states.get(id)?.kind
        if (kind === 'queued' || kind === 'checking') continue
        // At the end of the order, also when it had its turn before.
        states.delete(id)
        set(id, { kind: 'queued' })
      }
      running ??= runQueue().finally(() => {
        running = null
        const last = [...states.keys()].at(-1)
        const state = last === undefined ? undefined : states.get(last)
        if (last !== undefined && state) set(last, state)
      })
    },
    view() {
      if (states.size === 0) return null
      const branches = [...states].map(([branchId, state]) => ({ branchId, state }))
      return { branches, isRunning: running !== null }
    },
    cancel,
    async [Symbol.asyncDispose]() {
      cancel(null)
      await running
    },
  }
}

class MergeCancelled extends Error {
  constructor() {
    super('The merge was cancelled.')
    this.name = 'AbortError'
  }
}

async function mergeWhenGreen(
  services: GreenQueueServices,
  branchId: BranchId,
  onStart: (check: string) => void,
  signal: AbortSignal,
): Promise<GreenMergeState> {
  const { log, checks } = services
  for (let plans = 0; plans < mostPlans; plans += 1) {
    // Checks of other threads may have run for longer than an idle thread stays loaded.
    log.load([branchId])
    const found = findMergeable(log, branchId)
    if (!found.ok) return { kind: 'refused', reason: found.error }
    const { branch, parentId } = found.value
    const [ours, theirs] = [log.trees.heads.get(parentId), log.trees.heads.get(branchId)]
    const plan = await services.planMerge(log.trees, branch, wholeBranch)
    const conflicts = plan.result.conflicts.map(({ path }) => path)
    if (conflicts.length > 0) return { kind: 'conflict', paths: conflicts }
    if (plan.patch.length === 0 && plan.bases.length === 0)
      return { kind: 'refused', reason: 'There is nothing to merge: its parent has all its changes.' }
    const tree = patchTree(ours ?? emptyTree, plan.patch)
    const request = { branchId, environmentOf: parentId, on: 'merge', names: null, again: false, by: 'person' } as const
    const checked = await checks.run({ ...request, tree, onStart }, signal)
    if (!checked.ok) return { kind: 'refused', reason: checked.error }
    signal.throwIfAborted()
    const failed = listFailed(checks.definitions(), checked.value)
    if (failed.length > 0)
      return { kind: 'red', failed, greenAlone: await isGreenAlone(services, branchId, failed, signal) }
    const isSame = log.trees.heads.get(parentId) === ours && log.trees.heads.get(branchId) === theirs
    if (!isSame || checked.value.some(isOfMovedFolder)) continue
    const sequence = services.store(branchId, plan)
    if (sequence !== null) return { kind: 'merged', sequence }
  }
  const reason = 'The branches or the folder kept changing while the checks ran, so nothing was merged. Try again.'
  return { kind: 'refused', reason }
}

/** True when the checks that failed on the merged tree are green on the branch's own. */
async function isGreenAlone(
  { checks }: GreenQueueServices,
  branchId: BranchId,
  failed: readonly CheckResult[],
  signal: AbortSignal,
): Promise<boolean> {
  const names = failed.map(({ check }) => check)
  const request = { branchId, tree: null, environmentOf: branchId, on: 'branch', names, again: false } as const
  const alone = await checks.run({ ...request, by: 'person' }, signal)
  return alone.ok && alone.value.every(({ outcome }) => outcome === 'green')
}

function findMergeable(
  { state }: LogReader,
  branchId: BranchId,
): Result<{ readonly branch: Branch; readonly parentId: BranchId }, string> {
  const branch = state.branches.get(branchId)
  if (!branch || branch.status === 'discarded') return failure('This branch was discarded. Restore it first.')
  if (branch.parentId === null) return failure('The workspace has no parent to merge into.')
  if (!isFinished(state, branch)) {
    const isWaiting = state.threads.get(branch.threadId)?.status === 'needs_you'
    return failure(
      isWaiting
        ? 'Its agent waits for you. Answer it, or stop it, and merge then.'
        : 'Its agent still works. Wait until it is done, or stop it.',
    )
  }
  return success({ branch, parentId: branch.parentId })
}
