import type { ThreadState } from '#shared/model/thread.ts'
import type { ModelRequest, RequestMessage, ToolSpec } from '../ports/model-client.ts'
import type { Conversation } from './conversation.ts'
import type { RunLimits } from './loop-context.ts'

export interface RequestParts {
  readonly system: string
  readonly toolSpecs: readonly ToolSpec[]
  readonly inherited: readonly RequestMessage[]
  readonly conversation: Conversation
  readonly limits: Pick<RunLimits, 'maxTokens' | 'temperature' | 'effort'>
}

/** What the model is sent for a thread as it stands. */
export function requestFor(thread: ThreadState, parts: RequestParts): ModelRequest {
  const { system, toolSpecs, inherited, conversation } = parts
  const { maxTokens, temperature, effort } = parts.limits
  const messages = inherited.concat(conversation(thread))
  return { model: thread.model, system, tools: toolSpecs, messages, maxTokens, temperature, effort }
}
