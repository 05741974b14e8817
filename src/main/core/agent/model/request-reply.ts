import type { MessageId } from '#shared/model/ids.ts'
import { type AssistantMessage, toolCallsOf } from '#shared/model/message.ts'
import { answeringModel, type ThreadState } from '#shared/model/thread.ts'
import {
  ModelError,
  type ModelReply,
  type ModelRequest,
  type RequestMessage,
  type ToolSpec,
} from '../../ports/model-client.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import type { Conversation } from '../context/conversation.ts'
import type { LoopContext, RunLimits } from '../types/loop-context.ts'
import type { RetryPolicy } from '../types/settings.ts'
import { noticeSleep, type SleepNotice } from './notice-sleep.ts'

export type ReplyResult =
  /** `shortenedBy`: the limit for which the reply had to be shorter. */
  | { readonly ok: true; readonly message: AssistantMessage; readonly shortenedBy: string | undefined }
  /** `spent`: the limit that has no room for the request. */
  | { readonly ok: false; readonly error: ModelError; readonly spent?: string }

/** Gets one model reply and stores it whole before any of its calls runs. */
export async function* requestReply(
  context: LoopContext,
  signal: AbortSignal,
  options: Pick<ModelRequest, 'toolChoice'> = {},
): LoopSteps<ReplyResult> {
  const request = (): ModelRequest => ({
    ...requestFor(context.thread(), context),
    ...options,
    origin: { agent: context.agentPath, purpose: 'reply' },
  })
  let messageId = '' as MessageId
  const show = () => {
    messageId = context.nextId() as MessageId
    return showing(context, messageId)
  }
  let first: Reply | undefined
  for (;;) {
    const next = nextFallback(context)
    const retry = next === undefined ? context.retry : untilFallback(context.retry)
    const asked = await askModel(context, request, signal, { show, retry })
    if (asked.ok) {
      const { reply, model } = asked
      const content = withUniqueCalls(context, reply)
      const message: AssistantMessage = { role: 'assistant', messageId, content, stopReason: reply.stopReason, model }
      yield context.withCheckpoint([
        { type: 'message', message },
        { type: 'usage', usage: reply.usage, model },
      ])
      return { ok: true, message, shortenedBy: asked.shortenedBy }
    }
    if (asked.spent !== undefined) return asked
    // What the person's own choice answered says more than what its replacement lacks.
    first ??= asked
    const { error } = asked
    const from = answeringModel(context.thread())
    const isReplacement = context.thread().fallback !== undefined
    if (next === undefined || !(error.retryable || isReplacement)) return first.ok ? asked : first
    yield [{ type: 'model.fell_back', from, to: next, reason: error.message }]
  }
}

/** The next model of the list that did not fail in this run yet. Undefined after the last one. */
function nextFallback(context: LoopContext): string | undefined {
  const thread = context.thread()
  const failed = new Set([...(thread.fallback?.failed ?? []), answeringModel(thread)])
  return context.models.fallbacks().find((model) => !failed.has(model))
}

/** Another model is ready, so a person does not wait for all tries of this one. */
function untilFallback(policy: RetryPolicy): RetryPolicy {
  return { ...policy, attempts: Math.min(policy.attempts, 3) }
}

function showing(context: LoopContext, messageId: MessageId): StreamPreview {
  return {
    delta: (part, text) => context.live({ type: 'message.delta', messageId, part, text }),
    dropped: () => context.live({ type: 'message.dropped', messageId }),
  }
}

/**
 * Replaces call ids that the family used before, or that are not plain names, with new ones. Decisions and stored
 * results are found by call id, so every id must be unique.
 */
function withUniqueCalls(context: LoopContext, reply: ModelReply): AssistantMessage['content'] {
  const taken = new Set<string>(context.usedCallIds(toolCallsOf(reply).map(({ callId }) => callId)))
  return reply.content.map((part) => {
    if (part.type !== 'tool_call') return part
    const isUsable = /^[\w-]{1,64}$/.test(part.callId) && !taken.has(part.callId)
    const callId = isUsable ? part.callId : (`call_${context.nextId()}` as typeof part.callId)
    taken.add(callId)
    return { ...part, callId }
  })
}

export type Reply =
  /** `model`: the one that answered. */
  | { readonly ok: true; readonly reply: ModelReply; readonly model: string; readonly shortenedBy: string | undefined }
  /** `spent`: the limit that has no room for the request. Nothing was asked. */
  | { readonly ok: false; readonly error: ModelError; readonly spent?: string }

/** Shows one try of a request while it streams. */
export interface StreamPreview {
  /** Called with each piece of text as it streams in. */
  delta(part: 'text' | 'thinking', text: string): void
  /** The stream broke. Removes all text of this try. */
  dropped(): void
}

const hidden: StreamPreview = { delta: () => {}, dropped: () => {} }

/** What a request needs of the thread that it is about. */
export interface AskContext extends Pick<LoopContext, 'reserve' | 'retry' | 'live' | 'clock' | 'random' | 'waits'> {
  readonly models: Pick<LoopContext['models'], 'gateFor' | 'clientOf'>
}

/** Gets one complete reply and retries after temporary errors. Throws only the abort reason and bugs. */
export async function askModel(
  context: AskContext,
  given: ModelRequest | (() => ModelRequest),
  signal: AbortSignal,
  {
    show = () => hidden,
    retry = context.retry,
  }: { readonly show?: () => StreamPreview; readonly retry?: RetryPolicy } = {},
): Promise<Reply> {
  using sleep = noticeSleep(context, signal)
  for (let attempt = 1; ; attempt += 1) {
    const showing = show()
    // Made anew for each try, because a person may have switched the model meanwhile.
    const request = typeof given === 'function' ? given() : given
    const reserved = await context.reserve(request, signal)
    if (!reserved.ok) {
      showing.dropped()
      return { ok: false, error: new ModelError('forbidden', reserved.spent), spent: reserved.spent }
    }
    const { maxTokens, shortenedBy } = reserved
    try {
      const reply = await receive(context, { ...request, maxTokens }, showing, signal, sleep)
      reserved.replied(reply.usage)
      return { ok: true, reply, model: request.model, shortenedBy }
    } catch (error) {
      reserved.failed()
      if (signal.aborted || !(error instanceof ModelError)) throw error
      showing.dropped()
      // Tries that failed because the machine slept count for nothing.
      if (sleep.takeSlept()) attempt = 1
      const delayMs = retryDelay(retry, error, attempt, context.random())
      if (delayMs === null) return { ok: false, error }
      context.live({ type: 'model.retrying', attempt, delayMs, reason: error.message, cause: error.code })
      await pause(context, delayMs, signal)
    }
  }
}

/** Waits, or less when a person wants the next try at once. */
async function pause(context: AskContext, delayMs: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  try {
    await Promise.race([context.clock.sleep(delayMs, either), context.waits.retried(either)])
  } finally {
    over.abort()
  }
}

async function receive(
  context: AskContext,
  request: ModelRequest,
  showing: StreamPreview,
  signal: AbortSignal,
  sleep: SleepNotice,
): Promise<ModelReply> {
  const { model } = request
  using _place = await context.models
    .gateFor(model)
    .enter((ahead) => context.live({ type: 'model.waiting', ahead }), signal)
  for await (const event of context.models.clientOf(model).stream(request, sleep.watch())) {
    signal.throwIfAborted()
    sleep.heard()
    if (event.type === 'reply') return event.reply
    showing.delta(event.type, event.text)
  }
  throw new ModelError('cut', 'The model ended its answer before it was complete.')
}

export interface RequestParts {
  /** The system prompt; empty when there is none. */
  readonly system: string
  /** In the fixed order of the thread's prompt. */
  readonly toolSpecs: readonly ToolSpec[]
  /** Messages of the parent that come before the thread's own. */
  readonly inherited: readonly RequestMessage[]
  /** Builds the request's messages from the thread. */
  readonly conversation: Conversation
  /** `maxTokens` limits the reply. The others are null for the model's own default. */
  readonly limits: Pick<RunLimits, 'maxTokens' | 'temperature' | 'topP' | 'topK' | 'effort' | 'thinking' | 'caching'>
}

/** The next request to the model for a thread. */
export function requestFor(thread: ThreadState, parts: RequestParts): ModelRequest {
  const { system, toolSpecs, inherited, conversation } = parts
  const { maxTokens, temperature, topP, topK, caching } = parts.limits
  const thinking = thread.thinking ?? parts.limits.thinking
  const own = conversation(thread)
  const messages = inherited.length === 0 ? own : inherited.concat(own)
  return {
    model: answeringModel(thread),
    system,
    tools: toolSpecs,
    messages,
    maxTokens,
    temperature,
    ...(topP !== null && { topP }),
    ...(topK !== null && { topK }),
    effort: thread.commands?.findLast(({ effort }) => effort !== null)?.effort ?? thread.effort ?? parts.limits.effort,
    ...(thinking !== null && { thinking }),
    ...(thread.answerSchema && { outputSchema: thread.answerSchema }),
    ...(!caching && { caching }),
  }
}

/**
 * Milliseconds before try `attempt + 1`, or null to give up. The server's wish is obeyed; otherwise the wait grows
 * exponentially. `random` (0–1) removes up to half of it, so that parallel agents do not return together.
 */
export function retryDelay(policy: RetryPolicy, error: ModelError, attempt: number, random: number): number | null {
  if (!error.retryable || attempt >= policy.attempts) return null
  if (error.retryAfterMs !== null) return Math.min(error.retryAfterMs, policy.maxDelayMs)
  const delay = Math.min(policy.baseDelayMs * 2 ** (attempt - 1), policy.maxDelayMs)
  return Math.round(delay * (1 - random / 2))
}
