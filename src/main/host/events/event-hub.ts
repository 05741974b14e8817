import type { Entry } from '#shared/model/entry.ts'
import { type CoppiceEvent, isLive, type LiveEvent } from '#shared/model/event.ts'
import type { BranchId, MessageId, Sequence } from '#shared/model/ids.ts'
import { createEventQueue } from './event-queue.ts'

/**
 * One project's events for any number of clients. A client names the last sequence it saw; what it missed comes first,
 * then what is live right now (the part of a reply that is being streamed, the files that moved on disk), then
 * everything as it happens.
 */
export interface EventHub {
  publish(event: CoppiceEvent): void
  /** Events come together as they are there: a message of its own for each would take most of the time of a long journal. */
  subscribe(after: Sequence, signal: AbortSignal): AsyncGenerator<readonly CoppiceEvent[], void>
  /** Called synchronously with every event. */
  listen(listener: (event: CoppiceEvent) => void): Disposable
}

/** Entries of a journal in one message: small enough that packing them does not hold up the process. */
const sentAtOnce = 250

export function createEventHub(readEntries: (after: Sequence) => readonly Entry[]): EventHub {
  const listeners = new Set<(event: CoppiceEvent) => void>()
  const partial = createPartialReplies()
  const drifts = new Map<BranchId, LiveEvent>()
  return {
    publish(event) {
      partial.take(event)
      if (event.type === 'drift.changed') drifts.set(event.branchId, event)
      for (const listener of [...listeners]) listener(event)
    },
    listen(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    async *subscribe(after, signal) {
      const queue = createEventQueue(signal)
      // All in one tick, so that nothing falls between what was, what is live and what comes, and nothing is in two of them.
      listeners.add(queue.push)
      try {
        const entries = readEntries(after)
        const live = [...partial.events(), ...drifts.values()]
        for (let from = 0; from < entries.length; from += sentAtOnce) yield entries.slice(from, from + sentAtOnce)
        if (live.length > 0) yield live
        yield* queue.drain()
      } finally {
        listeners.delete(queue.push)
      }
    },
  }
}

/** The replies being streamed now, so that a client that comes in the middle sees them from their start. */
function createPartialReplies() {
  const deltas = new Map<MessageId, LiveEvent & { type: 'message.delta' }>()
  return {
    take(event: CoppiceEvent) {
      if (event.type === 'message.delta') {
        const known = deltas.get(event.messageId)
        deltas.set(event.messageId, known?.part === event.part ? { ...event, text: known.text + event.text } : event)
      } else if (event.type === 'message.dropped') deltas.delete(event.messageId)
      else if (!isLive(event) && event.type === 'message') deltas.delete(event.message.messageId)
      else if (event.type === 'run.ended') forgetThread(event.threadId)
    },
    events: () => [...deltas.values()],
  }
  function forgetThread(threadId: string) {
    for (const [id, delta] of deltas) if (delta.threadId === threadId) deltas.delete(id)
  }
}
