import type { CoppiceEvent, LiveEvent } from '#shared/model/event.ts'
import type { MessageId } from '#shared/model/ids.ts'

type Delta = LiveEvent & { readonly type: 'message.delta' }

/** Milliseconds that a delta waits for more of its reply: half a frame, so that nobody notices. */
const pause = 8

/**
 * The events on their way to one client. Fast models send thousands of tokens a second, and a message for each would
 * keep the page from drawing.
 *
 * So the deltas of a reply within one pause go as one. All other events go at once, together with the waiting deltas.
 */
export interface EventQueue {
  push(event: CoppiceEvent): void
  drain(): AsyncGenerator<readonly CoppiceEvent[], void>
}

export function createEventQueue(signal: AbortSignal): EventQueue {
  let waiting: CoppiceEvent[] = []
  let isUrgent = false
  let sentAt = Number.NEGATIVE_INFINITY
  let wake = () => {}
  signal.addEventListener('abort', () => wake(), { once: true })

  /** Resolves when it is woken, or after `milliseconds`. */
  function rest(milliseconds?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  return {
    push(event) {
      waiting.push(event)
      isUrgent ||= !isDelta(event)
      if (isUrgent || waiting.length === 1) wake()
    },
    async *drain() {
      while (!signal.aborted) {
        const left = isUrgent ? 0 : sentAt + pause - performance.now()
        if (waiting.length === 0) await rest()
        else if (left > 0) await rest(left)
        else {
          const events = joinDeltas(waiting)
          waiting = []
          isUrgent = false
          sentAt = performance.now()
          yield events
        }
      }
    },
  }
}

function isDelta(event: CoppiceEvent): event is Delta {
  return event.type === 'message.delta'
}

/**
 * Joins deltas of the same part of a reply when only deltas of other replies lie between them. Those belong to other
 * threads, so each thread keeps its order.
 */
export function joinDeltas(events: readonly CoppiceEvent[]): readonly CoppiceEvent[] {
  const joined: CoppiceEvent[] = []
  const open = new Map<MessageId, number>()
  for (const event of events) {
    if (!isDelta(event)) {
      open.clear()
      joined.push(event)
      continue
    }
    const index = open.get(event.messageId) ?? joined.length
    const known = joined[index]
    const isMore = known !== undefined && isDelta(known) && known.part === event.part
    const place = isMore ? index : joined.length
    joined[place] = isMore ? { ...event, text: known.text + event.text } : event
    open.set(event.messageId, place)
  }
  return joined
}
