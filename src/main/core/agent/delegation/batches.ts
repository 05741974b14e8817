import { awaitedBefore, isAwaited } from '#shared/model/derived/awaited.ts'
import { type BatchRow, batchRows, batchTasksOf, isOpen } from '#shared/model/derived/batch.ts'
import type { BatchProgress } from '#shared/model/event.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { addUsage, noUsage } from '#shared/model/models/usage.ts'
import { familyOf, type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { commitAlways } from '../../journal/project-log.ts'
import type { Batches, SpawningCall } from '../../tools/delegate/delegation.ts'
import { isStop, RunCut } from '../loop/run.ts'
import type { AgentServices } from '../types/services.ts'
import { createFamilyNames, type FamilyNames } from './agent-name.ts'
import { resultsForCode } from './awaited-results.ts'
import { keepResults } from './batch-results.ts'
import { spentBatchBudget, spentBudget } from './budgets.ts'
import type { IdleTracker } from './idle-tracker.ts'
import { forkDrafts, plannedTask, startProblem } from './subagents.ts'

/** `runThread` runs a thread to its end and never rejects. */
export function createBatches(
  services: AgentServices,
  runThread: (threadId: ThreadId, signal: AbortSignal) => Promise<void>,
  activityOf: (threadId: ThreadId) => IdleTracker,
): Omit<Batches, 'attempts'> {
  const { log } = services
  const running = new Map<string, RunningBatch>()
  return {
    stop(call) {
      const batch = running.get(runningKey(call))
      batch?.abort.abort(new RunCut('stop'))
      return batch !== undefined
    },
    heard: (call) => running.get(runningKey(call))?.changed.next(),
    async run(call, runSignal) {
      const own = { abort: new AbortController(), changed: createNews() }
      using _ = holding(running, runningKey(call), own)
      const signal = AbortSignal.any([runSignal, own.abort.signal])
      beginBatch(services, call)
      const progress = createBatchProgress(services, call)
      const names = createFamilyNames(call.threadId)
      await runRows(services, call, {
        ...{ signal, changed: own.changed, activity: activityOf(call.threadId) },
        start: (row) => row.thread?.id ?? startSubagent(services, call, row, names),
        run: async (id) => {
          progress.started()
          await runThread(id, signal)
          progress.ended(threadOf(services, id))
        },
      })
      progress.close()
      if (!signal.aborted) return keepResults(services, call, 'skipped')
      if (!runSignal.aborted) return { ...(await keepResults(services, call, 'cancelled')), stopped_by_user: true }
      if (isStop(signal.reason)) await keepResults(services, call, 'cancelled')
      throw signal.reason
    },
    async resultsForCode(call, otherwise) {
      const thread = threadOf(services, call.threadId)
      const own = thread.calls.get(call.callId)
      return own && isAwaited(thread, own) ? resultsForCode(services, call, otherwise) : undefined
    },
    awaitedBefore: (threadId) => awaitedBefore(threadOf(services, threadId)),
    estimate: (threadId, tasks) => estimatedCost(log.state, threadOf(services, threadId), tasks, services.usualCost),
  }
}

/** The id of a call is unique only within its thread. */
export function runningKey({ threadId, callId }: SpawningCall): string {
  return `${threadId} ${callId}`
}

/** Holds a value under a key until it is disposed of. */
export function holding<Key, Value>(all: Map<Key, Value>, key: Key, value: Value): Disposable {
  all.set(key, value)
  return { [Symbol.dispose]: () => void all.delete(key) }
}

/** Stores that the batch of a call begins, with its own limit in US dollars. Does nothing for one that has begun. */
export function beginBatch(services: AgentServices, { threadId, callId }: SpawningCall, cost?: number): void {
  const { log, clock } = services
  if (threadOf(services, threadId).calls.get(callId)?.batch) return
  const folder = batchFolder(services, threadId, clock.now())
  const concurrency = services.settings().batchConcurrency
  const own = cost === undefined ? {} : { cost }
  commitAlways(log, [{ type: 'batch.started', threadId, callId, folder, concurrency, ...own }])
}

/** A task whose subagent cannot start fails, with its reason, and the others run. */
function refuseTasks(services: AgentServices, { threadId, callId }: SpawningCall): void {
  const rows = batchRows(services.log.state, threadId, callId).filter(({ status }) => status === 'queued')
  const reasons = new Map(
    [...new Set(rows.map(({ type }) => type))].map((type) => [type, startProblem(services, type)]),
  )
  const tasks = rows.flatMap(({ index, type }) => {
    const reason = reasons.get(type)
    return reason === undefined ? [] : [{ index, reason }]
  })
  if (tasks.length > 0) commitAlways(services.log, [{ type: 'batch.refused', threadId, callId, tasks }])
}

interface RowRuns {
  readonly signal: AbortSignal
  readonly changed: News
  readonly activity: IdleTracker
  /** Undefined when a budget is spent. */
  readonly start: (row: BatchRow) => ThreadId | undefined
  /** Never rejects. */
  readonly run: (id: ThreadId) => Promise<void>
}

/**
 * Runs what has no outcome yet, as many at once as the batch allows at that moment, until nothing is left or nothing more
 * may start. It counts as an agent that can go on, or the family would seem quiet between two tasks.
 */
async function runRows(
  services: AgentServices,
  call: SpawningCall,
  { signal, changed, activity, start, run }: RowRuns,
): Promise<void> {
  const worker = `${call.callId} worker`
  const active = new Map<ThreadId, Promise<void>>()
  const taken = new Set<number>()
  const dueRows = () => {
    refuseTasks(services, call)
    const rows = batchRows(services.log.state, call.threadId, call.callId)
    return rows.filter((row) => isOpen(row) && !taken.has(row.index)).values()
  }
  let due = dueRows()
  let next = due.next()
  const startAll = () => {
    while (!signal.aborted && !next.done && active.size < concurrencyOf(services, call)) {
      const id = start(next.value)
      if (id === undefined) return
      taken.add(next.value.index)
      next = due.next()
      active.set(
        id,
        run(id).finally(() => active.delete(id)),
      )
    }
  }
  const work = async () => {
    for (;;) {
      startAll()
      if (active.size === 0) return
      const news = changed.wait()
      const isChanged = await activity.whileDelegating(
        ...([worker, [...active.keys()], () => Promise.race([...active.values(), news]), 'any'] as const),
      )
      if (isChanged !== true) continue
      due = dueRows()
      next = due.next()
    }
  }
  activity.enter(worker)
  try {
    await activity.whileDelegating(call.threadId, [worker], async () => {
      try {
        await work()
      } finally {
        await Promise.allSettled(active.values())
      }
    })
  } finally {
    activity.leave(worker)
  }
}

interface RunningBatch {
  readonly abort: AbortController
  readonly changed: News
}

interface News {
  next(): void
  /** Resolves with true at the next one. */
  wait(): Promise<true>
}

function createNews(): News {
  let waiting = Promise.withResolvers<true>()
  return {
    next() {
      waiting.resolve(true)
      waiting = Promise.withResolvers()
    },
    wait: () => waiting.promise,
  }
}

/** Undefined when a budget is spent, so nothing more is started. */
function startSubagent(
  services: AgentServices,
  call: SpawningCall,
  { index, id, type, description }: BatchRow,
  names: FamilyNames,
): ThreadId | undefined {
  const { log, clock, ids } = services
  const parent = threadOf(services, call.threadId)
  const settings = services.settings()
  const now = clock.now()
  const spent = spentBudget(log.state, parent, settings, now) ?? spentBatchBudget(log.state, call, settings, now)
  if (spent !== undefined) return undefined
  const name = id === String(index) ? null : id
  const task = plannedTask(services, parent, { task: description, subagentType: type, name, todoIndex: null })
  const nextId = () => ids.next()
  const drafts = forkDrafts({ state: log.state, parent, call, tasks: [task], first: index, nextId, names })
  return commitAlways(log, drafts)[0].threadId
}

/** Never more than the settings allow now, whatever they allowed when the batch began. */
export function concurrencyOf(services: AgentServices, { threadId, callId }: SpawningCall): number {
  const own = threadOf(services, threadId).calls.get(callId)?.batch?.concurrency ?? 1
  return Math.min(own, services.settings().batchConcurrency)
}

function threadOf({ log }: AgentServices, id: ThreadId): ThreadState {
  const thread = log.state.threads.get(id)
  if (!thread) throw new Error(`No thread ${id}`)
  return thread
}

/**
 * US dollars for a number of tasks: the average of the family's subagents, or the model's usual cost. Null when
 * unknown.
 */
function estimatedCost(
  state: ProjectState,
  { id, model }: ThreadState,
  tasks: number,
  usualCost: (model: string) => number | null,
): number | null {
  const costs = familyOf(state, rootThreadOf(state, id)).flatMap(({ parent, end, usage }) =>
    parent !== null && end?.status === 'done' && usage.cost !== null ? [usage.cost] : [],
  )
  const each = costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) / costs.length : usualCost(model)
  return each === null ? null : each * tasks
}

/** The folder for the results of a batch that begins now. A second batch in the same second gets a number. */
function batchFolder({ log, prefixes }: AgentServices, threadId: ThreadId, now: number): string {
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const calls = familyOf(log.state, rootThreadOf(log.state, threadId)).flatMap((thread) => [...thread.calls.values()])
  const taken = new Set(calls.map(({ batch }) => batch?.folder))
  const folder = (suffix: string) => `${prefixes['/batch_results/']}${stamp}${suffix}/`
  let chosen = folder('')
  for (let number = 1; taken.has(chosen); number += 1) chosen = folder(`-${number}`)
  return chosen
}

const betweenEvents = 200

/** Announces the progress of a batch, a few times a second at most, and once at its end. */
export function createBatchProgress({ clock, announce, log }: AgentServices, { threadId, callId }: SpawningCall) {
  const began = clock.now()
  const before = batchRows(log.state, threadId, callId).filter((row) => !isOpen(row))
  const endedBefore = before.length
  let done = endedBefore
  let failed = before.filter(({ status }) => status !== 'ok').length
  let running = 0
  let usage = before.reduce((sum, { thread }) => (thread ? addUsage(sum, thread.usage) : sum), noUsage)
  let told = Number.NEGATIVE_INFINITY

  const present = (now: number): BatchProgress => {
    const minutes = Math.max(now - began, 1) / 60_000
    const perMinute = done > endedBefore ? (done - endedBefore) / minutes : null
    const call = log.state.threads.get(threadId)?.calls.get(callId)
    const total = call ? batchTasksOf(call).length : done
    const leftMs = perMinute === null ? null : Math.round((Math.max(total - done, 0) / perMinute) * 60_000)
    return { total, done, failed, running, perMinute, leftMs, cost: usage.cost }
  }
  const tell = (now = clock.now()) => {
    told = now
    announce({ type: 'batch.progress', callId, ...present(now), threadId, at: now, sequence: log.state.sequence })
  }
  const tellSometimes = () => {
    const now = clock.now()
    if (now - told >= betweenEvents) tell(now)
  }
  return {
    started() {
      running += 1
      tellSometimes()
    },
    ended(thread: ThreadState) {
      running -= 1
      if (thread.end?.status !== 'interrupted') done += 1
      if (thread.end?.status === 'failed' || thread.end?.status === 'stopped') failed += 1
      usage = addUsage(usage, thread.usage)
      tellSometimes()
    },
    close: () => tell(),
  }
}
