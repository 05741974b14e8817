import type { BatchRow, RowStatus } from '#shared/model/derived/batch.ts'
import type { BatchFilter } from '../strings/batches.ts'

export interface BatchCounts extends Readonly<Record<RowStatus, number>> {
  readonly total: number
  readonly ended: number
  /** US dollars so far; null if a model's price is unknown. */
  readonly cost: number | null
}

const none: Record<RowStatus, number> = {
  queued: 0,
  working: 0,
  needs_you: 0,
  paused: 0,
  ok: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
}

export function countRows(rows: readonly BatchRow[]): BatchCounts {
  const counts = { ...none }
  let cost: number | null = 0
  for (const { status, thread } of rows) {
    counts[status] += 1
    const own = thread ? thread.usage.cost : 0
    cost = cost === null || own === null ? null : cost + own
  }
  const { ok, failed, skipped, cancelled } = counts
  return { ...counts, total: rows.length, ended: ok + failed + skipped + cancelled, cost }
}

const shown: Readonly<Record<Exclude<BatchFilter, 'all'>, readonly RowStatus[]>> = {
  failed: ['failed', 'skipped', 'cancelled'],
  working: ['working', 'needs_you', 'paused'],
  queued: ['queued'],
  done: ['ok'],
}

export function filterRows(rows: readonly BatchRow[], filter: BatchFilter): readonly BatchRow[] {
  return filter === 'all' ? rows : rows.filter(({ status }) => shown[filter].includes(status))
}
