import type { ThreadState } from '#shared/model/thread.ts'
import type { ModelRequest, RequestMessage, ToolSpec } from '../ports/model-client.ts'
import { toRequestMessages } from './conversation.ts'
import type { RunLimits } from './loop-context.ts'

export interface RequestParts {
  readonly system: string
  readonly toolSpecs: readonly ToolSpec[]
  readonly inherited: readonly RequestMessage[]
  readonly limits: Pick<RunLimits, 'maxTokens' | 'temperature' | 'effort'>
}

/** What the model is sent for a thread as it stands. */
export function requestFor(thread: ThreadState, { system, toolSpecs, inherited, limits }: RequestParts): ModelRequest {
  const { maxTokens, temperature, effort } = limits
  const messages = [...inherited, ...toRequestMessages(thread)]
  return { model: thread.model, system, tools: toolSpecs, messages, maxTokens, temperature, effort }
}
