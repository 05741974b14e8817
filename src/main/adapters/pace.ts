import { setImmediate } from 'node:timers/promises'

const sliceMs = 8

/**
 * To be awaited in loops of short synchronous work: lets everything else in the process run every few milliseconds,
 * and throws the reason of the signal when it was aborted meanwhile.
 */
export function createPace(signal?: AbortSignal): () => Promise<void> | undefined {
  let sliceEnd = performance.now() + sliceMs
  return () => {
    if (performance.now() < sliceEnd) return undefined
    return setImmediate().then(() => {
      signal?.throwIfAborted()
      sliceEnd = performance.now() + sliceMs
    })
  }
}
