import { ModelError, type ModelRequest, type ModelStreamEvent } from '#core/ports/model-client.ts'
import { type ModelServer, withinLimits } from '#core/ports/model-server.ts'
import type { ModelFacts } from '#shared/model/models/model-facts.ts'
import { checkReply, type SentReply } from './check-reply.ts'
import { toModelError } from './model-errors.ts'
import { learnRefusal, type RefusableParts, readUnknownField, refusesSignature } from './refusals.ts'
import { hasThoughts, replyLimit, withoutThoughts } from './request-rules.ts'
import { readTooLong } from './too-long.ts'
import { createWatchdog, type Watchdog } from './watchdog.ts'
import { wellFormed } from './well-formed.ts'

/** Builds a reply from the events of one stream. */
export interface ReplyBuilder<Event> {
  /** What can be shown of the event at once; empty for nothing. */
  accept(event: Event): readonly ModelStreamEvent[]
  /** True after the last event, which some servers leave out once they said why the model ended. */
  isComplete(): boolean
  /** Call after the stream. Throws `ModelError` `malformed` when a call was cut off. */
  reply(): SentReply
}

/** How one protocol says what every client of a model does. */
export interface Protocol<Body extends { readonly model: string }, Event, Part extends string> {
  /** Throws `ModelError` for a request that the model cannot get. */
  toBody(request: ModelRequest, facts: ModelFacts, refused: ReadonlySet<string>): Body
  /** The parts of the request that a server may refuse. */
  readonly parts: RefusableParts<Part>
  partsSent(body: Body): ReadonlySet<Part>
  /** Sends the request through the maker's SDK. */
  open(body: Body, fetch: typeof globalThis.fetch, signal: AbortSignal): Promise<AsyncIterable<Event>>
  createBuilder(): ReplyBuilder<Event>
  /** Remembers a refusal that is about this one request. True when the request makes sense without what was refused. */
  learnOnce?(error: ModelError, body: Body, request: ModelRequest): boolean
}

/**
 * One reply. It is a single generator, because each one inside another costs processor time for every event. The stream
 * ends with `reply`, or throws `ModelError` or the abort reason.
 */
export async function* streamReply<Body extends { readonly model: string }, Event, Part extends string>(
  server: ModelServer,
  protocol: Protocol<Body, Event, Part>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent> {
  signal.throwIfAborted()
  using watchdog = createWatchdog(server.stallMs, signal)
  const stream = await openStream(server, protocol, request, { watchdog, signal })
  const builder = protocol.createBuilder()
  const isOver = () => builder.isComplete() || watchdog.isDone()
  let started = false
  try {
    for await (const event of stream) {
      started = true
      watchdog.heard()
      for (const shown of understand(() => builder.accept(event))) yield shown
    }
  } catch (error) {
    // After its end, an answer is whole, however the connection ends.
    if (signal.aborted || !isOver()) throw failure(error, server, { watchdog, signal, started })
  }
  signal.throwIfAborted()
  if (!isOver()) throw watchdog.stalled() ?? new ModelError('cut', 'The answer ended before it was complete.')
  const sent = understand(() => builder.reply())
  yield { type: 'reply', reply: checkReply(sent, request, server.factsOf(request.model)) }
}

/** A builder reads what no one has checked. Where it meets something of another shape, the server is to blame. */
function understand<Read>(read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    if (error instanceof ModelError) throw error
    throw new ModelError('malformed', `The provider sent something that is not in its protocol: ${String(error)}`)
  }
}

interface Waiting {
  readonly watchdog: Watchdog
  readonly signal: AbortSignal
}

/**
 * Sends the request, at once again without each part that the server says it does not know, once more with a new secret,
 * and once more without earlier thoughts when the server takes them for another model's.
 */
async function openStream<Body extends { readonly model: string }, Event, Part extends string>(
  server: ModelServer,
  protocol: Protocol<Body, Event, Part>,
  request: ModelRequest,
  { watchdog, signal }: Waiting,
): Promise<AsyncIterable<Event>> {
  let isRenewed = false
  let asked = wellFormed(request)
  while (true) {
    const facts = withinLimits(server.factsOf(request.model), server.dialect.limitsOf(request.model))
    const body = protocol.toBody(asked, facts, server.dialect.refusedBy(request.model))
    try {
      return await protocol.open(body, watchdog.watch, watchdog.signal)
    } catch (error) {
      const failed = failure(error, server, { watchdog, signal, started: false })
      if (!(failed instanceof ModelError)) throw failed
      if (failed.code === 'unauthorized' && !isRenewed) {
        isRenewed = true
        if (server.renewSecret?.()) continue
      }
      if (refusesSignature(failed) && hasThoughts(asked)) {
        asked = withoutThoughts(asked)
        continue
      }
      const shorter = shorten(server, asked, facts, failed)
      if (shorter) {
        asked = shorter
        continue
      }
      if (protocol.learnOnce?.(failed, body, request)) continue
      const refusal = { parts: protocol.parts, sent: protocol.partsSent(body), field: readUnknownField(error) }
      if (!learnRefusal(server.dialect, request.model, failed, refusal)) throw failed
    }
  }
}

/** A reply with fewer tokens is not worth its request. */
const leastReply = 1_000

/**
 * The request with room for a shorter reply, when the server says that the reply is too long, or input and reply together.
 * Null when that is not what it says, or when the input leaves no room. Limits that it names are kept.
 */
function shorten(
  { dialect }: ModelServer,
  asked: ModelRequest,
  facts: ModelFacts,
  { code, said }: ModelError,
): ModelRequest | null {
  const long = sizeCodes.has(code) ? readTooLong(said) : null
  if (!long) return null
  const { what, limit, input } = long
  const sent = replyLimit(asked.maxTokens, facts)
  if (what === 'output' && limit !== null && limit < sent) dialect.learnLimits(asked.model, { maxOutput: limit })
  if (what !== 'output' && limit !== null && limit >= leastReply && limit < facts.context)
    dialect.learnLimits(asked.model, { context: limit })
  if (what === 'input') return null
  if (what === 'output') {
    const maxTokens = Math.min(limit ?? sent, Math.floor(sent * (limit === null ? 1 / 4 : 1)))
    return maxTokens >= 1 && maxTokens < sent ? { ...asked, maxTokens } : null
  }
  const room = limit === null || input === null ? Math.floor(sent / 4) : limit - input - 1
  return room >= leastReply && room < sent ? { ...asked, maxTokens: room } : null
}

const sizeCodes: ReadonlySet<ModelError['code']> = new Set(['bad_request', 'too_large', 'context_window_exceeded'])

/** The error to throw: the abort reason, a `ModelError`, or a bug as it is. */
function failure(
  error: unknown,
  server: ModelServer,
  { watchdog, signal, started }: Waiting & { readonly started: boolean },
): unknown {
  if (signal.aborted) return signal.reason
  const known = watchdog.stalled() ?? toModelError(error, started, server.address())
  return known instanceof ModelError ? withoutSecret(known, server) : known
}

/** Some servers repeat the key in their refusal. Errors are stored and shown, so it is taken out of them. */
export function withoutSecret(
  error: ModelError,
  { hideSecret = (text) => text }: Pick<ModelServer, 'hideSecret'>,
): ModelError {
  const [message, said] = [hideSecret(error.message), hideSecret(error.said)]
  const isClean = message === error.message && said === error.said
  return isClean ? error : new ModelError(error.code, message, error.retryAfterMs, said)
}
