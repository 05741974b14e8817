import type { ThreadId } from '#shared/model/ids.ts'

/** Lets an agent sleep until something is decided for its thread. */
export interface Signals {
  /** Resolves at the next `wake` for the thread. Rejects with the abort reason. */
  next(threadId: ThreadId, signal: AbortSignal): Promise<void>
  /** Wakes everyone who sleeps now. A later `next` waits for the next `wake`. */
  wake(threadId: ThreadId): void
}

export function createSignals(): Signals {
  const sleeping = new Map<ThreadId, Set<() => void>>()
  return {
    next(threadId, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const sleepers = sleeping.get(threadId) ?? new Set()
        sleeping.set(threadId, sleepers)
        const abort = () => {
          sleepers.delete(wake)
          // A later sleeper may have a set of its own already.
          if (sleepers.size === 0 && sleeping.get(threadId) === sleepers) sleeping.delete(threadId)
          reject(signal.reason)
        }
        const wake = () => {
          signal.removeEventListener('abort', abort)
          resolve()
        }
        sleepers.add(wake)
        signal.addEventListener('abort', abort, { once: true })
      })
    },
    wake(threadId) {
      const sleepers = sleeping.get(threadId)
      sleeping.delete(threadId)
      for (const wake of sleepers ?? []) wake()
    },
  }
}
