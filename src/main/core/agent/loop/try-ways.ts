import type { JsonObject } from '#shared/base/json.ts'
import { type AttemptsWish, attemptsTool } from '#shared/model/calls/attempts.ts'
import type { MessageId, ToolCallId } from '#shared/model/ids.ts'
import { type Message, textOf, toolCallsOf } from '#shared/model/message.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import { executeToolCalls } from '../calls/execute-calls.ts'
import type { LoopContext, RunEnd } from '../types/loop-context.ts'

/**
 * A message that its person wants tried several times is answered by one call of `attempts`, which the loop makes in the
 * place of a model. True when the conversation ends with such a call: then nobody is asked for more words.
 */
export function isTried({ thread }: LoopContext): boolean {
  const { messages } = thread()
  const last = messages.at(-1)
  if (last?.role !== 'assistant' || !toolCallsOf(last).some(({ name }) => name === attemptsTool)) return false
  const before = messages.slice(0, -1)
  const reply = before.findLastIndex(({ role }) => role === 'assistant')
  return before.slice(reply + 1).some((message) => wishIn(message) !== undefined)
}

/** Runs the attempts of a message that wants some. Undefined for every other message. */
export async function* tryWays(context: LoopContext, signal: AbortSignal): LoopSteps<RunEnd | undefined> {
  const { messages } = context.thread()
  const reply = messages.findLastIndex(({ role }) => role === 'assistant')
  const asked = messages.slice(reply + 1).findLast((message) => wishIn(message) !== undefined)
  const wish = asked && wishIn(asked)
  if (!asked || !wish) return undefined
  const call = {
    ...({ type: 'tool_call', callId: context.nextId() as ToolCallId, name: attemptsTool } as const),
    input: { task: textOf(asked.content), ...wish } as unknown as JsonObject,
  }
  const messageId = context.nextId() as MessageId
  yield [{ type: 'message', message: { role: 'assistant', messageId, content: [call], stopReason: 'tool_use' } }]
  yield* executeToolCalls(context, signal)
  return { status: 'done', reason: 'completed', message: '' }
}

function wishIn(message: Message): AttemptsWish | undefined {
  return message.role === 'user' && message.origin === 'person' ? message.attempts : undefined
}
