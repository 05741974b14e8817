import { createSemaphore } from '#shared/base/limiter.ts'

/**
 * Lets at most `limit` model calls run at the same time. The others wait in order and learn how many are ahead of them.
 */
export interface ModelGate {
  /**
   * Dispose the result to let the next one in. `onWaiting` gets the number of calls ahead of this one. Throws the abort
   * reason.
   */
  enter(onWaiting: (ahead: number) => void, signal: AbortSignal): Promise<Disposable>
}

export function createModelGate(limit: number): ModelGate {
  const semaphore = createSemaphore(limit)
  return { enter: (onWaiting, signal) => semaphore.enter(signal, onWaiting) }
}
