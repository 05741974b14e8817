import { emptyTree, type MergePlan, patchTree } from '#overlay'
import { failure, type Result, success } from '#shared/base/result.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { CheckResult, GreenMergeState, GreenQueueView, QueuedMerge, QueuedMergeEnd } from '#shared/model/check.ts'
import type { EntryOf } from '#shared/model/entry.ts'
import type { LiveEvent } from '#shared/model/event.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { isFinished, type MergeOptions } from '../branches/branch-merges.ts'
import type { BranchTrees } from '../branches/branch-trees.ts'
import type { LogReader } from '../journal/project-log.ts'
import { readBranch } from '../journal/read-thread.ts'
import { isOfMovedFolder } from './check-runs.ts'
import { listFailed } from './failed-checks.ts'
import type { CheckRequest, ProjectChecks } from './project-checks.ts'

/**
 * Merges branches one after the other, each on the tree that the one before it left, and only when checks are green. The
 * journal holds the queue, so what waits when the app is closed or killed still waits at the next opening. Disposing ends
 * the checks that run and takes nothing out.
 */
export interface GreenQueue extends AsyncDisposable {
  /** Starts a queue, or joins the one that runs. A branch that waits in it already keeps its place. */
  add(branchIds: readonly BranchId[]): void
  /**
   * Goes on with what an earlier run of the app left. Nobody watches, so without a sandbox its checks are refused. Call
   * when the project's checks are known.
   */
  resume(): void
  /** Null before the first queue. */
  view(): GreenQueueView | null
  /** Takes branches out, also one whose checks run. Null for all of them. */
  cancel(branchIds: readonly BranchId[] | null): void
}

/** What became of a branch of the queue, as it is stored. */
export type StoredEnd = Pick<EntryOf<'merge.ended'>, 'branchId' | 'end'>

export interface GreenQueueServices {
  readonly log: LogReader
  readonly checks: Pick<ProjectChecks, 'definitions' | 'run' | 'result'>
  readonly clock: { now(): number }
  planMerge(trees: BranchTrees, branch: Branch, options: MergeOptions): Promise<MergePlan>
  /** Stores that branches wait. */
  queue(branchIds: readonly BranchId[]): void
  /** Stores what became of branches that were not merged. */
  end(ends: readonly StoredEnd[]): void
  /** Stores a planned merge as the end of its branch. Null when a branch moved on, so that nothing was stored. */
  store(branchId: BranchId, plan: MergePlan): Sequence | null
  readonly announce: (event: LiveEvent) => void
  readonly report: (problem: string, error: unknown) => void
}

/** How often a merge is planned again because its parent moved on meanwhile. */
const mostPlans = 3
const wholeBranch: MergeOptions = { paths: null, force: false, strategy: 'three_way' }

/** The branch that has its turn. */
interface Turn {
  readonly branchId: BranchId
  readonly control: AbortController
  check: string
  startedAt: number
}

export function createGreenQueue(services: GreenQueueServices): GreenQueue {
  const { log, clock } = services
  /** Branches that an earlier run of the app left. */
  const left = new Set(waitingIn(log))
  let running: Promise<void> | null = null
  let turn: Turn | null = null
  let isClosed = false

  function announce(branchIds: readonly BranchId[]): void {
    for (const branchId of branchIds) {
      const threadId = readBranch(log, branchId)?.threadId
      const { sequence } = log.state
      if (threadId !== undefined)
        services.announce({ type: 'checks.changed', branchId, threadId, at: clock.now(), sequence })
    }
  }

  function end(ends: readonly StoredEnd[]): void {
    services.end(ends)
    announce(ends.map(({ branchId }) => branchId))
  }

  function start(): void {
    if (isClosed || waitingIn(log).length === 0) return
    running ??= runQueue()
      // What could not be stored waits for the next opening, or for the next branch.
      .catch((error: unknown) => services.report('The queue of merges could not go on', error))
      .finally(() => {
        running = null
        announce(log.state.checks.queue.slice(-1).map(({ branchId }) => branchId))
      })
  }

  async function runQueue(): Promise<void> {
    for (;;) {
      const [branchId] = waitingIn(log)
      if (branchId === undefined || isClosed) return
      const own: Turn = { branchId, control: new AbortController(), check: '', startedAt: clock.now() }
      turn = own
      announce([branchId])
      try {
        const ended = await endOf(own)
        if (isClosed) return
        if (ended.kind === 'merged') announce([branchId])
        else end([{ branchId, end: ended }])
      } finally {
        turn = null
      }
    }
  }

  async function endOf(own: Turn): Promise<QueuedMergeEnd> {
    const onStart = (check: string) => {
      Object.assign(own, { check, startedAt: clock.now() })
      announce([own.branchId])
    }
    const by = left.has(own.branchId) ? 'agent' : 'person'
    try {
      return await mergeWhenGreen(services, own.branchId, { onStart, by }, own.control.signal)
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') return { kind: 'cancelled' }
      services.report('A merge when green failed', error)
      const reason = 'Something went wrong inside Coppice. Nothing was merged; the log has the details.'
      return { kind: 'refused', reason }
    }
  }

  return {
    add(branchIds) {
      for (const id of branchIds) left.delete(id)
      services.queue(branchIds)
      announce(branchIds)
      start()
    },
    resume: start,
    view() {
      const { queue } = log.state.checks
      if (queue.length === 0) return null
      const branches = queue.map((merge) => ({ branchId: merge.branchId, state: stateOf(services, merge, turn) }))
      return { branches, isRunning: running !== null }
    },
    cancel(branchIds) {
      const chosen = branchIds && new Set(branchIds)
      const taken = waitingIn(log).filter((id) => chosen?.has(id) ?? true)
      if (turn && taken.includes(turn.branchId)) turn.control.abort(new MergeCancelled())
      const others = taken.filter((id) => id !== turn?.branchId)
      if (others.length > 0) end(others.map((branchId) => ({ branchId, end: { kind: 'cancelled' } })))
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      turn?.control.abort(new MergeCancelled())
      await running
    },
  }
}

function waitingIn({ state }: Pick<LogReader, 'state'>): readonly BranchId[] {
  return state.checks.queue.flatMap(({ branchId, end }) => (end === null ? [branchId] : []))
}

function stateOf({ checks }: GreenQueueServices, { branchId, end }: QueuedMerge, turn: Turn | null): GreenMergeState {
  if (end?.kind === 'red') {
    const failed = end.failed.flatMap(({ check, sequence }) => {
      const result = checks.result(sequence)
      return result === null ? [] : [{ ...result, check }]
    })
    return { ...end, failed }
  }
  if (end !== null) return end
  if (turn?.branchId !== branchId) return { kind: 'queued' }
  return { kind: 'checking', check: turn.check, startedAt: turn.startedAt }
}

/** Why a branch of a project without checks on merges is not merged. */
export const noMergeChecks = 'No check runs on merges. Accept or add one first, or merge without checks.'

class MergeCancelled extends Error {
  constructor() {
    super('The merge was cancelled.')
    this.name = 'AbortError'
  }
}

async function mergeWhenGreen(
  services: GreenQueueServices,
  branchId: BranchId,
  how: Pick<CheckRequest, 'onStart' | 'by'>,
  signal: AbortSignal,
): Promise<QueuedMergeEnd> {
  const { log, checks } = services
  // Checks may have been taken away while the app was closed, or the trust in the project that defines them.
  if (!checks.definitions().some(({ on }) => on.includes('merge'))) return { kind: 'refused', reason: noMergeChecks }
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
    const request = { branchId, environmentOf: parentId, on: 'merge', names: null, again: false, ...how } as const
    const checked = await checks.run({ ...request, tree }, signal)
    if (!checked.ok) return { kind: 'refused', reason: checked.error }
    signal.throwIfAborted()
    const failed = listFailed(checks.definitions(), checked.value)
    if (failed.length > 0)
      return { kind: 'red', ...(await judgeAlone(services, branchId, { failed, by: how.by }, signal)) }
    const isSame = log.trees.heads.get(parentId) === ours && log.trees.heads.get(branchId) === theirs
    if (!isSame || checked.value.some(isOfMovedFolder)) continue
    const sequence = services.store(branchId, plan)
    if (sequence !== null) return { kind: 'merged', sequence }
  }
  const reason = 'The branches or the folder kept changing while the checks ran, so nothing was merged. Try again.'
  return { kind: 'refused', reason }
}

/** The failed results where they are stored, and whether these checks are green on the branch's own tree. */
async function judgeAlone(
  { log, checks }: GreenQueueServices,
  branchId: BranchId,
  { failed, by }: { readonly failed: readonly CheckResult[] } & Pick<CheckRequest, 'by'>,
  signal: AbortSignal,
): Promise<Omit<Extract<QueuedMergeEnd, { kind: 'red' }>, 'kind'>> {
  const { byKey } = log.state.checks
  const stored = failed.flatMap(({ check, key }) => {
    const sequence = byKey.get(key)?.sequence
    return sequence === undefined ? [] : [{ check, sequence }]
  })
  const names = failed.map(({ check }) => check)
  const request = { branchId, tree: null, environmentOf: branchId, on: 'branch', names, again: false, by } as const
  const alone = await checks.run(request, signal)
  return { failed: stored, greenAlone: alone.ok && alone.value.every(({ outcome }) => outcome === 'green') }
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
