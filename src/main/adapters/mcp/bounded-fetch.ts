import { outgoingFetch } from '#adapters/system/outgoing/outgoing.ts'
import { mendBody } from './mend-lines.ts'

const lineEnd = 0x0a

/**
 * `fetch` whose answers end with an error at their limit: an answer of JSON at so many bytes in all, a stream of events
 * at so many bytes in one line, because it may go on for days. Messages in them are mended.
 */
export function createBoundedFetch(largest: number): typeof fetch {
  return async (url, init) => {
    const response = await outgoingFetch(url, init)
    if (!response.ok || !response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const { status, statusText, headers } = response
    const body = response.body.pipeThrough(createLimit(largest, isStream)).pipeThrough(mendBody(isStream))
    return new Response(body, { status, statusText, headers })
  }
}

function createLimit(largest: number, perLine: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      const end = perLine ? chunk.lastIndexOf(lineEnd) : -1
      size = end < 0 ? size + chunk.length : chunk.length - end - 1
      if (size > largest) controller.error(new Error(`The server sent a message of more than ${largest} bytes.`))
      else controller.enqueue(chunk)
    },
  })
}
