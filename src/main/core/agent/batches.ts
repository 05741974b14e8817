import { type BatchRow, batchRows, isOpen } from '#shared/model/batch.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Activity } from './activity.ts'
import { estimatedCost } from './batch-cost.ts'
import { batchFolder } from './batch-folder.ts'
import { createBatchProgress } from './batch-progress.ts'
import { type BatchSummary, keepResults } from './batch-results.ts'
import { spentBatchBudget, spentBudget } from './budgets.ts'
import { forkDrafts } from './fork-subagents.ts'
import { plannedTask } from './planned-task.ts'
import { RunCut } from './run-once.ts'
import type { AgentServices } from './services.ts'
import type { SpawningCall } from './subagents.ts'

/**
 * Runs the tasks of a call a few at a time, each by a subagent on its own fork. What a task came to is read from its
 * subagent's thread, so a call that is entered again, after a restart or for a retry, goes on with what has no outcome.
 */
export interface Batches {
  /** Waits for all. One that fails never fails the others; what a spent budget keeps from starting is skipped. */
  run(call: SpawningCall, signal: AbortSignal): Promise<BatchSummary>
  /** US dollars that so many tasks may cost, by what subagents have cost so far; null where that is not known. */
  estimate(threadId: ThreadId, tasks: number): number | null
}

/** `runThread` runs a thread to its end and never rejects. */
export function createBatches(
  services: AgentServices,
  runThread: (threadId: ThreadId, signal: AbortSignal) => Promise<void>,
  activityOf: (threadId: ThreadId) => Activity,
): Batches {
  const { log } = services
  return {
    async run(call, signal) {
      begin(services, call)
      const rows = batchRows(log.state, call.threadId, call.callId)
      const progress = createBatchProgress(services, call, rows)
      const due = rows.filter(isOpen).values()
      const activity = activityOf(call.threadId)
      const work = async (worker: string) => {
        for (const row of due) {
          if (signal.aborted) return
          const id = row.thread?.id ?? startSubagent(services, call, row)
          if (id === undefined) return
          progress.started()
          await activity.whileDelegating(worker, [id], () => runThread(id, signal))
          progress.ended(threadOf(services, id))
        }
      }
      await asWorkers(activity, call, concurrencyOf(services, call), work)
      progress.close()
      if (!signal.aborted) return keepResults(services, call, 'skipped')
      if (signal.reason instanceof RunCut && signal.reason.by === 'stop') await keepResults(services, call, 'cancelled')
      throw signal.reason
    },
    estimate: (threadId, tasks) => estimatedCost(log.state, threadOf(services, threadId), tasks, services.usualCost),
  }
}

function begin(services: AgentServices, { threadId, callId }: SpawningCall): void {
  const { log, clock } = services
  if (threadOf(services, threadId).calls.get(callId)?.batch) return
  const folder = batchFolder(services, threadId, clock.now())
  const concurrency = services.settings().batchConcurrency
  log.append([{ type: 'batch.started', threadId, callId, folder, concurrency }])
}

/**
 * Each worker counts as one who can go on by itself until there is nothing left to take: between two tasks nobody else
 * may be running, and the family is not quiet.
 */
async function asWorkers(
  activity: Activity,
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

/** Undefined when a budget is spent: nothing more is started. */
function startSubagent(
  services: AgentServices,
  call: SpawningCall,
  { index, id, type, description }: BatchRow,
): ThreadId | undefined {
  const { log, clock, ids } = services
  const parent = threadOf(services, call.threadId)
  const { budgets } = services.settings()
  const now = clock.now()
  const spent = spentBudget(log.state, parent, budgets, now) ?? spentBatchBudget(log.state, call, budgets, now)
  if (spent !== undefined) return undefined
  const name = id === String(index) ? null : id
  const task = plannedTask(services, parent, { task: description, subagentType: type, name, todoIndex: null })
  const drafts = forkDrafts({ state: log.state, parent, call, tasks: [task], first: index, nextId: () => ids.next() })
  return log.append(drafts)[0].threadId
}

function concurrencyOf(services: AgentServices, { threadId, callId }: SpawningCall): number {
  return threadOf(services, threadId).calls.get(callId)?.batch?.concurrency ?? 1
}

function threadOf({ log }: AgentServices, id: ThreadId): ThreadState {
  const thread = log.state.threads.get(id)
  if (!thread) throw new Error(`No thread ${id}`)
  return thread
}
