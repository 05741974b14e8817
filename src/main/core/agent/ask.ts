import type { MessageId } from '#shared/model/ids.ts'
import { type AssistantMessage, toolCallsOf } from '#shared/model/message.ts'
import type { ModelError, ModelReply } from '../ports/model-client.ts'
import { askModel, type Showing } from './ask-model.ts'
import type { Commit, LoopContext } from './loop-context.ts'
import { requestFor } from './request.ts'

export type Asked =
  | { readonly ok: true; readonly message: AssistantMessage }
  | { readonly ok: false; readonly error: ModelError }

/** One model reply, stored whole before anything of it runs. */
export async function* ask(context: LoopContext, signal: AbortSignal): AsyncGenerator<Commit, Asked> {
  const request = requestFor(context.thread(), context)
  let messageId = '' as MessageId
  const asked = await askModel(context, request, signal, () => {
    messageId = context.nextId() as MessageId
    return showing(context, messageId)
  })
  if (!asked.ok) return asked
  const { reply } = asked
  const content = withUniqueCalls(context, reply)
  const message: AssistantMessage = { role: 'assistant', messageId, content, stopReason: reply.stopReason }
  yield withCheckpoint(context, [
    { type: 'message', message },
    { type: 'usage', usage: reply.usage, model: request.model },
  ])
  return { ok: true, message }
}

function showing(context: LoopContext, messageId: MessageId): Showing {
  return {
    delta: (part, text) => context.live({ type: 'message.delta', messageId, part, text }),
    dropped: () => context.live({ type: 'message.dropped', messageId }),
  }
}

/**
 * Decisions and stored results are found by call id, so an id that an agent of the family used before, or that is no
 * plain name, is replaced by one of our own.
 */
function withUniqueCalls(context: LoopContext, reply: ModelReply): AssistantMessage['content'] {
  const taken = new Set<string>(context.knownCalls(toolCallsOf(reply).map(({ callId }) => callId)))
  return reply.content.map((part) => {
    if (part.type !== 'tool_call') return part
    const isUsable = /^[\w-]{1,64}$/.test(part.callId) && !taken.has(part.callId)
    const callId = isUsable ? part.callId : (`call_${context.nextId()}` as typeof part.callId)
    taken.add(callId)
    return { ...part, callId }
  })
}

/** The entries of a step, with the checkpoint that closes it. */
export function withCheckpoint(context: LoopContext, entries: Commit): Commit {
  const treeHash = context.treeHashAfter(entries)
  return [...entries, { type: 'checkpoint', step: context.thread().iterations, treeHash }]
}
