import Anthropic from '@anthropic-ai/sdk'
import type { Stream } from '@anthropic-ai/sdk/streaming'
import { type ModelClient, ModelError, type ModelInfo } from '#core/ports/model-client.ts'
import type { ModelServer } from '#core/ports/model-server.ts'
import { guardedFetch } from '../model-http/guarded-fetch.ts'
import { readModels } from '../model-http/listed-facts.ts'
import { toModelError } from '../model-http/model-errors.ts'
import { createRefusedSchemas } from '../model-http/refusals.ts'
import { type Protocol, streamReply, withoutSecret } from '../model-http/stream-reply.ts'
import { type Extra, refusableParts } from './dialect.ts'
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
  const protocol = messagesProtocol(server, connect)
  return {
    stream: (request, signal) => streamReply(server, protocol, request, signal),
    models: (signal) => listModels(server, connect, signal),
  }
}

type Body = ReturnType<typeof toRequest>

function messagesProtocol(
  server: ModelServer,
  connect: ConnectMessages,
): Protocol<Body, Anthropic.RawMessageStreamEvent, Extra> {
  const refusedSchemas = createRefusedSchemas(refusableParts.format)
  return {
    parts: refusableParts,
    partsSent,
    createBuilder: createReplyBuilder,
    toBody(request, facts, refused) {
      const isRefused = refusedSchemas.has(request.outputSchema)
      return toRequest(request, facts, isRefused ? new Set([...refused, 'format']) : refused)
    },
    async open(body, watched, signal) {
      const client = await connect(server, { fetch: watched, signal })
      // Not `messages.create`, which writes to the console about old models and so over whatever a terminal shows.
      return client.post<Stream<Anthropic.RawMessageStreamEvent>>('/v1/messages', { body, signal, stream: true })
    },
    learnOnce: (error, body, { outputSchema }) =>
      partsSent(body).has('format') && refusedSchemas.learn(error, outputSchema),
  }
}

/** The models that the server lists. Empty for a server without a list. */
async function listModels(
  server: ModelServer,
  connect: ConnectMessages,
  signal: AbortSignal,
): Promise<readonly ModelInfo[]> {
  try {
    const client = await connect(server, { fetch: guardedFetch, signal })
    return await readModels(client.models?.list({ limit: 1000 }, { signal }) ?? [], displayName)
  } catch (error) {
    signal.throwIfAborted()
    const known = toModelError(error, false, server.address())
    if (known instanceof ModelError && known.code === 'not_found') return []
    throw known instanceof ModelError ? withoutSecret(known, server) : known
  }
}

function displayName(model: object): string | null {
  return 'display_name' in model && typeof model.display_name === 'string' ? model.display_name : null
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
