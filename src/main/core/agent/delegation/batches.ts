import { awaitedBefore, isAwaited } from '#shared/model/derived/awaited.ts'
import { type BatchRow, batchRows, isOpen } from '#shared/model/derived/batch.ts'
import type { BatchProgress } from '#shared/model/event.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { addUsage, noUsage } from '#shared/model/models/usage.ts'
import { familyOf, type ProjectState, rootThreadOf } from '#shared/model/project-state.ts'
import { openCalls, type ThreadState } from '#shared/model/thread.ts'
import { commitAlways } from '../../journal/project-log.ts'
import type { Batches, SpawningCall } from '../../tools/delegate/delegation.ts'
import { DecisionError } from '../calls/decisions.ts'
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
): Batches {
  const { log } = services
  const running = new Map<string, AbortController>()
  return {
    stop(call) {
      const batch = running.get(runningKey(call))
      batch?.abort(new RunCut('stop'))
      return batch !== undefined
    },
    async run(call, runSignal) {
      const own = new AbortController()
      using _ = holding(running, runningKey(call), own)
      const signal = AbortSignal.any([runSignal, own.signal])
      begin(services, call)
      refuseTasks(services, call)
      const rows = batchRows(log.state, call.threadId, call.callId)
      const progress = createBatchProgress(services, call, rows)
      const due = rows.filter(isOpen).values()
      const activity = activityOf(call.threadId)
      const names = createFamilyNames(call.threadId)
      const work = async (worker: string) => {
        for (const row of due) {
          if (signal.aborted) return
          const id = row.thread?.id ?? startSubagent(services, call, row, names)
          if (id === undefined) return
          progress.started()
          await activity.whileDelegating(worker, [id], () => runThread(id, signal))
          progress.ended(threadOf(services, id))
        }
      }
      await asWorkers(activity, call, concurrencyOf(services, call), work)
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
function runningKey({ threadId, callId }: SpawningCall): string {
  return `${threadId} ${callId}`
}

/** Holds a value under a key until it is disposed of. */
function holding<Key, Value>(all: Map<Key, Value>, key: Key, value: Value): Disposable {
  all.set(key, value)
  return { [Symbol.dispose]: () => void all.delete(key) }
}

function begin(services: AgentServices, { threadId, callId }: SpawningCall): void {
  const { log, clock } = services
  if (threadOf(services, threadId).calls.get(callId)?.batch) return
  const folder = batchFolder(services, threadId, clock.now())
  const concurrency = services.settings().batchConcurrency
  commitAlways(log, [{ type: 'batch.started', threadId, callId, folder, concurrency }])
}

/** A task whose subagent cannot start fails, with its reason, and the others run. */
function refuseTasks(services: AgentServices, { threadId, callId }: SpawningCall): void {
  const rows = batchRows(services.log.state, threadId, callId).filter((row) => row.thread === null)
  const reasons = new Map(
    [...new Set(rows.map(({ type }) => type))].map((type) => [type, startProblem(services, type)]),
  )
  const tasks = rows.flatMap(({ index, type }) => {
    const reason = reasons.get(type)
    return reason === undefined ? [] : [{ index, reason }]
  })
  if (tasks.length > 0) commitAlways(services.log, [{ type: 'batch.refused', threadId, callId, tasks }])
}

/**
 * Each worker counts as an agent that can go on until no task is left. Otherwise the family would seem quiet between
 * two tasks.
 */
async function asWorkers(
  activity: IdleTracker,
  { threadId, callId }: SpawningCall,
  count: number,
  work: (worker: string) => Promise<void>,
): Promise<void> {
  const workers = Array.from({ length: count }, (_, number) => `${callId} worker ${number}`)
  const ended = await activity.whileDelegating(threadId, workers, () =>
    Promise.allSettled(
      workers.map(async (worker) => {
        activity.enter(worker)
        try {
          await work(worker)
        } finally {
          activity.leave(worker)
        }
      }),
    ),
  )
  for (const one of ended) if (one.status === 'rejected') throw one.reason
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

function concurrencyOf(services: AgentServices, { threadId, callId }: SpawningCall): number {
  return threadOf(services, threadId).calls.get(callId)?.batch?.concurrency ?? 1
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
function createBatchProgress(
  { clock, announce, log }: AgentServices,
  { threadId, callId }: SpawningCall,
  rows: readonly BatchRow[],
) {
  const began = clock.now()
  const before = rows.filter((row) => !isOpen(row))
  const endedBefore = before.length
  let done = endedBefore
  let failed = before.filter(({ status }) => status !== 'ok').length
  let running = 0
  let usage = before.reduce((sum, { thread }) => (thread ? addUsage(sum, thread.usage) : sum), noUsage)
  let told = Number.NEGATIVE_INFINITY

  const present = (now: number): BatchProgress => {
    const minutes = Math.max(now - began, 1) / 60_000
    const perMinute = done > endedBefore ? (done - endedBefore) / minutes : null
    const leftMs = perMinute === null ? null : Math.round(((rows.length - done) / perMinute) * 60_000)
    return { total: rows.length, done, failed, running, perMinute, leftMs, cost: usage.cost }
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

export const busy = new DecisionError('invalid', 'The agent is working. Wait until it is done, or stop it first.')

/** Why a batch cannot be retried now; undefined when it can. */
export function retryProblem(state: ProjectState, thread: ThreadState, callId: ToolCallId): DecisionError | undefined {
  if (!thread.calls.get(callId)?.batch) return new DecisionError('not_found', `The call ${callId} is not a batch.`)
  if (openCalls(thread).length > 0)
    return new DecisionError('invalid', 'The agent has calls without a result. Continue or stop it first.')
  if (batchRows(state, thread.id, callId).every(({ status }) => status === 'ok'))
    return new DecisionError('invalid', 'Every task of this batch succeeded; there is nothing to try again.')
  return undefined
}

/** The result of the call is replaced in place, so the agent must learn that it changed. */
export const retryNotice =
  'The user had the unsuccessful tasks of the batch run again. The result of that call was replaced by a new one.'
