import type Anthropic from '@anthropic-ai/sdk'
import { ModelError, type ModelStreamEvent } from '#core/ports/model-client.ts'
import type { StopReason } from '#shared/model/message.ts'
import { readText, type SentPart } from '../model-http/check-reply.ts'
import { isWhole, readStopReason, withCalls } from '../model-http/stop-reason.ts'
import type { ReplyBuilder } from '../model-http/stream-reply.ts'
import { toInputJson } from '../model-http/tool-input.ts'
import { mergeUsage, type ReportedUsage, tokensOf } from './usage.ts'

type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: unknown }
  | {
      readonly type: 'tool'
      readonly id: unknown
      readonly name: unknown
      readonly input: unknown
      json: string
      ended: boolean
    }

interface Placed {
  readonly index: number
  readonly block: Block
}

/**
 * Builds the reply from the stream's events. Tool input is collected as text and parsed only when complete, because the
 * SDK's helpers turn a cut input into an object that looks valid.
 */
export function createReplyBuilder(): ReplyBuilder<Anthropic.RawMessageStreamEvent> {
  const blocks: Placed[] = []
  /** The latest at an index. Some servers give each block the same one. */
  const at = (index: number) => blocks.findLast((one) => one.index === index)?.block
  let usage: ReportedUsage = {}
  let stopReason: unknown
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
          return grow(at(event.index), event.delta)
        case 'content_block_stop':
          end(at(event.index))
          return nothing
        case 'message_delta':
          usage = mergeUsage(usage, event.usage)
          if (event.delta?.stop_reason) stopReason = event.delta.stop_reason
          return nothing
        case 'message_stop':
          isOver = true
          return nothing
        default:
          return nothing
      }
    },
    reply() {
      const inOrder = blocks.toSorted((a, b) => a.index - b.index).map(({ block }) => block)
      const reason = readStopReason(stopReason)
      const content = inOrder.flatMap((block) => toPart(block, reason) ?? [])
      return { content, stopReason: withCalls(reason, content), tokens: tokensOf(usage) }
    },
  }
}

const nothing: readonly ModelStreamEvent[] = []

function start(
  blocks: Placed[],
  index: number,
  block: Anthropic.RawContentBlockStartEvent['content_block'],
): readonly ModelStreamEvent[] {
  switch (block.type) {
    case 'text': {
      const text = readText(block.text)
      blocks.push({ index, block: { type: 'text', text } })
      return show('text', text)
    }
    case 'thinking': {
      const text = readText(block.thinking)
      blocks.push({ index, block: { type: 'thinking', text, signature: readText(block.signature) } })
      return show('thinking', text)
    }
    case 'redacted_thinking':
      blocks.push({ index, block: { type: 'redacted_thinking', data: block.data } })
      return nothing
    case 'tool_use':
      blocks.push({
        index,
        block: { type: 'tool', id: block.id, name: block.name, input: block.input, json: '', ended: false },
      })
      return nothing
    default:
      return nothing
  }
}

function grow(block: Block | undefined, delta: Anthropic.RawContentBlockDelta): readonly ModelStreamEvent[] {
  if (block?.type === 'text' && delta.type === 'text_delta') {
    const text = readText(delta.text)
    block.text += text
    return show('text', text)
  }
  if (block?.type === 'thinking' && delta.type === 'thinking_delta') {
    const text = readText(delta.thinking)
    block.text += text
    return show('thinking', text)
  }
  if (block?.type === 'thinking' && delta.type === 'signature_delta') block.signature += readText(delta.signature)
  if (block?.type === 'tool' && delta.type === 'input_json_delta') block.json += toInputJson(delta.partial_json)
  return nothing
}

function show(type: 'text' | 'thinking', text: string): readonly ModelStreamEvent[] {
  return text === '' ? nothing : [{ type, text }]
}

function end(block: Block | undefined): void {
  if (block?.type === 'tool') block.ended = true
}

/** Undefined for a call that was cut off with the reply. */
function toPart(block: Block, reason: StopReason): SentPart | undefined {
  if (block.type !== 'tool') return block
  const call = { type: 'tool_call', id: block.id, name: block.name, json: jsonOf(block) } as const
  if (!block.ended && reason === 'tool_use')
    throw new ModelError('malformed', `The tool call ${block.name} ended before it was complete.`)
  return block.ended && isWhole(call, reason) ? call : undefined
}

/** Some servers send the whole input with the start of the block. Others send an empty object there. */
function jsonOf({ json, input }: Extract<Block, { type: 'tool' }>): string {
  const whole = json === '' ? toInputJson(input) : json
  return whole === '{}' && json === '' ? '' : whole
}
