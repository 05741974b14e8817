import { setImmediate } from 'node:timers'
import type { Pace } from '#core/ports/pace.ts'

const sliceMs = 1.5

/** Until when synchronous work may go on. All loops share it. */
let sliceEnd = 0
/** Loops that wait for a slice, in the order they came. */
const waiting: (() => void)[] = []

/**
 * Await the result in loops of short synchronous work. Everything else in the process gets a turn about every other
 * millisecond, and only one loop runs between two turns. Throws the signal's reason when it was aborted.
 */
export function createPace(signal?: AbortSignal): Pace {
  return () => (performance.now() < sliceEnd ? undefined : nextSlice().then(() => signal?.throwIfAborted()))
}

function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(letOneGoOn)
  })
}

function letOneGoOn(): void {
  sliceEnd = performance.now() + sliceMs
  const next = waiting.shift()
  if (waiting.length > 0) setImmediate(letOneGoOn)
  next?.()
}
