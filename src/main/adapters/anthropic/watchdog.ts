import { ModelError } from '#core/ports/model-client.ts'

/** Ends a request whose server has gone silent. */
export interface Watchdog extends Disposable {
  /** Aborts with the caller's signal, and when nothing arrived for too long. */
  readonly signal: AbortSignal
  /** A `fetch` whose every byte counts as a sign of life, pings included, which the SDK keeps to itself. */
  readonly watch: typeof fetch
  stalled(): ModelError | undefined
}

export function createWatchdog(stallMs: number, caller: AbortSignal): Watchdog {
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
