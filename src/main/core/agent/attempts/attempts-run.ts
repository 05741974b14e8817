import type { JudgedAttempt } from '#shared/model/calls/attempts.ts'
import { type BatchRow, batchRows, isOpen } from '#shared/model/derived/batch.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { assumedCost, type Usage } from '#shared/model/models/usage.ts'
import { familyOf } from '#shared/model/project-state.ts'
import { commitAlways } from '../../journal/project-log.ts'
import type { SpawningCall } from '../../tools/delegate/delegation.ts'
import { concurrencyOf } from '../delegation/batches.ts'
import { budgetOfBatch, sumOfUsage, workersOf } from '../delegation/budgets.ts'
import type { IdleTracker } from '../delegation/idle-tracker.ts'
import { RunCut } from '../loop/run.ts'
import type { AgentServices } from '../types/services.ts'
import { judgeAttempts } from './judge-attempts.ts'
import { type Racers, runRace } from './race.ts'
import { createRoundGate, type RoundGate } from './round-gate.ts'

/** What a run of attempts needs besides the services. */
export interface AttemptRuns {
  /** Runs a thread to its end. Never rejects. */
  readonly runThread: (threadId: ThreadId, signal: AbortSignal) => Promise<void>
  readonly activity: IdleTracker
  readonly progress: { started(): void; ended(id: ThreadId): void }
  readonly gate: RoundGate
  /** The names of the checks that count. */
  readonly checks: readonly string[]
  readonly by: 'person' | 'agent'
  readonly signal: AbortSignal
}

export function gateOf(services: AgentServices): RoundGate {
  return createRoundGate((id) => dollarsOf(services, sumOfUsage(familyOf(services.log.state, id))))
}

/** Runs the attempts of a call to their ends, in rounds where the budget asks for it. Throws the abort reason. */
export async function raceAttempts(services: AgentServices, call: SpawningCall, runs: AttemptRuns): Promise<void> {
  const { activity, signal } = runs
  const releases = new Map<ThreadId, Promise<void>>()
  const worker = `${call.callId} worker`
  const ended = new Map<ThreadId, { readonly run: Promise<void>; readonly own: AbortController; isOver: boolean }>()
  const rows = () => batchRows(services.log.state, call.threadId, call.callId)
  const isOver = ({ thread }: BatchRow) => thread === null || ended.get(thread.id)?.isOver === true
  const idOf = (index: number): ThreadId | undefined => rows()[index]?.thread?.id
  const started = (id: ThreadId) => {
    const known = ended.get(id)
    if (known) return known
    const own = new AbortController()
    runs.progress.started()
    const run = runs.runThread(id, AbortSignal.any([signal, own.signal])).finally(() => {
      one.isOver = true
      runs.progress.ended(id)
    })
    const one = { run, own, isOver: false }
    ended.set(id, one)
    return one
  }
  const racers: Racers = {
    hasChecks: runs.checks.length > 0,
    unfinished: () =>
      rows()
        .filter((row) => isOpen(row) && !isOver(row))
        .map(({ index }) => index),
    left: () => leftOf(services, call),
    advance: (indexes, share) => {
      const ids = indexes.flatMap((index) => idOf(index) ?? [])
      return advance(services, { call, runs, worker, started, releases }, ids, share)
    },
    async judge(indexes) {
      const chosen = rows().flatMap(({ index, thread }) =>
        thread !== null && indexes.includes(index) ? [{ index, thread, stopped: null }] : [],
      )
      const { attempts, note } = await judgeAttempts(services, chosen, runs.checks, runs)
      storeJudged(services, call, attempts, note)
      return attempts
    },
    async stop(behind) {
      const stopped = behind.map(({ attempt, why }) => ({ ...attempt, stopped: why }))
      storeJudged(services, call, stopped, '')
      await Promise.all(
        stopped.map(async ({ index, stopped: why }) => {
          const one = ended.get(idOf(index) ?? ('' as ThreadId))
          one?.own.abort(new RunCut('behind', why))
          await one?.run
        }),
      )
    },
  }
  activity.enter(worker)
  try {
    await activity.whileDelegating(call.threadId, [worker], async () => {
      try {
        await runRace(racers, signal)
      } finally {
        await Promise.allSettled([...ended.values()].map(({ run }) => run))
      }
    })
  } finally {
    activity.leave(worker)
  }
}

interface Advance {
  readonly call: SpawningCall
  readonly runs: AttemptRuns
  /** What waits for the attempts, for the tracker of who can go on. */
  readonly worker: string
  readonly started: (id: ThreadId) => { readonly run: Promise<void>; readonly isOver: boolean }
  /** Those that are held, each with the moment at which the tracker has heard that it goes on. */
  readonly releases: Map<ThreadId, Promise<void>>
}

/** Lets attempts go on, as many at once as the settings allow, until each is held or has ended. */
async function advance(
  services: AgentServices,
  { call, runs, worker, started, releases }: Advance,
  ids: readonly ThreadId[],
  share: number | null,
): Promise<void> {
  const { gate, signal, activity } = runs
  const waiting = [...ids]
  const active = new Map<ThreadId, Promise<void>>()
  const held: ThreadId[] = []
  const go = async (id: ThreadId) => {
    const one = started(id)
    await Promise.race([one.run, gate.held(id)])
    active.delete(id)
    if (!one.isOver) held.push(id)
  }
  for (;;) {
    while (!signal.aborted && active.size < concurrencyOf(services, call)) {
      const id = waiting.shift()
      if (id === undefined) break
      const spent = dollarsOf(services, sumOfUsage(familyOf(services.log.state, id)))
      gate.open(id, share === null ? null : spent + share)
      await releases.get(id)
      active.set(id, go(id))
    }
    if (active.size === 0) return
    await activity.whileDelegating(worker, [...active.keys()], () => Promise.race(active.values()), 'any')
    // An attempt that waits for the next round goes on once the others have ended this one, also when one of them waits for a person.
    for (const id of held.splice(0))
      releases.set(
        id,
        activity.whileDelegating(id, [worker], () => gate.opened(id)),
      )
  }
}

function leftOf(services: AgentServices, call: SpawningCall): number | null {
  const { log, settings } = services
  const batch = log.state.threads.get(call.threadId)?.calls.get(call.callId)?.batch
  const budget = batch ? budgetOfBatch(settings().budgets, batch).cost : null
  return budget === null ? null : budget - dollarsOf(services, sumOfUsage(workersOf(log.state, call)))
}

/** US dollars, with what the settings assume for a model of unknown price. */
function dollarsOf({ settings }: AgentServices, usage: Usage): number {
  const { unknownPrice } = settings()
  return usage.cost ?? (unknownPrice === 'refuse' ? 0 : assumedCost(usage, unknownPrice))
}

export function storeJudged(
  { log }: AgentServices,
  { threadId, callId }: SpawningCall,
  attempts: readonly JudgedAttempt[],
  note: string,
): void {
  commitAlways(log, [{ type: 'batch.judged', threadId, callId, attempts, note }])
}
