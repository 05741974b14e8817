import { ModelError } from '../../ports/model-client.ts'
import type { LoopContext } from '../types/loop-context.ts'

/** Milliseconds that a stream has after the machine woke. A connection that lived on says something by then. */
const graceMs = 15_000

/** What a request has to know of a machine that sleeps in the middle of an answer. */
export interface SleepNotice extends Disposable {
  /** Begins to watch a stream. The signal aborts with the caller's, and when the stream is silent after a sleep. */
  watch(): AbortSignal
  /** Something came on the stream. */
  heard(): void
  /** Whether the machine slept since the last call. */
  takeSlept(): boolean
}

/** Watches for the end of a sleep until it is disposed or `signal` aborts. */
export function noticeSleep({ untilAwake, clock }: LoopContext, signal: AbortSignal): SleepNotice {
  const over = new AbortController()
  const until = AbortSignal.any([signal, over.signal])
  let broken = new AbortController()
  let slept = false
  let heardSince = true

  async function follow(): Promise<void> {
    while (!until.aborted) {
      await untilAwake(until)
      slept = true
      heardSince = false
      const watched = broken
      await clock.sleep(graceMs, until)
      if (!heardSince) watched.abort(new ModelError('cut', 'Nothing came any more after this machine slept.'))
    }
  }

  follow().catch(() => undefined)
  return {
    watch() {
      broken = new AbortController()
      return AbortSignal.any([signal, broken.signal])
    },
    heard() {
      heardSince = true
    },
    takeSlept() {
      const before = slept
      slept = false
      return before
    },
    // With a reason, because the error that stands for none is dear to make, and nobody reads it.
    [Symbol.dispose]: () => over.abort('over'),
  }
}
