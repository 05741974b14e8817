import type { JsonObject } from '#shared/base/json.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { AssistantPart, StopReason, UserPart } from '#shared/model/message.ts'
import type { Effort, ModelPrices } from '#shared/model/models/model-facts.ts'
import type { Usage } from '#shared/model/models/usage.ts'

export interface ToolSpec {
  /** Unique within one request. */
  readonly name: string
  /** Sent to the model word for word. */
  readonly description: string
  /** JSON Schema of the arguments, an object schema. */
  readonly inputSchema: JsonObject
}

export type RequestPart =
  | UserPart
  | {
      readonly type: 'tool_result'
      readonly callId: ToolCallId
      readonly content: readonly UserPart[]
      readonly isError: boolean
    }

export type RequestMessage =
  | { readonly role: 'user'; readonly content: readonly RequestPart[] }
  | {
      readonly role: 'assistant'
      readonly content: readonly AssistantPart[]
      /** The model that said it, as `profile/model`; absent in conversations of before it was kept. */
      readonly from?: string
    }

export interface ModelRequest {
  /** The model as threads and settings name it. The client that gets the request knows what its server calls it. */
  readonly model: string
  /** The system prompt; empty when there is none. */
  readonly system: string
  /** Their order is kept, so that a provider can cache them. */
  readonly tools: readonly ToolSpec[]
  /** Oldest first. A message without content is left out. */
  readonly messages: readonly RequestMessage[]
  /** The most tokens of the reply. A lower limit of the model wins. */
  readonly maxTokens: number
  /** Null for the model's own default. */
  readonly temperature: number | null
  /** From how much of the probability the model chooses, above 0 and up to 1. Left out for a model that takes none. */
  readonly topP?: number | null
  /** From how many tokens the model chooses. Left out for a model that takes none. */
  readonly topK?: number | null
  /** Null for the model's own default. Not sent to a server that does not know it. */
  readonly effort: Effort | null
  /** Whether a model thinks that can do without. Null or absent for the model's own default. */
  readonly thinking?: boolean | null
  /** `none` forbids calls in this reply. The tools are still sent, because the conversation contains calls of them. */
  readonly toolChoice?: 'none'
  /** JSON Schema of the reply's text. Left out for a model or a server that cannot promise it. */
  readonly outputSchema?: JsonObject
  /** False to send no marks for the provider's cache. */
  readonly caching?: false
  /** Who asks. Never sent to a server: it is for records, which answer by it. */
  readonly origin?: RequestOrigin
}

/** Who asks a model, and for what. */
export interface RequestOrigin {
  /** The agent's path in its family, such as `main/subagent_0`. It is the same in every run of the same task. */
  readonly agent: string
  /** A reply of the conversation, the summary of its older part, the verdict on a goal's criteria, or messages for commits. */
  readonly purpose: 'reply' | 'summary' | 'grade' | 'delivery'
  /** False for a part of a summary that another request continues. Absent for a whole answer. */
  readonly isLast?: boolean
}

export interface ModelReply {
  /** In the order in which the model produced it. */
  readonly content: readonly AssistantPart[]
  /** Why the model ended; `tool_use` when it waits for results. */
  readonly stopReason: StopReason
  /** The usage of this call alone, as the provider counted it; estimated from characters where it did not. */
  readonly usage: Usage
}

export type ModelStreamEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  /** The complete, parsed message. It comes last and exactly once. */
  | { readonly type: 'reply'; readonly reply: ModelReply }

/**
 * One model call. The stream ends with `reply` or throws `ModelError`; it never makes a reply from a partial message.
 * The adapter does not retry. The loop does, so that people see it.
 */
export interface ModelClient {
  /** Throws `ModelError`, and the abort reason. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelStreamEvent>
  /** In the provider's order. Throws `ModelError`, and the abort reason. */
  models(signal: AbortSignal): Promise<readonly ModelInfo[]>
}

export interface ModelInfo {
  /** What `ModelRequest.model` takes. */
  readonly id: string
  /** For people; the id when the provider gives no name. */
  readonly name: string
  /** Tokens; null when the server does not say. */
  readonly contextWindow: number | null
  /** Tokens of a reply at most, when the server says so. */
  readonly maxOutput?: number | null | undefined
  /** US dollars per million tokens, when the server says so. */
  readonly prices?: ModelPrices | null | undefined
  /** How long it can be asked to think, lowest first, when the server says so. */
  readonly efforts?: readonly Effort[] | null | undefined
}

export type ModelErrorCode =
  | 'no_key'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'bad_request'
  | 'too_large'
  | 'context_window_exceeded'
  | 'rate_limited'
  | 'overloaded'
  | 'server'
  | 'unreachable'
  | 'cut'
  | 'malformed'

const retryable: ReadonlySet<ModelErrorCode> = new Set([
  'rate_limited',
  'overloaded',
  'server',
  'unreachable',
  'cut',
  'malformed',
])

export class ModelError extends Error {
  readonly code: ModelErrorCode
  /** From the server's `retry-after`; null when it sent none. */
  readonly retryAfterMs: number | null
  /** The server's own words, without ours; empty when it said none. */
  readonly said: string

  constructor(code: ModelErrorCode, message: string, retryAfterMs: number | null = null, said = '') {
    super(message)
    this.name = 'ModelError'
    this.code = code
    this.retryAfterMs = retryAfterMs
    this.said = said
  }

  get retryable(): boolean {
    return retryable.has(this.code)
  }
}
