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
export function noticeSleep({ waits, clock }: Pick<LoopContext, 'waits' | 'clock'>, signal: AbortSignal): SleepNotice {
  const over = new AbortController()
  let watched = new AbortController()
  let slept = false
  let heardSince = true
  // One listener for both, because signals that follow others are dear to make, and every request needs these.
  const cut = (): void => {
    over.abort(signal.reason)
    watched.abort(signal.reason)
  }
  signal.addEventListener('abort', cut, { once: true })

  async function follow(): Promise<void> {
    while (!over.signal.aborted) {
      await waits.awake(over.signal)
      slept = true
      heardSince = false
      const silent = watched
      await clock.sleep(graceMs, over.signal)
      if (!heardSince) silent.abort(new ModelError('cut', 'Nothing came any more after this machine slept.'))
    }
  }

  if (signal.aborted) cut()
  follow().catch(() => undefined)
  return {
    watch() {
      watched = new AbortController()
      if (signal.aborted) watched.abort(signal.reason)
      return watched.signal
    },
    heard() {
      heardSince = true
    },
    takeSlept() {
      const before = slept
      slept = false
      return before
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', cut)
      // With a reason, because the error that stands for none is dear to make, and nobody reads it.
      over.abort('over')
    },
  }
}
