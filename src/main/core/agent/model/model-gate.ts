/** At most `limit` model calls run at once; the rest wait in order, and each is told how many are before it. */
export interface ModelGate {
  enter(onWaiting: (ahead: number) => void, signal: AbortSignal): Promise<Disposable>
}

export function createModelGate(limit: number): ModelGate {
  let running = 0
  const waiting: (() => void)[] = []
  const leave = () => {
    running -= 1
    waiting.shift()?.()
  }
  return {
    async enter(onWaiting, signal) {
      while (running >= limit) {
        signal.throwIfAborted()
        onWaiting(waiting.length)
        await nextTurn(waiting, signal)
      }
      running += 1
      return { [Symbol.dispose]: leave }
    },
  }
}

function nextTurn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
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
