import type { EntryBody } from '#shared/model/entry.ts'
import type { MessageId } from '#shared/model/ids.ts'
import type { AssistantMessage } from '#shared/model/message.ts'
import { ModelError, type ModelReply, type ModelRequest } from '../ports/model-client.ts'
import { toRequestMessages } from './conversation.ts'
import type { Commit, LoopContext } from './loop-context.ts'
import { retryDelay } from './retry.ts'

export type Asked =
  | { readonly ok: true; readonly message: AssistantMessage }
  | { readonly ok: false; readonly error: ModelError }

/** One model reply, stored whole before anything of it runs. What was shown of a broken stream is taken back. */
export async function* ask(context: LoopContext, signal: AbortSignal): AsyncGenerator<Commit, Asked> {
  const request = requestOf(context)
  for (let attempt = 1; ; attempt += 1) {
    const messageId = context.nextId() as MessageId
    try {
      const reply = await receive(context, request, messageId, signal)
      const message: AssistantMessage = {
        role: 'assistant',
        messageId,
        content: withUniqueCalls(context, reply),
        stopReason: reply.stopReason,
      }
      yield [
        { type: 'message', message },
        { type: 'usage', usage: reply.usage, model: request.model },
        checkpoint(context),
      ]
      return { ok: true, message }
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelError)) throw error
      context.live({ type: 'message.dropped', messageId })
      const delayMs = retryDelay(context.retry, error, attempt, context.random())
      if (delayMs === null) return { ok: false, error }
      context.live({ type: 'model.retrying', attempt, delayMs, reason: error.message })
      await context.clock.sleep(delayMs, signal)
    }
  }
}

function requestOf(context: LoopContext): ModelRequest {
  const thread = context.thread()
  return {
    model: thread.model,
    system: context.system,
    tools: context.toolSpecs,
    messages: [...context.inherited, ...toRequestMessages(thread)],
    maxTokens: context.limits.maxTokens,
  }
}

async function receive(
  context: LoopContext,
  request: ModelRequest,
  messageId: MessageId,
  signal: AbortSignal,
): Promise<ModelReply> {
  using _place = await context.modelGate.enter((ahead) => context.live({ type: 'model.waiting', ahead }), signal)
  for await (const event of context.model.stream(request, signal)) {
    signal.throwIfAborted()
    if (event.type === 'reply') return event.reply
    context.live({ type: 'message.delta', messageId, part: event.type, text: event.text })
  }
  throw new ModelError('cut', 'The model ended its answer before it was complete.')
}

/**
 * Decisions and stored results are found by call id, so an id that an agent of the family used before, or that is no
 * plain name, is replaced by one of our own.
 */
function withUniqueCalls(context: LoopContext, reply: ModelReply): AssistantMessage['content'] {
  const taken = new Set<string>()
  return reply.content.map((part) => {
    if (part.type !== 'tool_call') return part
    const isUsable = /^[\w-]{1,64}$/.test(part.callId) && !taken.has(part.callId) && !context.isKnownCall(part.callId)
    const callId = isUsable ? part.callId : (`call_${context.nextId()}` as typeof part.callId)
    taken.add(callId)
    return { ...part, callId }
  })
}

export function checkpoint(context: LoopContext): EntryBody {
  return { type: 'checkpoint', step: context.thread().iterations, treeHash: context.treeHash() }
}
