import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { ModelStreamEvent } from '#core/ports/model-client.ts'
import type { JsonObject } from '#shared/base/json.ts'
import { readText, type SentPart } from '../model-http/check-reply.ts'
import { type ReportedTokens, readCount } from '../model-http/count-tokens.ts'
import { isWhole, readStopReason, withCalls } from '../model-http/stop-reason.ts'
import type { ReplyBuilder } from '../model-http/stream-reply.ts'
import { attachedIn, joinAttached } from './attached.ts'
import { type CallPiece, createCallCollector } from './collect-calls.ts'

/** What a chunk adds. Servers of other makers have fields of their own, and some fields in other shapes. */
interface Delta {
  readonly content?: unknown
  readonly refusal?: unknown
  readonly tool_calls?: readonly CallPiece[] | null
  /** The one call of the protocol's first years. */
  readonly function_call?: CallPiece['function']
  /** How servers call the text of thoughts. */
  readonly reasoning_content?: unknown
  readonly reasoning?: unknown
  readonly reasoning_details?: unknown
}

/** Builds the reply from the chunks of a stream. The usage may come after the last one, or never. */
export function createCompletionBuilder(): ReplyBuilder<ChatCompletionChunk> {
  const collector = createCallCollector()
  let [text, thoughts, refusal] = ['', '', '']
  let finish: unknown
  let attached: JsonObject | null = null
  let tokens: ReportedTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

  const show = (type: 'text' | 'thinking', piece: string): readonly ModelStreamEvent[] =>
    piece === '' ? [] : [{ type, text: piece }]

  return {
    accept(chunk) {
      if (chunk.usage) tokens = tokensOf(chunk.usage)
      const choice = chunk.choices?.[0]
      if (!choice) return []
      const delta = deltaOf(choice)
      const [thought, said, refused] = [thoughtIn(delta), joinTexts(delta.content), readText(delta.refusal)]
      thoughts += thought
      text += said
      refusal += refused
      attached = joinAttached(attached, attachedIn(delta))
      for (const piece of delta.tool_calls ?? []) collector.add(piece)
      if (delta.function_call) collector.add({ index: 0, function: delta.function_call })
      if (choice.finish_reason) finish = choice.finish_reason
      return [...show('thinking', thought), ...show('text', said), ...show('text', refused)]
    },
    isComplete: () => finish !== undefined,
    reply() {
      const reason = refusal === '' ? readStopReason(finish) : 'refusal'
      const content: SentPart[] = [
        ...(thoughts === '' && attached === null
          ? []
          : [{ type: 'thinking', text: thoughts, signature: '', attached } as const]),
        { type: 'text', text: text + refusal },
        ...collector.calls().filter((call) => isWhole(call, reason)),
      ]
      return { content, stopReason: withCalls(reason, content), tokens }
    },
  }
}

/** A server that does not stream sends all of its message at once, under another name. */
function deltaOf(choice: { readonly delta?: Delta | null; readonly message?: Delta | null }): Delta {
  return choice.delta ?? choice.message ?? {}
}

/** Servers that change from one name to another send the same text under both. */
function thoughtIn({ reasoning_content: content, reasoning, reasoning_details: details }: Delta): string {
  return readText(content) || readText(reasoning) || joinTexts(Array.isArray(details) ? details : '')
}

/** A text, which some servers send as a list of parts. */
function joinTexts(sent: unknown): string {
  if (!Array.isArray(sent)) return readText(sent)
  return sent.map((part: { readonly text?: unknown } | null) => readText(part?.text)).join('')
}

/** The usage of a chunk, in the fields of several makers. */
interface ReportedUsage {
  readonly prompt_tokens?: unknown
  readonly completion_tokens?: unknown
  readonly prompt_tokens_details?: { readonly cached_tokens?: unknown } | null
  readonly prompt_cache_hit_tokens?: unknown
}

/** Cached input is part of the prompt here, and apart from it in the app. */
function tokensOf(usage: ReportedUsage): ReportedTokens {
  const prompt = readCount(usage.prompt_tokens) ?? 0
  const cached = readCount(usage.prompt_tokens_details?.cached_tokens) ?? readCount(usage.prompt_cache_hit_tokens) ?? 0
  const cacheReadTokens = Math.min(cached, prompt)
  return {
    inputTokens: prompt - cacheReadTokens,
    outputTokens: usage.completion_tokens,
    cacheReadTokens,
    cacheWriteTokens: 0,
  }
}
