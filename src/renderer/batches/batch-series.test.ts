import { expect, it } from 'vitest'
import type { BatchRow, RowStatus } from '#shared/model/derived/batch.ts'
import { noUsage } from '#shared/model/models/usage.ts'
import { chartPlaces, durationRanges, endsOverTime, failureCauses, medianDuration } from './batch-series.ts'

/** A task that began at 0. It ended at `at`, or still works if that is null. */
const row = (at: number | null, status: RowStatus = 'ok', cost: number | null = 1, message = ''): BatchRow =>
  ({
    index: 0,
    status,
    refusal: null,
    thread: { createdAt: 0, usage: { ...noUsage, cost }, end: at === null ? null : { at, message }, messages: [] },
  }) as unknown as BatchRow

it('counts durations in ranges of a round width', () => {
  const rows = [row(100), row(1_150), row(5_900), row(null, 'working')]
  expect(durationRanges(rows).filter(({ count }) => count > 0)).toEqual([
    { from: 0, to: 500, count: 1 },
    { from: 1_000, to: 1_500, count: 1 },
    { from: 5_500, to: 6_000, count: 1 },
  ])
  expect(medianDuration(rows)).toBe(1_150)
  expect([durationRanges([row(null)]), medianDuration([])]).toEqual([[], null])
})

it('counts what ended in each interval, and adds up the cost', () => {
  const ends = endsOverTime([row(1_000), row(4_800, 'failed', 2), row(1_000, 'ok', 3), row(null, 'working', 4)], 0)
  expect(ends).toHaveLength(chartPlaces)
  expect(ends.filter(({ ok, notOk }) => ok + notOk > 0)).toMatchObject([
    { at: 1_000, ok: 2, notOk: 0, cost: 4 },
    { at: 4_800, ok: 0, notOk: 1, cost: 10 },
  ])
  expect(endsOverTime([row(10, 'ok', null)], 0).at(-1)?.cost).toBe(null)
  expect(endsOverTime([row(null, 'working')], 0)).toEqual([])
})

it('joins failures that differ only by their numbers, the most frequent first', () => {
  const failed = (message: string) => row(1, 'failed', 0, message)
  expect(
    failureCauses([failed('No file'), failed('HTTP 500 at 12:01\nmore'), failed('HTTP 503 at 9:59'), row(1)]),
  ).toEqual([
    { cause: 'HTTP # at #:#', count: 2 },
    { cause: 'No file', count: 1 },
  ])
})
