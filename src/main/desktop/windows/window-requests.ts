import type { WindowRequest } from '#shared/contract/views/window.ts'

/** What is asked of one window. It waits until the page reads it, also while the page loads again. */
export interface RequestQueue {
  send(request: WindowRequest): void
  /** Every request from now on. A later reader takes over from an earlier one. Ends with the signal. */
  read(signal: AbortSignal): AsyncGenerator<WindowRequest, void>
}

export function createRequestQueue(): RequestQueue {
  const waiting: WindowRequest[] = []
  let wake = (): void => undefined
  let readers = 0
  return {
    send(request) {
      waiting.push(request)
      wake()
    },
    async *read(signal) {
      readers += 1
      const own = readers
      wake()
      signal.addEventListener('abort', () => wake())
      while (!signal.aborted && own === readers) {
        const next = waiting.shift()
        if (next) yield next
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}
