import Anthropic from '@anthropic-ai/sdk'
import type { Stream } from '@anthropic-ai/sdk/streaming'
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
import { refusableParts } from './dialect.ts'
import { createReplyBuilder } from './reply-builder.ts'
import { partsSent, toRequest } from './to-request.ts'

/** The part of an SDK's client that is used. The clients of the clouds have it too, some of them without a list. */
export interface MessagesApi {
  post<Answer>(
    path: string,
    options: { readonly body: unknown; readonly signal: AbortSignal; readonly stream: true },
  ): PromiseLike<Answer>
  readonly models?: {
    list(query: { readonly limit: number }, options: { readonly signal: AbortSignal }): AsyncIterable<ListedModel>
  }
}

interface ListedModel {
  readonly id: string
  readonly display_name?: string | null
}

/** Makes the SDK's client for one request. */
export type ConnectMessages = (
  server: ModelServer,
  options: { readonly fetch: typeof fetch; readonly signal: AbortSignal },
) => Promise<MessagesApi>

/** A client for servers that speak the protocol of Anthropic's Messages API. */
export function createAnthropicClient(server: ModelServer, connect: ConnectMessages = connectDirectly): ModelClient {
  const refusedSchemas = new Set<string>()
  return {
    stream: (request, signal) => stream(server, connect, { request, refusedSchemas }, signal),
    models: (signal) => listModels(server, connect, signal),
  }
}

interface Asked {
  readonly request: ModelRequest
  /** As JSON. The server takes other schemas. */
  readonly refusedSchemas: Set<string>
}

/** Repeats the request at once without the parts that the server says it does not know. */
async function* stream(
  server: ModelServer,
  connect: ConnectMessages,
  { request, refusedSchemas }: Asked,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent> {
  const schema = JSON.stringify(request.outputSchema)
  while (true) {
    const facts = server.factsOf(request.model)
    const refused = server.dialect.refusedBy(request.model)
    const body = toRequest(request, facts, refusedSchemas.has(schema) ? new Set([...refused, 'format']) : refused)
    try {
      return yield* streamOnce(server, connect, body, signal)
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      const sent = partsSent(body)
      // A server that knows schemas may still refuse this one.
      const isSchema = facts.can.schemas && sent.has('format') && namesFormat(error)
      if (isSchema) refusedSchemas.add(schema)
      else if (!learnRefusal(server.dialect, request.model, error, { names: refusableParts, sent })) throw error
    }
  }
}

function namesFormat({ code, message }: ModelError): boolean {
  return code === 'bad_request' && refusableParts.format.test(message)
}

async function* streamOnce(
  server: ModelServer,
  connect: ConnectMessages,
  body: ReturnType<typeof toRequest>,
  signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent> {
  signal.throwIfAborted()
  using watchdog = createWatchdog(server.stallMs, signal)
  const builder = createReplyBuilder(server.factsOf(body.model))
  let started = false
  try {
    const client = await connect(server, { fetch: watchdog.watch, signal })
    for await (const event of await open(client, body, watchdog.signal)) {
      started = true
      const shown = builder.accept(event)
      if (shown) yield shown
      if (event.type === 'message_stop') break
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

/** Not `messages.create`, which writes to the console about old models and so over whatever a terminal shows. */
function open(client: MessagesApi, body: ReturnType<typeof toRequest>, signal: AbortSignal) {
  return client.post<Stream<Anthropic.RawMessageStreamEvent>>('/v1/messages', {
    body,
    signal,
    stream: true,
  })
}

/** The models that the server lists. Empty for a server without a list. */
async function listModels(
  server: ModelServer,
  connect: ConnectMessages,
  signal: AbortSignal,
): Promise<readonly ModelInfo[]> {
  try {
    const client = await connect(server, { fetch, signal })
    const models: ModelInfo[] = []
    for await (const model of client.models?.list({ limit: 1000 }, { signal }) ?? []) {
      models.push({ id: model.id, name: model.display_name ?? model.id, ...listedFacts(model) })
    }
    return models
  } catch (error) {
    signal.throwIfAborted()
    const known = toModelError(error, false, server.address())
    if (known instanceof ModelError && known.code === 'not_found') return []
    throw known
  }
}

/** Passes every option by name, so that neither the environment nor a profile on disk can change one. */
const connectDirectly: ConnectMessages = async (server, { fetch: watched, signal }) =>
  new Anthropic({
    // The headers below are what is sent. Without a key here, the SDK would look for one by itself.
    apiKey: 'in the headers',
    authToken: null,
    defaultHeaders: { authorization: null, 'x-api-key': null, ...(await server.headers(signal)) },
    baseURL: server.address(),
    maxRetries: 0,
    logLevel: 'off',
    fetch: watched,
  })
