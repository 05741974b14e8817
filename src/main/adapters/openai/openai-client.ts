import OpenAI from 'openai'
import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { Stream } from 'openai/streaming'
import { type ModelClient, ModelError, type ModelInfo } from '#core/ports/model-client.ts'
import type { ModelServer } from '#core/ports/model-server.ts'
import { guardedFetch } from '../model-http/guarded-fetch.ts'
import { readModels } from '../model-http/listed-facts.ts'
import { toModelError } from '../model-http/model-errors.ts'
import { createRefusedSchemas } from '../model-http/refusals.ts'
import { type Protocol, streamReply, withoutSecret } from '../model-http/stream-reply.ts'
import { createCompletionBuilder } from './completion-builder.ts'
import { type CompletionBody, type CompletionPart, partsSent, refusableParts, toCompletion } from './to-completion.ts'

/** A client for servers that speak the protocol of chat completions, through its maker's own SDK. */
export function createOpenAiClient(server: ModelServer): ModelClient {
  const refusedSchemas = createRefusedSchemas(refusableParts.format)
  const protocol: Protocol<CompletionBody, ChatCompletionChunk, CompletionPart> = {
    parts: refusableParts,
    partsSent,
    createBuilder: createCompletionBuilder,
    toBody(request, facts, refused) {
      const isRefused = refusedSchemas.has(request.outputSchema)
      return toCompletion(request, facts, isRefused ? new Set([...refused, 'format']) : refused)
    },
    async open(body, watched, signal) {
      const client = await connect(server, watched, signal)
      // Not `chat.completions.create`: fields that only some servers know are not in its type.
      return client.post<Stream<ChatCompletionChunk>>('/chat/completions', { body, signal, stream: true })
    },
    learnOnce: (error, body, { outputSchema }) =>
      partsSent(body).has('format') && refusedSchemas.learn(error, outputSchema),
  }
  return {
    stream: (request, signal) => streamReply(server, protocol, request, signal),
    models: (signal) => listModels(server, signal),
  }
}

/** The models that the server lists. Empty for a server without a list. */
async function listModels(server: ModelServer, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  try {
    const client = await connect(server, guardedFetch, signal)
    return await readModels(client.models.list({ signal }), nameIn)
  } catch (error) {
    signal.throwIfAborted()
    const known = toModelError(error, false, server.address())
    if (known instanceof ModelError && known.code === 'not_found') return []
    throw known instanceof ModelError ? withoutSecret(known, server) : known
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
