import { ModelError } from '#core/ports/model-client.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { errorInDocument } from './model-errors.ts'

/** Ends a request whose server has gone silent. */
export interface Watchdog extends Disposable {
  /** Aborts with the caller's signal, or when nothing has arrived for too long. */
  readonly signal: AbortSignal
  /**
   * A `fetch` that counts every piece of a body as a sign of life, because SDKs do not pass pings on. Throws `ModelError`
   * for an answer that is no stream of events.
   */
  readonly watch: typeof fetch
  /** Call for each event, because not every SDK iterates over the body. */
  heard(): void
  stalled(): ModelError | undefined
  /** True when the stream said `[DONE]` last. SDKs do not pass that on, and some servers end an answer with it alone. */
  isDone(): boolean
}

const defaultStallMs = 120_000
/** Bytes at the end of a stream that are looked at. */
const endBytes = 64

export function createWatchdog(stallMs: number = defaultStallMs, caller: AbortSignal): Watchdog {
  const controller = new AbortController()
  let stalled: ModelError | undefined
  let heardAt = performance.now()
  const heard = () => {
    heardAt = performance.now()
  }
  // One timer that looks back, because a timer for each piece would cost more than the piece.
  const look = () => {
    const left = stallMs - (performance.now() - heardAt)
    if (left > 0) {
      timer = setTimeout(look, Math.ceil(left))
      return
    }
    stalled = new ModelError('cut', `The provider sent nothing for ${Math.round(stallMs / 1000)} s.`)
    controller.abort(stalled)
  }
  let timer = setTimeout(look, stallMs)
  let end = Buffer.alloc(0)
  const read = (piece: Uint8Array) => {
    end = Buffer.from(
      piece.length < endBytes ? Buffer.concat([end, piece]).subarray(-endBytes) : piece.subarray(-endBytes),
    )
  }
  return {
    signal: AbortSignal.any([caller, controller.signal]),
    stalled: () => stalled,
    isDone: () => /data:\s*"?\[DONE\]"?\s*$/.test(end.toString('latin1')),
    heard,
    async watch(input, init) {
      const response = await guardedFetch(input, init)
      heard()
      await requireStream(response)
      if (response.body) listenTo(response.body, heard, read)
      return response
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

/**
 * Listens while somebody reads the stream: whoever asks for the next piece has got the one before. A stream of its own in
 * between would cost more than the reading.
 */
function listenTo(body: ReadableStream<Uint8Array>, heard: () => void, read: (piece: Uint8Array) => void): void {
  const listening =
    <Rest extends readonly unknown[], Piece extends { readonly value?: Uint8Array | undefined }>(
      next: (...rest: Rest) => Promise<Piece>,
    ) =>
    async (...rest: Rest): Promise<Piece> => {
      heard()
      const piece = await next(...rest)
      if (piece.value) read(piece.value)
      return piece
    }
  const iterate = body[Symbol.asyncIterator].bind(body)
  const open = body.getReader.bind(body) as () => ReadableStreamDefaultReader<Uint8Array>
  const iterator: typeof iterate = (options) => {
    const inner = iterate(options)
    return Object.assign(inner, { next: listening(inner.next.bind(inner)) })
  }
  const reader: typeof open = () => {
    const inner = open()
    return Object.assign(inner, { read: listening(inner.read.bind(inner)) })
  }
  Object.defineProperty(body, Symbol.asyncIterator, { value: iterator })
  Object.defineProperty(body, 'getReader', { value: reader })
}

/** A page or a whole document would look like a stream without events, which is tried again for nothing. */
async function requireStream(response: Response): Promise<void> {
  const { ok, headers, url } = response
  const type = headers.get('content-type') ?? ''
  if (!ok) return
  const { host } = new URL(url)
  if (/\btext\/html\b/i.test(type))
    throw new ModelError(
      'not_found',
      `${host} answered with a web page instead of a model's reply. Check the base URL; a proxy or a login may stand before the server.`,
    )
  if (/\bapplication\/json\b/i.test(type))
    throw (
      errorInDocument(await response.text()) ??
      new ModelError('bad_request', `${host} does not stream its replies, and Coppice needs a stream.`)
    )
}
