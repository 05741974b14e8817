/** Time as a port, so that tests need not wait for real. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /**
   * Milliseconds that only grow, for durations: the time of day may be set while something lasts. Without this method,
   * durations go by the time of day.
   */
  elapsed?(): number
  /** Resolves after `milliseconds`, or rejects with the signal's reason when it aborts first. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** Milliseconds for measuring how long something takes. Only differences of two values mean something. */
export function ticks(clock: Pick<Clock, 'now' | 'elapsed'>): number {
  return clock.elapsed?.() ?? clock.now()
}
