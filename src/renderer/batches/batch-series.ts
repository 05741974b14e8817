import { answerOfRow, type BatchRow, durationOf } from '#shared/model/derived/batch.ts'

/** Number of places of a chart over time. */
export const chartPlaces = 48

export interface DurationRange {
  /** Milliseconds; `to` is not included. */
  readonly from: number
  readonly to: number
  readonly count: number
}

const ranges = 12

/** How many tasks took how long, in ranges of equal width that begin at zero. Empty while nothing has ended. */
export function durationRanges(rows: readonly BatchRow[]): readonly DurationRange[] {
  const durations = rows.map(durationOf).filter((duration) => duration !== null)
  if (durations.length === 0) return []
  const width = roundUp((Math.max(...durations) + 1) / ranges)
  const counts = Array.from({ length: Math.floor(Math.max(...durations) / width) + 1 }, () => 0)
  for (const duration of durations)
    counts[Math.floor(duration / width)] = (counts[Math.floor(duration / width)] ?? 0) + 1
  return counts.map((count, place) => ({ from: place * width, to: (place + 1) * width, count }))
}

/** The next of 1, 2, 5, 10, 20, 50 … */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  const step = [1, 2, 5].find((one) => value <= one * power) ?? 10
  return step * power
}

/** The duration that half of the ended tasks kept within; null while nothing has ended. */
export function medianDuration(rows: readonly BatchRow[]): number | null {
  const durations = rows.map(durationOf).filter((duration) => duration !== null)
  return durations.sort((a, b) => a - b)[Math.floor((durations.length - 1) / 2)] ?? null
}

export interface EndsAt {
  /** The end of the interval, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly ok: number
  readonly notOk: number
  /** US dollars of the tasks that had ended by then; null where a price is unknown. */
  readonly cost: number | null
}

/**
 * The tasks that ended in each interval, and what they had cost by then. The last interval includes the cost of tasks
 * that still run. Empty while nothing has ended.
 */
export function endsOverTime(rows: readonly BatchRow[], startedAt: number): readonly EndsAt[] {
  const ended = rows.flatMap(({ thread, status }) => (thread?.end ? [{ at: thread.end.at, status, thread }] : []))
  if (ended.length === 0) return []
  const last = Math.max(...ended.map(({ at }) => at), startedAt + 1)
  const step = (last - startedAt) / chartPlaces
  const placeOf = (at: number): number => Math.min(Math.max(Math.ceil((at - startedAt) / step) - 1, 0), chartPlaces - 1)
  const places = Array.from({ length: chartPlaces }, () => ({ ok: 0, notOk: 0, cost: 0 as number | null }))
  const add = (place: number, cost: number | null): void => {
    const there = places[place]
    if (there) there.cost = there.cost === null || cost === null ? null : there.cost + cost
  }
  for (const { at, status, thread } of ended) {
    const there = places[placeOf(at)]
    if (there && status === 'ok') there.ok += 1
    else if (there) there.notOk += 1
    add(placeOf(at), thread.usage.cost)
  }
  for (const { thread } of rows) if (thread && !thread.end) add(chartPlaces - 1, thread.usage.cost)
  let cost: number | null = 0
  return places.map((place, index) => {
    cost = cost === null || place.cost === null ? null : cost + place.cost
    return { at: startedAt + (index + 1) * step, ok: place.ok, notOk: place.notOk, cost }
  })
}

export interface Cause {
  /** The beginning of the message, with a sign in place of numbers. */
  readonly cause: string
  readonly count: number
}

const causeLength = 120

/** The failed tasks by the beginning of their message, the most frequent first. Messages that differ by numbers are one. */
export function failureCauses(rows: readonly BatchRow[]): readonly Cause[] {
  const counts = new Map<string, number>()
  for (const row of rows) {
    if (row.status !== 'failed' && row.status !== 'skipped') continue
    const cause = causeOf(answerOfRow(row))
    counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  return [...counts].map(([cause, count]) => ({ cause, count })).sort((a, b) => b.count - a.count)
}

function causeOf(message: string): string {
  const [first = ''] = message.trim().split('\n')
  return first.replaceAll(/\d+/g, '#').slice(0, causeLength)
}
