import { isNonEmpty } from '#shared/base/non-empty.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import { commitAlways } from '../../journal/project-log.ts'
import { JournalError } from '../../ports/journal.ts'
import type { Batches, Subagents } from '../../tools/delegate/delegation.ts'
import { createAttempts } from '../attempts/attempts.ts'
import { createUsedCallIds } from '../calls/used-call-ids.ts'
import { type BackgroundRuns, backgroundOf, createBackground } from '../delegation/background.ts'
import { createBatches } from '../delegation/batches.ts'
import { createIdleTracker, type IdleTracker } from '../delegation/idle-tracker.ts'
import { createReservations } from '../delegation/reservations.ts'
import { createSubagents } from '../delegation/subagents.ts'
import { createOverlapWatch } from '../drift/overlap-watch.ts'
import { createExternalSessions, type ExternalSessions } from '../external/external-sessions.ts'
import { isStop, RunCut, runOnce } from '../loop/run.ts'
import { type BranchProcesses, createBranchProcesses } from '../processes/branch-processes.ts'
import { askHooks, endSessions, type HookQuestion } from '../stages/outside-runs.ts'
import type { RunMode, StoreCommit } from '../types/loop-context.ts'
import type { AgentServices } from '../types/services.ts'
import { type AskBeside, askBeside } from './ask-beside.ts'
import { createSignals } from './signals.ts'
import { type ThreadHooks, threadContext } from './thread-context.ts'

/** The runs that are active in this process, and ways to wait for them. */
export interface RunRegistry {
  /** Starts subagents whose runs appear here too. */
  readonly subagents: Subagents
  /** Runs batches whose subagents appear here too. */
  readonly batches: Batches
  /** Ends with the runs. */
  readonly processes: BranchProcesses
  /** The external agents. They end with the runs too. */
  readonly external: ExternalSessions
  /** True from the start of a run until its end is stored. */
  has(threadId: ThreadId): boolean
  /** True from the moment a run is cut until its end is stored. */
  isEnding(threadId: ThreadId): boolean
  /** Does nothing when the thread is already running. After a run that was stopped, the new run follows. */
  start(threadId: ThreadId, mode: RunMode): void
  /** Starts a subagent that ended while the call of its parent still runs. It ends together with the parent. */
  startBelow(parent: ThreadId, threadId: ThreadId, mode: RunMode): void
  /** As `askBeside` says. */
  readonly ask: AskBeside
  /** Asks hooks about something outside of runs. Returns why they refuse; null when they do not. */
  askHooks(threadId: ThreadId, question: HookQuestion, signal: AbortSignal): Promise<string | null>
  /** Aborts the run and does not wait; does nothing when there is none. */
  cut(threadId: ThreadId, reason: RunCut): void
  /** Cuts the run and resolves when its end is stored. */
  end(threadId: ThreadId, reason: RunCut): Promise<void>
  /** Call after a decision was stored for the thread, or when a failed request is to be tried again at once. */
  wake(threadId: ThreadId): void
  /** Call after a message was stored for a running thread. */
  heard(threadId: ThreadId): void
  /** Call after the machine slept. Requests that went silent meanwhile are sent again, and waiting ones at once. */
  wakeAll(): void
  /** Resolves when no agent of the thread's family can go on without a person. */
  whenIdle(threadId: ThreadId): Promise<void>
  /** Cuts every run and resolves when all ends are stored. */
  shutDown(): Promise<void>
}

interface ActiveRun {
  readonly controller: AbortController
  /** Also aborts with the runs above. */
  readonly signal: AbortSignal
  /** The mode of the run that a person asked for after stopping this one. */
  next: RunMode | null
  /** Never rejects. A run that breaks is stored as failed. */
  readonly ended: Promise<void>
}

export function createRunRegistry(services: AgentServices, merges: BranchMerges): RunRegistry {
  const active = new Map<ThreadId, ActiveRun>()
  const overlaps = createOverlapWatch(services)
  const signals = createSignals()
  const wakes = createSignals()
  const messages = createSignals()
  /** Ends what runs beside the threads. */
  const closing = new AbortController()
  const asked = new Map<symbol, ThreadId>()
  const usedCallIds = createUsedCallIds(services.log)
  const reservations = createReservations(services)
  const activityOf = createActivities(services)
  const runThread = (child: ThreadId, signal: AbortSignal) => start(child, 'work', signal).ended
  const processes = createBranchProcesses(services)
  const external = createExternalSessions(services)
  const ask: AskBeside = async (threadId, question, signal) => {
    const own = Symbol(question.purpose)
    asked.set(own, threadId)
    const hooks = { reservations, waits: { retried: signals.next, awake: wakes.next } }
    try {
      return await askBeside(services, threadId, question, hooks, AbortSignal.any([signal, closing.signal]))
    } finally {
      asked.delete(own)
    }
  }
  const batches: Batches = {
    ...createBatches(services, runThread, activityOf),
    attempts: createAttempts(services, runThread, activityOf, ask),
  }
  const own = createSubagents(services, runThread, (threadId) => active.has(threadId))
  const background: BackgroundRuns = {
    ended: (threadId) => active.get(threadId)?.ended,
    run: (caller, threadId) => start(threadId, 'work', active.get(caller)?.signal).ended,
    stop: (threadId) => end(threadId, new RunCut('parent')),
    delegate: (caller, threadIds, until, wait) => activityOf(caller).whileDelegating(caller, threadIds, wait, until),
    untilMessage: messages.next,
  }
  const subagents: Subagents = {
    // A getter, because a spread would keep the types of the start.
    get types() {
      return own.types
    },
    startProblem: own.startProblem,
    hasForked: own.hasForked,
    patchOf: own.patchOf,
    fork: own.fork,
    ...createBackground(services, background),
    run: (caller, threadIds, signal) =>
      activityOf(caller).whileDelegating(caller, threadIds, () => own.run(caller, threadIds, signal)),
  }

  const untilDecided = (threadId: ThreadId, signal: AbortSignal) =>
    activityOf(threadId).whileDeciding(threadId, async () => {
      while (isWaiting(services, threadId)) await signals.next(threadId, signal)
    })

  const run = async (threadId: ThreadId, mode: RunMode, signal: AbortSignal): Promise<void> => {
    const commit = committer(services, threadId, { usedCallIds, reservations })
    activityOf(threadId).enter(threadId)
    try {
      const context = await threadContext(services, threadId, {
        subagents,
        batches,
        processes,
        external,
        merges,
        overlaps: overlaps.of,
        usedCallIds,
        reservations,
        mode,
        untilDecided,
        waits: { retried: signals.next, awake: wakes.next },
        background: backgroundOf(services, background, threadId),
      })
      await runOnce(context, commit, signal)
    } catch (error) {
      storeBroken(services, threadId, error)
    } finally {
      reservations.ended(threadId)
      const next = active.get(threadId)?.next
      active.delete(threadId)
      // The agent does not leave in between, so that nobody finds its family idle.
      if (next) start(threadId, next)
      else activityOf(threadId).leave(threadId)
    }
  }

  const start = (threadId: ThreadId, mode: RunMode, parentSignal?: AbortSignal): ActiveRun => {
    const running = active.get(threadId)
    if (running) {
      const { aborted, reason } = running.controller.signal
      if (aborted && isStop(reason)) running.next = mode
      return running
    }
    const controller = new AbortController()
    const signal = parentSignal ? AbortSignal.any([controller.signal, parentSignal]) : controller.signal
    const started: ActiveRun = { controller, signal, next: null, ended: run(threadId, mode, signal) }
    active.set(threadId, started)
    return started
  }

  const end = async (threadId: ThreadId, reason: RunCut): Promise<void> => {
    const running = active.get(threadId)
    running?.controller.abort(reason)
    await running?.ended
  }

  return {
    subagents,
    batches,
    processes,
    external,
    has: (threadId) => active.has(threadId),
    isEnding: (threadId) => active.get(threadId)?.controller.signal.aborted === true,
    start: (threadId, mode) => void start(threadId, mode),
    startBelow: (parent, threadId, mode) => void start(threadId, mode, active.get(parent)?.signal),
    ask,
    askHooks: (threadId, question, signal) =>
      askHooks(services, threadId, question, AbortSignal.any([signal, closing.signal])),
    cut: (threadId, reason) => active.get(threadId)?.controller.abort(reason),
    end,
    wake: (threadId) => signals.wake(threadId),
    heard(threadId) {
      activityOf(threadId).recall(threadId)
      messages.wake(threadId)
    },
    wakeAll() {
      for (const threadId of new Set([...active.keys(), ...asked.values()])) {
        wakes.wake(threadId)
        signals.wake(threadId)
      }
    },
    whenIdle: (threadId) => activityOf(threadId).whenIdle(),
    async shutDown() {
      closing.abort(new RunCut('shutdown'))
      // A run that a person stopped may be followed by another one.
      while (active.size > 0) {
        const runs = [...active.values()]
        for (const { controller } of runs) controller.abort(new RunCut('shutdown'))
        await Promise.all(runs.map(({ ended }) => ended))
      }
      await endSessions(services)
      await external.shutDown()
      await processes.shutDown()
    },
  }
}

function createActivities(services: AgentServices): (threadId: ThreadId) => IdleTracker {
  const activities = new Map<ThreadId, IdleTracker>()
  return (threadId) => {
    const root = rootThreadOf(services.log.state, threadId)
    const activity = activities.get(root) ?? createIdleTracker((agent) => !isWaiting(services, agent as ThreadId))
    activities.set(root, activity)
    return activity
  }
}

function committer(
  { log }: AgentServices,
  threadId: ThreadId,
  { usedCallIds, reservations }: Pick<ThreadHooks, 'usedCallIds' | 'reservations'>,
): StoreCommit {
  return (entries) => {
    const drafts = entries.map((entry) => ({ threadId, ...entry }))
    if (isNonEmpty(drafts) && !log.commit(drafts).ok) return 'moved_on'
    usedCallIds.stored(threadId, entries)
    if (entries.some(({ type }) => type === 'usage')) reservations.stored(threadId)
    return 'stored'
  }
}

function isWaiting({ log }: AgentServices, threadId: ThreadId): boolean {
  return (log.state.threads.get(threadId)?.interrupts.length ?? 0) > 0
}

/** Stores a broken run as failed. When the store itself fails, people are told and can continue later. */
function storeBroken(services: AgentServices, threadId: ThreadId, error: unknown): void {
  const { log, clock } = services
  const message = error instanceof Error ? error.message : String(error)
  const told = { threadId, at: clock.now(), sequence: log.state.sequence } as const
  try {
    if (error instanceof JournalError) throw error
    commitAlways(log, [{ type: 'run.ended', threadId, status: 'failed', reason: 'internal_error', message }])
  } catch {
    services.announce({ type: 'run.unstored', message, ...told })
  }
}
