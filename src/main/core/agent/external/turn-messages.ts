import type { MessageId, ToolCallId } from '#shared/model/ids.ts'
import type { AssistantMessage, AssistantPart, ToolCallPart } from '#shared/model/message.ts'
import type { LoopContext } from '../types/loop-context.ts'

/** Puts together the messages of one turn of an external agent, and shows them while they grow. */
export interface TurnMessages {
  add(part: 'text' | 'thinking', text: string): void
  /** The message so far with calls behind it, and begins another one. */
  withCalls(calls: readonly ToolCallPart[]): AssistantMessage
  /** The message so far; null for an empty one. Begins another one. `isCut`: the turn did not come to its end. */
  take(isCut: boolean): AssistantMessage | null
}

export function createTurnMessages(
  { live, nextId }: Pick<LoopContext, 'live' | 'nextId'>,
  agent: string,
): TurnMessages {
  let messageId = nextId() as MessageId
  let parts: AssistantPart[] = []
  const message = (content: readonly AssistantPart[], stopReason: AssistantMessage['stopReason']): AssistantMessage => {
    const made = { role: 'assistant', messageId, content, stopReason, model: agent } as const
    messageId = nextId() as MessageId
    parts = []
    return made
  }
  return {
    add(part, text) {
      live({ type: 'message.delta', messageId, part, text })
      const last = parts.at(-1)
      const joined = last?.type === part ? parts.pop() : undefined
      const whole = `${joined && 'text' in joined ? joined.text : ''}${text}`
      parts.push(part === 'text' ? { type: 'text', text: whole } : { type: 'thinking', text: whole, signature: '' })
    },
    withCalls: (calls) => message([...parts, ...calls], 'tool_use'),
    take: (isCut) => (parts.length === 0 ? null : message(parts, isCut ? 'unknown' : 'end_turn')),
  }
}

/** A call in a message. */
export function callPart(callId: ToolCallId, name: string, input: ToolCallPart['input']): ToolCallPart {
  return { type: 'tool_call', callId, name, input }
}
