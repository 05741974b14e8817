import type { ModelRequest, RequestMessage } from '#core/ports/model-client.ts'
import { type ModelFacts, takesSampling } from '#shared/model/models/model-facts.ts'

/** Stands where an image was, for a model that reads none. */
export const unseenImage = '[An image is here. This model does not read images.]'

/**
 * The most tokens of the reply to ask for. Many servers refuse a request whose prompt and limit together exceed the
 * window, so at least half of the window stays for the prompt.
 */
export function replyLimit(wanted: number, { maxOutput, context }: Pick<ModelFacts, 'maxOutput' | 'context'>): number {
  return Math.max(1, Math.min(wanted, maxOutput ?? Number.POSITIVE_INFINITY, Math.floor(context / 2)))
}

/** The fields of a request that say how the model chooses its words, without those that it does not take. */
export function samplingOf(
  { temperature, topP = null, topK = null }: ModelRequest,
  { can }: Pick<ModelFacts, 'can'>,
  refused: ReadonlySet<string>,
): { readonly temperature?: number; readonly top_p?: number; readonly top_k?: number } {
  return {
    ...(temperature !== null && !refused.has('temperature') && { temperature }),
    ...(topP !== null && takesSampling(can, 'top_p') && !refused.has('top_p') && { top_p: topP }),
    ...(topK !== null && takesSampling(can, 'top_k') && !refused.has('top_k') && { top_k: topK }),
  }
}

export function hasThoughts({ messages }: ModelRequest): boolean {
  return messages.some(({ role, content }) => role === 'assistant' && content.some(isThought))
}

/** The same request without what the model thought before. */
export function withoutThoughts(request: ModelRequest): ModelRequest {
  const messages = request.messages.map(
    (message): RequestMessage =>
      message.role === 'assistant'
        ? { ...message, content: message.content.filter((part) => !isThought(part)) }
        : message,
  )
  return { ...request, messages }
}

export function isThought({ type }: { readonly type: string }): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}
