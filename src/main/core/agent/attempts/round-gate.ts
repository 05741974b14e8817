import type { ThreadId } from '#shared/model/ids.ts'

/** Holds attempts between two of their replies until the next round begins. */
export interface RoundGate {
  /** Waits before a request of an attempt that has spent its part of the round. Rejects with the abort reason. */
  pass(threadId: ThreadId, signal: AbortSignal): Promise<void>
  /** Resolves when the attempt is held. */
  held(threadId: ThreadId): Promise<void>
  /** Lets one go on until it has spent so much in all; null lets it go on to its end. Resolves when it goes on. */
  open(threadId: ThreadId, upTo: number | null): void
  /** Resolves when it is let go on, or its run has ended. */
  opened(threadId: ThreadId): Promise<void>
}

interface Gate {
  upTo: number | null
  held: PromiseWithResolvers<void>
  opened: PromiseWithResolvers<void>
}

/** `spentOf` says what an attempt and all below it have spent, in US dollars. */
export function createRoundGate(spentOf: (threadId: ThreadId) => number): RoundGate {
  const gates = new Map<ThreadId, Gate>()
  const gateOf = (threadId: ThreadId): Gate => {
    const known = gates.get(threadId)
    if (known) return known
    const made: Gate = { upTo: null, held: Promise.withResolvers(), opened: Promise.withResolvers() }
    gates.set(threadId, made)
    return made
  }
  return {
    async pass(threadId, signal) {
      const gate = gates.get(threadId)
      while (gate && gate.upTo !== null && spentOf(threadId) >= gate.upTo) {
        signal.throwIfAborted()
        const { opened } = gate
        gate.held.resolve()
        const abort = () => opened.reject(signal.reason)
        signal.addEventListener('abort', abort, { once: true })
        await opened.promise.finally(() => signal.removeEventListener('abort', abort))
      }
    },
    held: (threadId) => gateOf(threadId).held.promise,
    open(threadId, upTo) {
      const gate = gateOf(threadId)
      const { opened } = gate
      gate.upTo = upTo
      gate.held = Promise.withResolvers()
      gate.opened = Promise.withResolvers()
      opened.resolve()
    },
    opened: (threadId) => gateOf(threadId).opened.promise.catch(() => {}),
  }
}
