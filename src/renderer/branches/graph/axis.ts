/** A moment that is named above the timeline. */
export interface Tick {
  readonly time: number
  /** Pixels from the left edge of the lanes that are in sight. */
  readonly place: number
}

interface AxisOptions {
  /** Pixels. */
  readonly width: number
  readonly timeAt: (place: number) => number
  readonly placeOf: (time: number) => number
}

/** Pixels between two names. */
const apart = 88
const [second, minute, hour] = [1000, 60_000, 3_600_000]
const steps = [1, 2, 5, 10, 15, 30]
  .map((count) => count * second)
  .concat([1, 2, 5, 10, 15, 30].map((count) => count * minute))
  .concat([1, 2, 3, 6, 12, 24].map((count) => count * hour))

/**
 * Round moments to name above the lanes, far enough apart to be read. Walks over pixels, not over time, because a pause
 * of days can be a few pixels wide.
 */
export function axisTicks({ width, timeAt, placeOf }: AxisOptions): readonly Tick[] {
  const step = stepFor(width, timeAt)
  const ticks: Tick[] = []
  for (let place = 0; place < width; place += apart / 4) {
    const time = Math.ceil(timeAt(place) / step) * step
    const at = placeOf(time)
    const last = ticks.at(-1)
    if (at < 0 || at > width || (last && (time <= last.time || at - last.place < apart))) continue
    ticks.push({ time, place: at })
  }
  return ticks
}

/** The smallest round step that leaves room for a name in most places. */
function stepFor(width: number, timeAt: (place: number) => number): number {
  const spans = Array.from({ length: Math.max(Math.floor(width / apart), 1) }, (_, index) =>
    Math.abs(timeAt((index + 1) * apart) - timeAt(index * apart)),
  ).toSorted((a, b) => a - b)
  const usual = spans[Math.floor(spans.length / 2)] ?? 0
  return steps.find((step) => step >= usual) ?? 24 * hour
}

/** True if the names need seconds to differ. */
export function needsSeconds(ticks: readonly Tick[]): boolean {
  return ticks.some(({ time }) => time % minute !== 0)
}
