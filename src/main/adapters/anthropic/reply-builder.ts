import type Anthropic from '@anthropic-ai/sdk'
import { ModelError, type ModelStreamEvent } from '#core/ports/model-client.ts'
import type { AssistantPart, StopReason } from '#shared/model/message.ts'
import { costOf, type ModelFacts } from '#shared/model/models/model-facts.ts'
import type { ReplyBuilder } from '../model-http/stream-reply.ts'
import { readToolInput, toToolCall } from '../model-http/tool-input.ts'
import { mergeUsage, type ReportedUsage, tokensOf } from './usage.ts'

type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | {
      readonly type: 'tool'
      readonly id: string
      readonly name: string
      readonly input: unknown
      json: string
      ended: boolean
    }

const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
  pause_turn: 'pause_turn',
  model_context_window_exceeded: 'context_window_exceeded',
}

/**
 * Builds the reply from the stream's events. Tool input is collected as text and parsed only when complete, because the
 * SDK's helpers turn a cut input into an object that looks valid. `facts`: of the model that was asked, for the price.
 */
export function createReplyBuilder(
  facts: Pick<ModelFacts, 'prices' | 'longPrompt'>,
): ReplyBuilder<Anthropic.RawMessageStreamEvent> {
  const blocks = new Map<number, Block>()
  let usage: ReportedUsage = {}
  let stopReason: StopReason | undefined
  let isOver = false

  return {
    isComplete: () => isOver || stopReason !== undefined,
    accept(event) {
      switch (event.type) {
        case 'message_start':
          usage = mergeUsage(usage, event.message?.usage)
          return nothing
        case 'content_block_start':
          return start(blocks, event.index, event.content_block)
        case 'content_block_delta':
          return grow(blocks.get(event.index), event.delta)
        case 'content_block_stop':
          end(blocks.get(event.index))
          return nothing
        case 'message_delta':
          usage = mergeUsage(usage, event.usage)
          if (event.delta?.stop_reason) stopReason = stopReasons[event.delta.stop_reason] ?? 'unknown'
          return nothing
        case 'message_stop':
          isOver = true
          return nothing
        default:
          return nothing
      }
    },
    reply() {
      const inOrder = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block)
      const reason = stopReason ?? 'unknown'
      const content = inOrder.flatMap((block) => toPart(block, reason) ?? [])
      const tokens = tokensOf(usage)
      return { content, stopReason: reason, usage: { modelCalls: 1, ...tokens, cost: costOf(tokens, facts) } }
    },
  }
}

const nothing: readonly ModelStreamEvent[] = []

function start(
  blocks: Map<number, Block>,
  index: number,
  block: Anthropic.RawContentBlockStartEvent['content_block'],
): readonly ModelStreamEvent[] {
  switch (block.type) {
    case 'text':
      blocks.set(index, { type: 'text', text: block.text ?? '' })
      return block.text ? [{ type: 'text', text: block.text }] : nothing
    case 'thinking':
      blocks.set(index, { type: 'thinking', text: block.thinking ?? '', signature: block.signature ?? '' })
      return block.thinking ? [{ type: 'thinking', text: block.thinking }] : nothing
    case 'redacted_thinking':
      blocks.set(index, { type: 'redacted_thinking', data: block.data })
      return nothing
    case 'tool_use':
      blocks.set(index, { type: 'tool', id: block.id, name: block.name, input: block.input, json: '', ended: false })
      return nothing
    default:
      return nothing
  }
}

function grow(block: Block | undefined, delta: Anthropic.RawContentBlockDelta): readonly ModelStreamEvent[] {
  if (block?.type === 'text' && delta.type === 'text_delta') {
    block.text += delta.text
    return [{ type: 'text', text: delta.text }]
  }
  if (block?.type === 'thinking' && delta.type === 'thinking_delta') {
    block.text += delta.thinking
    return [{ type: 'thinking', text: delta.thinking }]
  }
  if (block?.type === 'thinking' && delta.type === 'signature_delta') block.signature += delta.signature
  if (block?.type === 'tool' && delta.type === 'input_json_delta') block.json += delta.partial_json
  return nothing
}

function end(block: Block | undefined): void {
  if (block?.type === 'tool') block.ended = true
}

function toPart(block: Block, stopReason: StopReason): AssistantPart | undefined {
  switch (block.type) {
    case 'text':
      return block.text === '' ? undefined : { type: 'text', text: block.text }
    case 'thinking':
      return { type: 'thinking', text: block.text, signature: block.signature }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data }
    case 'tool': {
      const json = jsonOf(block)
      if (block.ended && readToolInput(json)) return toToolCall({ ...block, json })
      if (stopReason !== 'tool_use') return undefined
      if (!block.ended) throw new ModelError('malformed', `The tool call ${block.name} ended before it was complete.`)
      return toToolCall({ ...block, json })
    }
  }
}

/** Some servers send the whole input with the start of the block. */
function jsonOf({ json, input }: Extract<Block, { type: 'tool' }>): string {
  return json === '' && input !== undefined ? JSON.stringify(input) : json
}
