import { LayeredMap } from '#shared/base/layered-map.ts'
import { type Call, resultOf } from '#shared/model/calls/call.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import {
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  toolCallsOf,
  type UserPart,
} from '#shared/model/message.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { RequestMessage, RequestPart } from '../../ports/model-client.ts'
import { summaryNotice } from '../../prompts/summary.ts'
import type { ShowMessage } from './eviction.ts'
import { plainText } from './transcript.ts'

/** Builds the messages of the next request from a thread. */
export type Conversation = (thread: ThreadState) => readonly RequestMessage[]

/**
 * Joins results to their calls. A call without a result gets a synthetic one that says it was cancelled, because the
 * provider accepts no open call. What a person says beside results joins them. Unchanged messages are reused, so a request
 * costs what is new in it, however long the conversation is. `show` is asked once for each message of a user.
 */
export function createConversation(show: ShowMessage = ({ content }) => content): Conversation {
  let calls: ThreadState['calls'] = LayeredMap.empty()
  let compaction: ThreadState['compaction'] = null
  let list: RequestMessage[] = []
  const made: MadeMessage[] = []
  /** The position in `made` of the message that the results of a call follow. */
  const places = new Map<ToolCallId, number>()

  /** How many of the messages that were made are as they were. */
  function countStanding({ messages, calls: now }: ThreadState, kept: number): number {
    let standing = made.length
    // A message that is at its place has the same messages before it as ever.
    while (standing > 0 && messages[kept + standing - 1] !== made[standing - 1]?.message) standing -= 1
    for (const callId of now.touchedSince(calls)) standing = Math.min(standing, places.get(callId) ?? standing)
    return standing
  }

  function forget(standing: number): void {
    for (const { callIds } of made.splice(standing)) for (const callId of callIds) places.delete(callId)
  }

  return (thread) => {
    const kept = keptIndex(thread)
    const standing = compaction === thread.compaction ? countStanding(thread, kept) : 0
    calls = thread.calls
    compaction = thread.compaction
    const next = made[standing]
    forget(standing)
    list = standing === 0 ? summaryOf(thread, kept) : next ? listBefore(list, next) : list.slice()
    for (const message of thread.messages.slice(kept + standing)) {
      const { callIds, parts } = convertMessage(message, thread, show)
      for (const callId of callIds) places.set(callId, made.length)
      made.push({ message, callIds, length: list.length, last: list.at(-1) })
      for (const part of parts) append(list, part)
    }
    return list
  }
}

/** A message whose request form is in the list that was made last. */
interface MadeMessage {
  readonly message: Message
  /** The calls whose results follow it. */
  readonly callIds: readonly ToolCallId[]
  /** Length of the list before the message was appended. */
  readonly length: number
  /** The last element of the list then. What a person said beside results has joined it since. */
  readonly last: RequestMessage | undefined
}

/** A copy of the list as it was before a message. */
function listBefore(list: readonly RequestMessage[], { length, last }: MadeMessage): RequestMessage[] {
  if (!last) return []
  const before = list.slice(0, length - 1)
  before.push(last)
  return before
}

function convertMessage(
  message: Message,
  thread: ThreadState,
  show: ShowMessage,
): Pick<MadeMessage, 'callIds'> & { readonly parts: readonly RequestMessage[] } {
  if (message.role === 'user') return { callIds: [], parts: [{ role: 'user', content: show(message) }] }
  const callIds = toolCallsOf(message).flatMap(({ callId }) => [callId, thread.calls.get(callId)?.derived ?? []].flat())
  return { callIds, parts: [fromMessage(message), resultsOf(message, thread)] }
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

function fromMessage({ content, model }: AssistantMessage): RequestMessage {
  return { role: 'assistant', content, ...(model !== undefined && { from: model }) }
}

function resultsOf(message: AssistantMessage, thread: ThreadState): RequestMessage {
  return { role: 'user', content: toolCallsOf(message).map((call) => resultPart(call, thread)) }
}

const cancelled = 'This call was cancelled before it had a result. Call the tool again if its result is still needed.'

function resultPart({ callId }: ToolCallPart, thread: ThreadState): RequestPart {
  const call = thread.calls.get(callId)
  const result = resultOf(call)
  if (!call || !result)
    return { type: 'tool_result', callId, content: [{ type: 'text', text: cancelled }], isError: true }
  const content = [...result.content, ...declaredResult(call, thread)]
  return { type: 'tool_result', callId, content, isError: result.outcome !== 'ok' }
}

/** The model did not make the derived call, so its outcome comes with the declaring call's result. */
function declaredResult({ derived }: Call, { calls }: ThreadState): readonly UserPart[] {
  const result = derived === null ? undefined : resultOf(calls.get(derived))
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
