import { type BatchRow, durationOf, type RowStatus } from '#shared/model/derived/batch.ts'
import { tokensOf } from '#shared/model/models/usage.ts'
import type { BatchFilter } from '../strings/agents/batches.ts'

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

/** The number of rows that a filter shows. */
export function countShown(counts: BatchCounts, filter: BatchFilter): number {
  return filter === 'all' ? counts.total : shown[filter].reduce((sum, status) => sum + counts[status], 0)
}

export type BatchColumn = 'number' | 'status' | 'cost' | 'tokens' | 'time'

export interface BatchOrder {
  readonly column: BatchColumn
  readonly down: boolean
}

/** What needs the person comes first, and what is done comes last. */
const statusOrder: readonly RowStatus[] = [
  'needs_you',
  'failed',
  'working',
  'paused',
  'queued',
  'skipped',
  'cancelled',
  'ok',
]

/** Rows without a value come last in both directions; equal rows keep the order of the batch. */
export function sortRows(rows: readonly BatchRow[], { column, down }: BatchOrder): readonly BatchRow[] {
  const valued = rows.map((row) => ({ row, value: figureOf(row, column) }))
  return valued
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
      return (down ? b.value - a.value : a.value - b.value) || a.row.index - b.row.index
    })
    .map(({ row }) => row)
}

function figureOf(row: BatchRow, column: BatchColumn): number | null {
  switch (column) {
    case 'number':
      return row.index
    case 'status':
      return statusOrder.indexOf(row.status)
    case 'cost':
      return row.thread?.usage.cost ?? null
    case 'tokens':
      return row.thread ? tokensOf(row.thread.usage) : null
    case 'time':
      return durationOf(row)
  }
}
