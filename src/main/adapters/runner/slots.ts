/** Lets at most `count` hold a slot at once; the others wait in order and can give up. */
export interface Slots {
  take(signal: AbortSignal): Promise<Disposable>
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = []
  let free = count
  const release = () => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  return {
    take(signal) {
      signal.throwIfAborted()
      return new Promise((resolve, reject) => {
        const grant = () => {
          signal.removeEventListener('abort', giveUp)
          resolve({ [Symbol.dispose]: release })
        }
        const giveUp = () => {
          waiting.splice(waiting.indexOf(grant), 1)
          reject(signal.reason)
        }
        if (free > 0) {
          free -= 1
          return grant()
        }
        waiting.push(grant)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
  }
}
