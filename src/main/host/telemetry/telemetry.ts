import { randomBytes } from 'node:crypto'
import { tellAddress } from '#adapters/programs/tell.ts'
import { isLive } from '#shared/model/event.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { SpanTarget } from '../settings/outward.ts'
import { otlpRequest } from './otlp.ts'
import { createSpans, type Span, type SpanOptions } from './spans.ts'

export interface TelemetryOptions extends Pick<SpanOptions, 'describeModel' | 'findThread'> {
  readonly events: Pick<EventHub, 'listen'>
  readonly version: string
  /** From the person's own settings. Null for nobody. */
  readonly findTarget: () => SpanTarget | null
  readonly report: (problem: string, error: unknown) => void
  readonly patienceAtEndMs?: number
  readonly gatherMs?: number
}

/** Spans that wait. More are dropped and counted, so that a collector that hangs takes no memory. */
const mostWaiting = 2_048
const mostAtOnce = 256
/** Milliseconds in which spans are gathered for one request. */
const gatherFor = 2_000
/** Milliseconds in which the last ones get through before a project is closed without them. */
const patienceAtEnd = 3_000

/**
 * Sends spans of what agents do to a collector of the person. No run waits for it: spans are made of entries that are stored
 * already, and what cannot be sent is dropped. A failure is reported once until a request gets through.
 */
export function createTelemetry(options: TelemetryOptions): AsyncDisposable {
  const { events, version, findTarget, report, patienceAtEndMs = patienceAtEnd, gatherMs = gatherFor } = options
  const stop = new AbortController()
  let waiting: Span[] = []
  let dropped = 0
  let hasFailed = false
  let timer: NodeJS.Timeout | null = null
  let sending: Promise<void> | null = null
  const spans = createSpans({
    ...{ describeModel: options.describeModel, findThread: options.findThread },
    randomId: (bytes) => randomBytes(bytes).toString('hex'),
    withContent: () => findTarget()?.content === true,
  })

  async function send(target: SpanTarget, batch: readonly Span[]): Promise<void> {
    try {
      const { url, headers } = target
      await tellAddress(url, otlpRequest(batch, version), { signal: stop.signal, headers })
      if (dropped > 0) report(`${dropped} spans were dropped, because the setting telemetry did not work`, '')
      hasFailed = false
      dropped = 0
    } catch (error) {
      dropped += batch.length
      if (!hasFailed && !stop.signal.aborted)
        report('Spans cannot be sent, because the setting telemetry does not work', error)
      hasFailed = true
    }
  }

  /** One request after the other. */
  async function sendAll(): Promise<void> {
    while (waiting.length > 0 && !stop.signal.aborted) {
      const batch = waiting.slice(0, mostAtOnce)
      waiting = waiting.slice(mostAtOnce)
      const target = findTarget()
      if (target !== null) await send(target, batch)
    }
  }

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    sending ??= sendAll().finally(() => {
      sending = null
    })
    return sending
  }

  const listening = events.listen((event) => {
    if (isLive(event)) return
    const ended = spans.take(event)
    if (ended.length === 0 || findTarget() === null) return
    const room = mostWaiting - waiting.length
    waiting.push(...ended.slice(0, room))
    dropped += Math.max(0, ended.length - room)
    timer ??= setTimeout(() => void flush(), gatherMs).unref()
  })
  return {
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      const bound = setTimeout(() => stop.abort(), patienceAtEndMs)
      await flush()
      if (!stop.signal.aborted) await flush()
      clearTimeout(bound)
      const lost = dropped + waiting.length
      if (lost > 0) report(`${lost} spans were dropped, because the setting telemetry did not work`, '')
    },
  }
}
