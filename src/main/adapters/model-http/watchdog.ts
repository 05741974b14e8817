import { ModelError } from '#core/ports/model-client.ts'

/** Ends a request whose server has gone silent. */
export interface Watchdog extends Disposable {
  /** Aborts with the caller's signal, or when nothing has arrived for too long. */
  readonly signal: AbortSignal
  /**
   * A `fetch` that counts every byte as a sign of life, because SDKs do not pass pings on. Throws `ModelError` for an
   * answer that is no stream of events.
   */
  readonly watch: typeof fetch
  stalled(): ModelError | undefined
}

const defaultStallMs = 120_000

export function createWatchdog(stallMs: number = defaultStallMs, caller: AbortSignal): Watchdog {
  const controller = new AbortController()
  let stalled: ModelError | undefined
  const bark = () => {
    stalled = new ModelError('cut', `The provider sent nothing for ${Math.round(stallMs / 1000)} s.`)
    controller.abort(stalled)
  }
  let timer = setTimeout(bark, stallMs)
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(bark, stallMs)
  }
  return {
    signal: AbortSignal.any([caller, controller.signal]),
    stalled: () => stalled,
    async watch(input, init) {
      const response = await fetch(input, init)
      alive()
      requireStream(response)
      if (!response.body) return response
      const body = response.body.pipeThrough(
        new TransformStream({
          transform(chunk, sink) {
            alive()
            sink.enqueue(chunk)
          },
        }),
      )
      return new Response(body, response)
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

/** A page or a whole document would look like a stream without events, which is tried again for nothing. */
function requireStream({ ok, headers, url }: Response): void {
  const type = headers.get('content-type') ?? ''
  if (!ok) return
  const { host } = new URL(url)
  if (/\btext\/html\b/i.test(type))
    throw new ModelError(
      'not_found',
      `${host} answered with a web page instead of a model's reply. Check the base URL; a proxy or a login may stand before the server.`,
    )
  if (/\bapplication\/json\b/i.test(type))
    throw new ModelError('bad_request', `${host} does not stream its replies, and Coppice needs a stream.`)
}
