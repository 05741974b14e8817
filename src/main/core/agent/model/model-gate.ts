import { createSemaphore } from '#shared/base/limiter.ts'

/** At most `limit` model calls run at once; the rest wait in order, and each is told how many are before it. */
export interface ModelGate {
  enter(onWaiting: (ahead: number) => void, signal: AbortSignal): Promise<Disposable>
}

export function createModelGate(limit: number): ModelGate {
  const semaphore = createSemaphore(limit)
  return { enter: (onWaiting, signal) => semaphore.enter(signal, onWaiting) }
}
