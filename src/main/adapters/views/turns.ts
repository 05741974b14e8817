/** Lets one in at a time for each key, in the order they came; who gives up waiting is passed by. */
export interface Turns {
  take(key: string, signal: AbortSignal): Promise<Disposable>
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  return {
    async take(key, signal) {
      const before = last.get(key) ?? Promise.resolve()
      const mine = Promise.withResolvers<void>()
      const chain = before.then(() => mine.promise)
      last.set(key, chain)
      const leave = () => {
        mine.resolve()
        if (last.get(key) === chain) last.delete(key)
      }
      try {
        await orAborted(before, signal)
      } catch (error) {
        leave()
        throw error
      }
      return { [Symbol.dispose]: leave }
    },
  }
}

async function orAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const stop = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([wait, aborted.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
