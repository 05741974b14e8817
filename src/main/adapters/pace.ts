import { setImmediate } from 'node:timers'
import type { Pace } from '#core/ports/pace.ts'

const sliceMs = 1.5

/** Until when the process may go on without looking at anything else; all that work at once share it. */
let sliceEnd = 0
/** Who waits for a slice of its own, in the order they came. */
const waiting: (() => void)[] = []

/**
 * To be awaited in loops of short synchronous work: lets everything else in the process run every other millisecond, and throws the
 * reason of the signal when it was aborted meanwhile. However many loops there are, one of them goes on between two looks at the rest.
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
