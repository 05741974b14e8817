import Anthropic from '@anthropic-ai/sdk'
import {
  type ModelClient,
  ModelError,
  type ModelInfo,
  type ModelRequest,
  type ModelStreamEvent,
} from '#core/ports/model-client.ts'
import { createDialects, type Dialects } from './dialect.ts'
import { toModelError } from './model-errors.ts'
import { findModel, knownModels } from './models.ts'
import { createReplyBuilder } from './reply-builder.ts'
import { toRequest } from './to-request.ts'

export interface AnthropicOptions {
  /** Asked before every request, so that a new key counts at once. */
  readonly key: () => string | null
  /** Null is the provider's own address. */
  readonly baseUrl: () => string | null
  /** How long a stream may stay silent, pings counted as life, before it is given up. */
  readonly stallMs?: number
}

const ownAddress = 'https://api.anthropic.com'
const defaultStallMs = 120_000
/** Where the models list of a compatible server does not tell. */
const assumedContextWindow = 200_000

export function createAnthropicClient(options: AnthropicOptions): ModelClient {
  const dialects = createDialects()
  return {
    stream: (request, signal) => stream(options, dialects, request, signal),
    models: (signal) => listModels(options, signal),
  }
}

/** Asks again at once, without what a server of one's own says it does not know. */
async function* stream(
  options: AnthropicOptions,
  dialects: Dialects,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent> {
  while (true) {
    const own = options.baseUrl()
    const body = toRequest(request, own === null ? new Set() : dialects.refusedBy(own))
    try {
      return yield* streamOnce(options, request.model, body, signal)
    } catch (error) {
      if (own === null || !(error instanceof ModelError) || !dialects.learn(own, error)) throw error
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
    for await (const event of await client.messages.create(body, { signal: watchdog.signal })) {
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

/** Everything is passed by name, so that nothing of the environment or of a profile on disk has a say. */
function createClient({ key, baseUrl }: AnthropicOptions, watched: typeof fetch = fetch): Anthropic {
  // A server of one's own often takes no key, and the SDK sends none without one.
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
  /** Aborts with the caller's signal, and when nothing arrived for too long. */
  readonly signal: AbortSignal
  /** A `fetch` whose every byte counts as a sign of life, pings included, which the SDK keeps to itself. */
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
