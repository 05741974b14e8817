/**
 * The only way in which work waits for its turn. First come, first served: a free place goes to the longest waiter, so
 * nobody can pass.
 */
export interface Semaphore {
  /**
   * Resolves with a place; disposing it frees the place. If none is free, `onWaiting` gets the number of waiters ahead.
   * Rejects with the signal's reason when it is aborted first.
   */
  enter(signal: AbortSignal, onWaiting?: (ahead: number) => void): Promise<Disposable>
}

/** At most `limit` callers hold a place at once. */
export function createSemaphore(limit: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = limit
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  return {
    async enter(signal, onWaiting) {
      signal.throwIfAborted()
      if (free > 0) free -= 1
      else {
        onWaiting?.(waiting.length)
        await waitIn(waiting, signal)
      }
      return disposeOnce(leave)
    },
  }
}

function waitIn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      waiting.splice(waiting.indexOf(proceed), 1)
      reject(signal.reason)
    }
    const proceed = () => {
      signal.removeEventListener('abort', abort)
      resolve()
    }
    waiting.push(proceed)
    signal.addEventListener('abort', abort, { once: true })
  })
}

/** Frees the place once, so that disposing it twice does not admit two others. */
function disposeOnce(leave: () => void): Disposable {
  let left = false
  return {
    [Symbol.dispose]() {
      if (left) return
      left = true
      leave()
    },
  }
}

/** Admits one caller at a time for each key. */
export interface KeyedMutex {
  /** Rejects with the signal's reason when it is aborted first. */
  enter(key: string, signal: AbortSignal): Promise<Disposable>
}

export function createKeyedMutex(): KeyedMutex {
  const locks = new Map<string, { readonly semaphore: Semaphore; users: number }>()
  return {
    async enter(key, signal) {
      const lock = locks.get(key) ?? { semaphore: createSemaphore(1), users: 0 }
      locks.set(key, lock)
      lock.users += 1
      const forget = () => {
        lock.users -= 1
        if (lock.users === 0) locks.delete(key)
      }
      try {
        const place = await lock.semaphore.enter(signal)
        return disposeOnce(() => {
          place[Symbol.dispose]()
          forget()
        })
      } catch (error) {
        forget()
        throw error
      }
    },
  }
}

/**
 * Runs `act` over `items`, at most `limit` in flight. After the first failure no item is started; rejects with it once
 * the running ones have settled.
 */
export async function forEachLimited<Item>(
  items: Iterable<Item>,
  limit: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items].values()
  let failed = false
  const work = async (): Promise<void> => {
    for (const item of waiting) {
      if (failed) return
      try {
        await act(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: limit }, work))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
}
