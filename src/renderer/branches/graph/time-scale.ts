/** A stretch of time in milliseconds since the Unix epoch, both ends included. */
export interface Interval {
  readonly start: number
  readonly end: number
}

/** Maps time to a coordinate without long pauses, and back. The coordinate starts at 0 and counts milliseconds. */
export interface TimeScale {
  readonly length: number
  /** The coordinates at which a pause was cut short. */
  readonly cuts: readonly number[]
  at(time: number): number
  timeAt(coordinate: number): number
}

/** The longest pause that is shown as long as it was, as a share of all the time in which something happened. */
const pauseShare = 0.06
const shortestPause = 1000

/**
 * Makes a scale from the stretches and the moments in which something happened, in any order. Longer pauses between them are cut
 * short, because a person who comes back after lunch looks for work, not for lunch.
 */
export function createTimeScale(stretches: readonly Interval[], moments = new Float64Array()): TimeScale {
  const busy = joinTouching(stretches, moments)
  const worked = busy.reduce((sum, { start, end }) => sum + end - start, 0)
  const longest = Math.max(worked * pauseShare, shortestPause)
  const starts: number[] = []
  const cuts: number[] = []
  let place = 0
  for (const [index, { start, end }] of busy.entries()) {
    const before = busy[index - 1]
    if (before) {
      const pause = start - before.end
      if (pause > longest) cuts.push(place + longest / 2)
      place += Math.min(pause, longest)
    }
    starts.push(place)
    place += end - start
  }
  return {
    length: Math.max(place, 1),
    cuts,
    at(time) {
      const index = lastAtOrBefore(busy, ({ start }) => start, time)
      const here = busy[index]
      if (!here) return 0
      const past = Math.min(time - here.start, here.end - here.start)
      const pause = Math.max(time - here.end, 0)
      const next = starts[index + 1]
      const place = (starts[index] ?? 0) + past
      return next === undefined ? place : Math.min(place + pause, next)
    },
    timeAt(coordinate) {
      const index = Math.max(
        lastAtOrBefore(starts, (start) => start, coordinate),
        0,
      )
      return (busy[index]?.start ?? 0) + coordinate - (starts[index] ?? 0)
    },
  }
}

/** All of them in order. Those that touch become one. Thousands of moments are sorted as plain numbers. */
function joinTouching(stretches: readonly Interval[], moments: Float64Array): readonly Interval[] {
  const sorted = stretches.toSorted((a, b) => a.start - b.start)
  const all: { start: number; end: number }[] = []
  const add = (start: number, end: number): void => {
    const last = all.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else all.push({ start, end: Math.max(start, end) })
  }
  let next = 0
  for (const moment of moments.toSorted()) {
    for (let at = sorted[next]; at && at.start <= moment; at = sorted[++next]) add(at.start, at.end)
    add(moment, moment)
  }
  for (const { start, end } of sorted.slice(next)) add(start, end)
  return all
}

/** The index of the last item whose value is at most `limit`; -1 if there is none. */
function lastAtOrBefore<Item>(items: readonly Item[], valueFor: (item: Item) => number, limit: number): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (valueFor(items[middle] as Item) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
