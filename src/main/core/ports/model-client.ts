import type { JsonObject } from '#shared/base/json.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { AssistantPart, StopReason, UserPart } from '#shared/model/message.ts'
import type { Usage } from '#shared/model/usage.ts'

export interface ToolSpec {
  readonly name: string
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
  | { readonly role: 'assistant'; readonly content: readonly AssistantPart[] }

/** How much a model may think before it answers. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

export interface ModelRequest {
  readonly model: string
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly RequestMessage[]
  readonly maxTokens: number
  /** Null for the model's own. */
  readonly temperature: number | null
  readonly effort: Effort | null
}

export interface ModelReply {
  readonly content: readonly AssistantPart[]
  readonly stopReason: StopReason
  readonly usage: Usage
}

export type ModelStreamEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  /** Last and exactly once: the complete, fully parsed message. */
  | { readonly type: 'reply'; readonly reply: ModelReply }

/**
 * One model call. The stream ends with `reply` or throws `ModelError`; it never yields a reply from a partial message.
 * The adapter does not retry: the loop does, where people see it.
 */
export interface ModelClient {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelStreamEvent>
  models(signal: AbortSignal): Promise<readonly ModelInfo[]>
}

export interface ModelInfo {
  readonly id: string
  readonly name: string
  /** Tokens. */
  readonly contextWindow: number
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
  /** What the server asked for with `retry-after`. */
  readonly retryAfterMs: number | null

  constructor(code: ModelErrorCode, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'ModelError'
    this.code = code
    this.retryAfterMs = retryAfterMs
  }

  get retryable(): boolean {
    return retryable.has(this.code)
  }
}
