import OpenAI from 'openai'
import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { Stream } from 'openai/streaming'
import {
  type ModelClient,
  ModelError,
  type ModelInfo,
  type ModelRequest,
  type ModelStreamEvent,
} from '#core/ports/model-client.ts'
import type { ModelServer } from '#core/ports/model-server.ts'
import { listedFacts } from '../model-http/listed-facts.ts'
import { toModelError } from '../model-http/model-errors.ts'
import { learnRefusal } from '../model-http/refusals.ts'
import { createWatchdog } from '../model-http/watchdog.ts'
import { createCompletionBuilder } from './completion-builder.ts'
import { type CompletionBody, partsSent, refusableParts, toCompletion } from './to-completion.ts'

/** A client for servers that speak the protocol of chat completions, through its maker's own SDK. */
export function createOpenAiClient(server: ModelServer): ModelClient {
  return {
    stream: (request, signal) => stream(server, request, signal),
    models: (signal) => listModels(server, signal),
  }
}

/** Repeats the request at once without the parts that the server says it does not know. */
async function* stream(
  server: ModelServer,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent> {
  while (true) {
    const body = toCompletion(request, server.factsOf(request.model), server.dialect.refusedBy(request.model))
    try {
      return yield* streamOnce(server, body, signal)
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      const learned = learnRefusal(server.dialect, request.model, error, {
        names: refusableParts,
        sent: partsSent(body),
      })
      if (!learned) throw error
    }
  }
}

async function* streamOnce(
  server: ModelServer,
  body: CompletionBody,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent> {
  signal.throwIfAborted()
  using watchdog = createWatchdog(server.stallMs, signal)
  const builder = createCompletionBuilder(server.factsOf(body.model))
  let started = false
  try {
    const client = await connect(server, watchdog.watch, signal)
    for await (const chunk of await open(client, body, watchdog.signal)) {
      started = true
      yield* builder.accept(chunk)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw watchdog.stalled() ?? toModelError(error, started, server.address())
  }
  signal.throwIfAborted()
  if (!builder.isComplete())
    throw watchdog.stalled() ?? new ModelError('cut', 'The answer ended before it was complete.')
  yield { type: 'reply', reply: builder.reply() }
}

/** Not `chat.completions.create`: fields that only some servers know are not in its type. */
function open(client: OpenAI, body: CompletionBody, signal: AbortSignal) {
  return client.post<Stream<ChatCompletionChunk>>('/chat/completions', { body, signal, stream: true })
}

/** The models that the server lists. Empty for a server without a list. */
async function listModels(server: ModelServer, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  try {
    const client = await connect(server, fetch, signal)
    const models: ModelInfo[] = []
    for await (const model of client.models.list({ signal })) {
      models.push({ id: model.id, name: nameIn(model) ?? model.id, ...listedFacts(model) })
    }
    return models
  } catch (error) {
    signal.throwIfAborted()
    const known = toModelError(error, false, server.address())
    if (known instanceof ModelError && known.code === 'not_found') return []
    throw known
  }
}

/** Gateways give their models names for people. */
function nameIn(model: object): string | null {
  return 'name' in model && typeof model.name === 'string' ? model.name : null
}

/** Passes every option by name, so that the environment cannot change one. */
async function connect(server: ModelServer, watched: typeof fetch, signal: AbortSignal): Promise<OpenAI> {
  return new OpenAI({
    // The headers below are what is sent. Without a key here, the SDK would look for one by itself.
    apiKey: 'in the headers',
    organization: null,
    project: null,
    defaultHeaders: { authorization: null, ...(await server.headers(signal)) },
    baseURL: server.address(),
    maxRetries: 0,
    logLevel: 'off',
    fetch: watched,
  })
}
