import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { ModelStreamEvent } from '#core/ports/model-client.ts'
import type { AssistantPart, StopReason } from '#shared/model/message.ts'
import { costOf, type ModelFacts, type PricedTokens } from '#shared/model/models/model-facts.ts'
import type { ReplyBuilder } from '../model-http/stream-reply.ts'
import { toToolCall } from '../model-http/tool-input.ts'

type Delta = NonNullable<ChatCompletionChunk['choices'][number]>['delta'] & {
  /** How servers call the text of thoughts. */
  readonly reasoning_content?: unknown
  readonly reasoning?: unknown
  readonly refusal?: string | null
}

interface Call {
  id: string
  name: string
  json: string
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
}

/** Builds the reply from the chunks of a stream. The usage may come after the last one, or never. `facts`: for the price. */
export function createCompletionBuilder(
  facts: Pick<ModelFacts, 'prices' | 'longPrompt'>,
): ReplyBuilder<ChatCompletionChunk> {
  const calls = new Map<number, Call>()
  let [text, thoughts, refusal] = ['', '', '']
  let finish: string | undefined
  let tokens: PricedTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

  const show = (type: 'text' | 'thinking', piece: string): readonly ModelStreamEvent[] =>
    piece === '' ? [] : [{ type, text: piece }]

  return {
    accept(chunk) {
      if (chunk.usage) tokens = tokensOf(chunk.usage)
      const choice = chunk.choices?.[0]
      if (!choice) return []
      const delta: Delta = choice.delta ?? {}
      const [thought, said, refused] = [thoughtIn(delta), delta.content ?? '', delta.refusal ?? '']
      thoughts += thought
      text += said
      refusal += refused
      for (const call of delta.tool_calls ?? []) grow(calls, call)
      if (choice.finish_reason) finish = choice.finish_reason
      return [...show('thinking', thought), ...show('text', said), ...show('text', refused)]
    },
    isComplete: () => finish !== undefined,
    reply() {
      const made = [...calls].sort(([a], [b]) => a - b).map(([, call]) => call)
      const stopReason = reasonOf(finish, made.length > 0, refusal !== '')
      // A call that was cut is no call. Calls that the server ended otherwise are complete.
      const kept = stopReason === 'tool_use' ? made : []
      const content: AssistantPart[] = [
        ...(thoughts === '' ? [] : [{ type: 'thinking', text: thoughts, signature: '' } as const]),
        ...(text + refusal === '' ? [] : [{ type: 'text', text: text + refusal } as const]),
        ...kept.map((call, index) => toToolCall({ ...call, id: call.id || `call_${index + 1}` })),
      ]
      return { content, stopReason, usage: { modelCalls: 1, ...tokens, cost: costOf(tokens, facts) } }
    },
  }
}

/** Some servers end with `stop` although the model called tools. */
function reasonOf(finish: string | undefined, hasCalls: boolean, isRefused: boolean): StopReason {
  if (isRefused) return 'refusal'
  const reason = stopReasons[finish ?? ''] ?? 'unknown'
  return hasCalls && reason === 'end_turn' ? 'tool_use' : reason
}

function thoughtIn({ reasoning_content: content, reasoning }: Delta): string {
  if (typeof content === 'string') return content
  return typeof reasoning === 'string' ? reasoning : ''
}

/** A call comes in pieces: its name and id first, its arguments after. Some servers send all of it at once, without an index. */
function grow(calls: Map<number, Call>, piece: NonNullable<Delta['tool_calls']>[number]): void {
  const index = piece.index ?? indexFor(calls, piece.id)
  const call = calls.get(index) ?? { id: '', name: '', json: '' }
  calls.set(index, call)
  if (piece.id) call.id = piece.id
  if (piece.function?.name && call.name === '') call.name = piece.function.name
  call.json += piece.function?.arguments ?? ''
}

/** Without an index, a piece with another id begins another call. */
function indexFor(calls: ReadonlyMap<number, Call>, id: string | undefined): number {
  const last = calls.size - 1
  return last >= 0 && (!id || calls.get(last)?.id === id) ? last : calls.size
}

type ReportedUsage = NonNullable<ChatCompletionChunk['usage']> & {
  /** How one maker reports its cache. */
  readonly prompt_cache_hit_tokens?: number
}

/** Cached input is part of the prompt here, and apart from it in the app. */
function tokensOf(usage: ReportedUsage): PricedTokens {
  const prompt = usage.prompt_tokens ?? 0
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0
  const cacheReadTokens = Math.min(cached, prompt)
  return {
    inputTokens: prompt - cacheReadTokens,
    outputTokens: usage.completion_tokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens: 0,
  }
}
