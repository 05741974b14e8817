import { expect, it } from 'vitest'
import type { BatchRow, RowStatus } from '#shared/model/derived/batch.ts'
import { noUsage } from '#shared/model/models/usage.ts'
import { countRows, countShown, filterRows, sortRows } from './batch-counts.ts'

const row = (status: RowStatus, cost?: number | null): BatchRow =>
  ({
    index: 0,
    id: '0',
    type: 'general-purpose',
    description: 'x',
    status,
    thread: cost === undefined ? null : { usage: { ...noUsage, cost } },
  }) as BatchRow

it('counts the ended tasks and the cost so far', () => {
  expect(countRows([row('ok', 0.5), row('failed', 0.25), row('working', 0.25), row('queued')])).toMatchObject({
    total: 4,
    ended: 2,
    ok: 1,
    failed: 1,
    working: 1,
    queued: 1,
    cost: 1,
  })
  expect(countRows([row('ok', null), row('ok', 1)]).cost).toBe(null)
})

it('shows the rows of each filter', () => {
  const rows = (['ok', 'failed', 'skipped', 'cancelled', 'needs_you', 'paused', 'working', 'queued'] as const).map(
    (status) => row(status),
  )
  expect(filterRows(rows, 'all')).toHaveLength(8)
  const parts = (['failed', 'working', 'queued', 'done'] as const).map((filter) => filterRows(rows, filter).length)
  expect(parts).toEqual([3, 3, 1, 1])
})

it('says how many rows each filter shows', () => {
  const counts = countRows([row('ok'), row('failed'), row('skipped'), row('needs_you')])
  expect((['all', 'failed', 'working', 'done'] as const).map((filter) => countShown(counts, filter))).toEqual([
    4, 2, 1, 1,
  ])
})

it('sorts by a column, with rows that have no value last', () => {
  const rows = [row('ok', 2), row('queued'), row('failed', 5), row('needs_you', 1)].map((one, index) => ({
    ...one,
    index,
  }))
  const order = (column: 'cost' | 'status' | 'number', down: boolean) =>
    sortRows(rows, { column, down }).map(({ index }) => index)
  expect([order('cost', true), order('cost', false), order('number', true), order('status', false)]).toEqual([
    [2, 0, 3, 1],
    [3, 0, 2, 1],
    [3, 2, 1, 0],
    [3, 2, 1, 0],
  ])
})
