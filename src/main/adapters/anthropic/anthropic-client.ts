import Anthropic from '@anthropic-ai/sdk'
import type { Stream } from '@anthropic-ai/sdk/streaming'
import {
  type ModelClient,
  ModelError,
  type ModelInfo,
  type ModelRequest,
  type ModelStreamEvent,
} from '#core/ports/model-client.ts'
import { createDialects, type Dialects, type Extra, namesFormat } from './dialect.ts'
import { toModelError } from './model-errors.ts'
import { findModel, knownModels } from './models.ts'
import { createReplyBuilder } from './reply-builder.ts'
import { toRequest } from './to-request.ts'

export interface AnthropicOptions {
  /** Read before every request, so that a new key counts at once. Null when there is none. */
  readonly key: () => string | null
  /** Null means the provider's own address. */
  readonly baseUrl: () => string | null
  /** Milliseconds that a stream may stay silent before it is given up. Pings count as a sign of life. */
  readonly stallMs?: number
}

const ownAddress = 'https://api.anthropic.com'
const defaultStallMs = 120_000
/** In tokens. Used when the models list of a compatible server does not say. */
const assumedContextWindow = 200_000

export function createAnthropicClient(options: AnthropicOptions): ModelClient {
  const [dialects, refusedSchemas] = [createDialects(), new Set<string>()]
  return {
    stream: (request, signal) => stream(options, { dialects, refusedSchemas }, request, signal),
    models: (signal) => listModels(options, signal),
  }
}

/** What the answers of servers taught. */
interface Learned {
  readonly dialects: Dialects
  /** As JSON. */
  readonly refusedSchemas: Set<string>
}

/** Repeats the request at once without the parts that the server says it does not know. */
async function* stream(
  options: AnthropicOptions,
  { dialects, refusedSchemas }: Learned,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent> {
  const schema = JSON.stringify(request.outputSchema)
  while (true) {
    const own = options.baseUrl()
    const refused: ReadonlySet<Extra> = own === null ? new Set() : dialects.refusedBy(own)
    const body = toRequest(request, refusedSchemas.has(schema) ? new Set([...refused, 'format' as const]) : refused)
    try {
      return yield* streamOnce(options, request.model, body, signal)
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      // The provider itself knows every part, but it does not take every schema.
      const isSchema = own === null && body.output_config?.format && namesFormat(error)
      if (isSchema) refusedSchemas.add(schema)
      else if (own === null || !dialects.learn(own, error)) throw error
    }
  }
}

async function* streamOnce(
  options: AnthropicOptions,
  model: string,
  body: ReturnType<typeof toRequest>,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent> {
  signal.throwIfAborted()
  using watchdog = createWatchdog(options.stallMs ?? defaultStallMs, signal)
  const client = createClient(options, watchdog.watch)
  const builder = createReplyBuilder(model)
  let started = false
  try {
    for await (const event of await open(client, body, watchdog.signal)) {
      started = true
      const shown = builder.accept(event)
      if (shown) yield shown
      if (event.type !== 'message_stop') continue
      yield { type: 'reply', reply: builder.reply() }
      return
    }
  } catch (error) {
    signal.throwIfAborted()
    throw watchdog.stalled() ?? toModelError(error, started, options.baseUrl() ?? ownAddress)
  }
  signal.throwIfAborted()
  throw watchdog.stalled() ?? new ModelError('cut', 'The answer ended before it was complete.')
}

/** Not `messages.create`, which writes to the console about old models and so over whatever a terminal shows. */
function open(client: Anthropic, body: ReturnType<typeof toRequest>, signal: AbortSignal) {
  return client.post<Stream<Anthropic.RawMessageStreamEvent>>('/v1/messages', {
    body,
    signal,
    stream: true,
  })
}

async function listModels(options: AnthropicOptions, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  try {
    const models: ModelInfo[] = []
    for await (const model of createClient(options).models.list({ limit: 1000 }, { signal })) {
      models.push({
        id: model.id,
        name: model.display_name ?? model.id,
        contextWindow: model.max_input_tokens ?? findModel(model.id)?.contextWindow ?? assumedContextWindow,
      })
    }
    return models
  } catch (error) {
    signal.throwIfAborted()
    const known = toModelError(error, false, options.baseUrl() ?? ownAddress)
    if (known instanceof ModelError && known.code === 'not_found') return knownModels
    throw known
  }
}

/** Passes every option by name, so that neither the environment nor a profile on disk can change one. */
function createClient({ key, baseUrl }: AnthropicOptions, watched: typeof fetch = fetch): Anthropic {
  // A custom server often needs no key, but the SDK sends nothing without one.
  const apiKey = key() ?? (baseUrl() === null ? null : 'none')
  if (!apiKey) {
    throw new ModelError('no_key', 'There is no API key. Set ANTHROPIC_API_KEY, or enter a key in the settings.')
  }
  return new Anthropic({
    apiKey,
    authToken: null,
    baseURL: baseUrl() ?? ownAddress,
    maxRetries: 0,
    logLevel: 'off',
    fetch: watched,
  })
}

/** Ends a request whose server has gone silent. */
export interface Watchdog extends Disposable {
  /** Aborts with the caller's signal, or when nothing has arrived for too long. */
  readonly signal: AbortSignal
  /** A `fetch` that counts every byte as a sign of life. The SDK does not pass pings on. */
  readonly watch: typeof fetch
  stalled(): ModelError | undefined
}

function createWatchdog(stallMs: number, caller: AbortSignal): Watchdog {
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
