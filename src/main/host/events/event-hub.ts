import type { Entry } from '#shared/model/entry.ts'
import { type CoppiceEvent, isLive, type LiveEvent } from '#shared/model/event.ts'
import type { BranchId, MessageId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { createEventQueue } from './event-queue.ts'

/**
 * One project's events for any number of clients. A client names the last sequence it saw.
 *
 * First come the entries it missed, then the current live state (the started part of a reply, files that moved on
 * disk), then everything as it happens.
 */
export interface EventHub {
  publish(event: CoppiceEvent): void
  /** Yields events in groups, because one message per entry would make a long journal slow. */
  subscribe(after: Sequence, signal: AbortSignal): AsyncGenerator<readonly CoppiceEvent[], void>
  /** Calls `listener` synchronously with every event. */
  listen(listener: (event: CoppiceEvent) => void): Disposable
}

/** Journal entries per message, few enough that packing them does not block the process. */
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
      // Subscribe and read in one tick, so that no event is lost and none is sent twice.
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

/** Replies that broke off, for each thread. The window shows as many. */
const brokenKept = 3

/**
 * The replies in progress, so that a client that connects late sees them from their start, and those that broke off
 * since the thread's last complete reply.
 */
function createPartialReplies() {
  const deltas = new Map<MessageId, LiveEvent & { type: 'message.delta' }>()
  const broken = new Map<ThreadId, readonly (readonly [LiveEvent, LiveEvent])[]>()
  return {
    take(event: CoppiceEvent) {
      if (event.type === 'message.delta') {
        const known = deltas.get(event.messageId)
        deltas.set(event.messageId, known?.part === event.part ? { ...event, text: known.text + event.text } : event)
      } else if (event.type === 'message.dropped') breakOff(event)
      else if (!isLive(event) && event.type === 'message') {
        deltas.delete(event.message.messageId)
        broken.delete(event.threadId)
      } else if (event.type === 'run.started') broken.delete(event.threadId)
      else if (event.type === 'run.ended') forgetThread(event.threadId)
    },
    events: () => [...[...broken.values()].flat(2), ...deltas.values()],
  }
  function breakOff(event: LiveEvent & { type: 'message.dropped' }) {
    const delta = deltas.get(event.messageId)
    deltas.delete(event.messageId)
    if (delta?.part !== 'text') return
    const earlier = broken.get(event.threadId) ?? []
    broken.set(event.threadId, [...earlier, [delta, event] as const].slice(-brokenKept))
  }
  function forgetThread(threadId: string) {
    for (const [id, delta] of deltas) if (delta.threadId === threadId) deltas.delete(id)
  }
}
