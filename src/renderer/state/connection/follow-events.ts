import type { CoppiceEvent } from '#shared/model/event.ts'
import type { Sequence } from '#shared/model/ids.ts'

interface FollowOptions {
  /** Opens the stream of everything after a sequence. */
  readonly subscribe: (after: Sequence, signal: AbortSignal) => Promise<AsyncIterable<readonly CoppiceEvent[]>>
  readonly lastSequence: () => Sequence
  /** Together as they arrived. */
  readonly onEvents: (events: readonly CoppiceEvent[]) => void
  readonly onProblem: (error: unknown) => void
  readonly sleep: (milliseconds: number) => Promise<void>
}

const retryDelay = 500

/** Follows a project until it is aborted; a stream that breaks is opened again from the last entry that arrived. */
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
