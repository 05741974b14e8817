import { type BatchRow, isOpen } from '#shared/model/batch.ts'
import type { BatchProgress } from '#shared/model/event.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { addUsage, noUsage } from '#shared/model/usage.ts'
import type { AgentServices } from './services.ts'
import type { SpawningCall } from './subagents.ts'

const betweenEvents = 200

/** Tells how far a batch is, a few times a second at most, and once at its end. */
export function createBatchProgress(
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
