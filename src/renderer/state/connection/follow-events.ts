import type { CoppiceEvent } from '#shared/model/event.ts'
import type { Sequence } from '#shared/model/ids.ts'

interface FollowOptions {
  /** Opens the stream of all events after a sequence. */
  readonly subscribe: (after: Sequence, signal: AbortSignal) => Promise<AsyncIterable<readonly CoppiceEvent[]>>
  readonly lastSequence: () => Sequence
  /** Called with the events that arrived together. */
  readonly onEvents: (events: readonly CoppiceEvent[]) => void
  readonly onProblem: (error: unknown) => void
  readonly sleep: (milliseconds: number) => Promise<void>
}

const retryDelay = 500

/**
 * Follows a project's events until `signal` aborts. A broken stream is opened again after the last event that arrived.
 */
export async function followEvents(options: FollowOptions, signal: AbortSignal): Promise<void> {
  let seen = options.lastSequence()
  while (!signal.aborted) {
    try {
      for await (const events of await options.subscribe(seen, signal)) {
        if (signal.aborted) return
        for (const { sequence } of events) seen = Math.max(seen, sequence)
        options.onEvents(events)
      }
    } catch (error) {
      if (signal.aborted) return
      options.onProblem(error)
    }
    await options.sleep(retryDelay)
  }
}
