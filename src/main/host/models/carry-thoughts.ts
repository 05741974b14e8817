import { isThought } from '#adapters/model-http/request-rules.ts'
import type { RequestMessage } from '#core/ports/model-client.ts'
import type { AssistantPart, ToolCallPart } from '#shared/model/message.ts'
import type { ThoughtMode } from '#shared/model/models/provider.ts'

/**
 * The messages with the thoughts that their model may see again. Thoughts belong to the model that had them: its maker
 * refuses those of another one. Messages of unknown origin are those of before it was kept. Made messages are kept, so
 * that a long conversation is not built again for every request.
 */
export function createThoughtCarrier(mode: ThoughtMode): CarryThoughts {
  const made = new WeakMap<RequestMessage, Map<string, RequestMessage>>()
  return (messages, model) =>
    messages.map((message) => {
      if (message.role === 'user' || !message.content.some(isOfMaker)) return message
      const known = made.get(message)
      const before = known?.get(model)
      if (before) return before
      const isOwn = message.from === undefined || message.from === model
      const content = message.content.flatMap((part) => carried(part, isOwn, mode))
      const next: RequestMessage = { ...message, content }
      made.set(message, (known ?? new Map()).set(model, next))
      return next
    })
}

/** `model`: the one that is asked, as messages name it. */
export type CarryThoughts = (messages: readonly RequestMessage[], model: string) => readonly RequestMessage[]

/** True for what only the maker of the message may see again. */
function isOfMaker(part: AssistantPart): boolean {
  return isThought(part) || (part.type === 'tool_call' && part.attached !== undefined)
}

function withoutAttached({ attached: _, ...call }: ToolCallPart): ToolCallPart {
  return call
}

function carried(part: AssistantPart, isOwn: boolean, mode: ThoughtMode): readonly AssistantPart[] {
  if (part.type === 'tool_call') return [isOwn ? part : withoutAttached(part)]
  if (!isThought(part)) return [part]
  if (!isOwn) return []
  if (part.type !== 'thinking') return mode === 'as_text' ? [] : [part]
  if (mode === 'as_text') {
    const rest = part.attached ? [{ ...part, text: '' }] : []
    return part.text.trim() === '' ? rest : [...rest, { type: 'text', text: `<thinking>\n${part.text}\n</thinking>` }]
  }
  if (mode === 'signed' && part.signature === '' && part.attached) return [{ ...part, text: '' }]
  // Without a signature, the reply was cut during its thoughts, or its server signs none.
  return mode === 'signed' && part.signature === '' ? [] : [part]
}
