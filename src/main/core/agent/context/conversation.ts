import { LayeredMap } from '#shared/base/layered-map.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import {
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  toolCallsOf,
  type UserPart,
} from '#shared/model/message.ts'
import type { CallState, ThreadState } from '#shared/model/thread.ts'
import type { RequestMessage, RequestPart } from '../../ports/model-client.ts'
import { summaryNotice } from '../../prompts/summary.ts'
import { plainText } from './transcript.ts'

/** Builds the messages of the next request from a thread. */
export type Conversation = (thread: ThreadState) => readonly RequestMessage[]

/**
 * Joins results to their calls. A call without a result gets a synthetic one that says it was cancelled, because the
 * provider accepts no open call. What a person says beside results joins them. Unchanged messages are reused, so that a
 * long conversation is not built again for every request.
 */
export function createConversation(): Conversation {
  let known: readonly MadeMessage[] = []
  let calls: ThreadState['calls'] = LayeredMap.empty()
  return (thread) => {
    const kept = keptIndex(thread)
    const touched = thread.calls.touchedSince(calls)
    calls = thread.calls
    known = thread.messages.slice(kept).map((message, index) => {
      const before = known[index]
      const stands = before?.message === message && !before.callIds.some((callId) => touched.has(callId))
      return stands ? before : convertMessage(message, thread)
    })
    const messages: RequestMessage[] = summaryOf(thread, kept)
    for (const { parts } of known) for (const part of parts) append(messages, part)
    return messages
  }
}

/** One message with the results of its calls, in request form. */
interface MadeMessage {
  readonly message: Message
  readonly callIds: readonly ToolCallId[]
  readonly parts: readonly RequestMessage[]
}

function convertMessage(message: Message, thread: ThreadState): MadeMessage {
  if (message.role === 'user') return { message, callIds: [], parts: [fromMessage(message)] }
  const callIds = toolCallsOf(message).flatMap(({ callId }) => [callId, thread.calls.get(callId)?.derived ?? []].flat())
  return { message, callIds, parts: [fromMessage(message), resultsOf(message, thread)] }
}

function keptIndex({ messages, compaction }: ThreadState): number {
  return compaction ? messages.findIndex(({ messageId }) => messageId === compaction.keptFrom) : 0
}

/** The summary of the older messages, and every word that the user typed there. */
function summaryOf({ messages, compaction }: ThreadState, kept: number): RequestMessage[] {
  if (!compaction) return []
  const pastes = new Map(compaction.pastes)
  const typed = messages.slice(0, kept).flatMap((message): UserPart[] => {
    if (message.role !== 'user' || message.origin === 'notice') return []
    const file = pastes.get(message.messageId)
    const text = file === undefined ? plainText(message.content) : `(a long text, now in ${file})`
    return [{ type: 'text', text: `${message.origin === 'parent' ? 'The task' : 'The user wrote'}:\n${text}` }]
  })
  return [
    { role: 'user', content: [{ type: 'text', text: summaryNotice(compaction.summary, compaction.file) }, ...typed] },
  ]
}

function fromMessage(message: Message): RequestMessage {
  if (message.role === 'user') return { role: 'user', content: message.content }
  const { content, model } = message
  return { role: 'assistant', content, ...(model !== undefined && { from: model }) }
}

function resultsOf(message: AssistantMessage, thread: ThreadState): RequestMessage {
  return { role: 'user', content: toolCallsOf(message).map((call) => resultOf(call, thread)) }
}

const cancelled = 'This call was cancelled before it had a result. Call the tool again if its result is still needed.'

function resultOf({ callId }: ToolCallPart, thread: ThreadState): RequestPart {
  const call = thread.calls.get(callId)
  if (!call?.result) return { type: 'tool_result', callId, content: [{ type: 'text', text: cancelled }], isError: true }
  const content = [...call.result.content, ...declaredResult(call, thread)]
  return { type: 'tool_result', callId, content, isError: call.result.outcome !== 'ok' }
}

/** The model did not make the derived call, so its outcome comes with the declaring call's result. */
function declaredResult({ derived }: CallState, { calls }: ThreadState): readonly UserPart[] {
  const result = derived === null ? undefined : calls.get(derived)?.result
  return result ? [{ type: 'text', text: 'The declared tasks ran as a batch:' }, ...result.content] : []
}

function append(messages: RequestMessage[], next: RequestMessage): void {
  if (next.content.length === 0) return
  const last = messages.at(-1)
  if (last?.role === 'user' && next.role === 'user' && last.content.some(({ type }) => type === 'tool_result')) {
    messages[messages.length - 1] = { role: 'user', content: [...last.content, ...next.content] }
  } else {
    messages.push(next)
  }
}

/**
 * Calls that still need a result: those of the last reply in the model's order, then the loop's own and retried
 * batches.
 */
export function unsettledCalls(thread: ThreadState): readonly CallState[] {
  const last = thread.messages.at(-1)
  const asked = last?.role === 'assistant' && last.stopReason === 'tool_use' ? toolCallsOf(last) : []
  const own = asked.flatMap(({ callId }) => thread.calls.get(callId) ?? [])
  const others = thread.derivedCalls.flatMap((callId) => thread.calls.get(callId) ?? [])
  return [...own, ...others.filter((call) => !own.includes(call))].filter(({ phase }) => phase !== 'finished')
}
