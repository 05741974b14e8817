import type Anthropic from '@anthropic-ai/sdk'
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema.mjs'
import {
  ModelError,
  type ModelRequest,
  type RequestMessage,
  type RequestPart,
  type ToolSpec,
} from '#core/ports/model-client.ts'
import type { AssistantPart, UserPart } from '#shared/model/message.ts'
import type { ModelFacts } from '#shared/model/models/model-facts.ts'
import { isThought, replyLimit, samplingOf, unseenImage } from '../model-http/request-rules.ts'
import { nineLetters } from '../model-http/workarounds.ts'
import type { Extra } from './dialect.ts'

type Body = Anthropic.MessageCreateParamsStreaming & { temperature?: number; top_p?: number; top_k?: number }
type ContentBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam
type UserBlock = ContentBlock | Anthropic.ToolResultBlockParam

type CacheMark = { readonly cache_control?: { readonly type: 'ephemeral' } }

/**
 * The request in the provider's shape, without the parts that the server refuses. It sets three cache breakpoints:
 * tools, system prompt and end of the conversation.
 */
export function toRequest(request: ModelRequest, facts: ModelFacts, refused: ReadonlySet<string> = new Set()): Body {
  const { name, can } = facts
  if (request.temperature !== null && !can.temperature)
    throw new ModelError('bad_request', `${name} takes no temperature. Remove it, or choose another model.`)
  const isCached = can.caching && request.caching !== false && !refused.has('caching')
  const mark: CacheMark = isCached ? { cache_control: { type: 'ephemeral' } } : {}
  const toolMark: CacheMark = refused.has('tool_caching') ? {} : mark
  const seesImages = can.images && !refused.has('images')
  return {
    model: request.model,
    max_tokens: replyLimit(request.maxTokens, facts),
    stream: true,
    messages: withMark(
      request.messages.flatMap((message) => toMessage(withIds(message, refused), seesImages)),
      mark,
    ),
    ...(request.system.trim() !== '' && { system: [{ type: 'text', text: request.system, ...mark }] }),
    ...(request.tools.length > 0 &&
      can.tools && {
        tools: request.tools.map((tool, index, all) => toTool(tool, index === all.length - 1 ? toolMark : {})),
      }),
    ...(request.toolChoice &&
      request.tools.length > 0 &&
      can.tools &&
      !refused.has('tool_choice') && { tool_choice: { type: request.toolChoice } }),
    ...samplingOf(request, facts, refused),
    ...outputConfig(request, refused, can),
    ...(!refused.has('thinking') && thinkingConfig(request, can)),
  }
}

/** The parts of a request that a server may refuse. */
export function partsSent(body: Body): ReadonlySet<Extra> {
  const { tools = [], system, messages } = body
  const [lastTool] = tools.slice(-1)
  const marked = [system, messages.at(-1)?.content].some(
    (content) => Array.isArray(content) && content.some((block) => 'cache_control' in block),
  )
  const sent: Readonly<Record<Extra, boolean>> = {
    tool_caching: lastTool !== undefined && 'cache_control' in lastTool,
    caching: marked,
    thinking: body.thinking !== undefined,
    effort: body.output_config?.effort !== undefined,
    format: body.output_config?.format !== undefined,
    temperature: body.temperature !== undefined,
    top_p: body.top_p !== undefined,
    top_k: body.top_k !== undefined,
    images: hasImages(messages),
    tool_choice: body.tool_choice !== undefined,
    call_ids: messages.some(
      ({ content }) =>
        Array.isArray(content) &&
        content.some((block) => block.type === 'tool_use' && nineLetters(block.id) !== block.id),
    ),
  }
  return new Set((Object.keys(sent) as Extra[]).filter((part) => sent[part]))
}

function hasImages(messages: Body['messages']): boolean {
  const isImage = (block: { readonly type: string }): boolean =>
    block.type === 'image' ||
    (block.type === 'tool_result' && 'content' in block && Array.isArray(block.content) && block.content.some(isImage))
  return messages.some(({ content }) => typeof content !== 'string' && content.some(isImage))
}

function thinkingConfig({ thinking }: ModelRequest, can: ModelFacts['can']): Pick<Body, 'thinking'> {
  if (can.thinking === 'none' || (can.thinking === 'optional' && thinking !== true)) return {}
  if (thinking === false && can.thinking === 'adaptive') return { thinking: { type: 'disabled' } }
  return { thinking: { type: 'adaptive', display: 'summarized' } }
}

/** A schema goes only to a model of which somebody says that its answers fit one. */
function outputConfig({ effort, outputSchema }: ModelRequest, refused: ReadonlySet<string>, can: ModelFacts['can']) {
  const chosen = effort !== null && !refused.has('effort') ? { effort } : {}
  const format =
    outputSchema && can.schemas && !refused.has('format')
      ? { format: { type: 'json_schema' as const, schema: transformJSONSchema(structuredClone(outputSchema)) } }
      : {}
  const config = { ...chosen, ...format }
  return Object.keys(config).length > 0 ? { output_config: config } : {}
}

function toTool(tool: ToolSpec, mark: CacheMark): Anthropic.Tool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { type: 'object', ...tool.inputSchema },
    ...mark,
  }
}

/** The message with ids of nine letters for a server that takes no others. */
function withIds(message: RequestMessage, refused: ReadonlySet<string>): RequestMessage {
  if (!refused.has('call_ids')) return message
  const mend = <Part extends { readonly type: string }>(part: Part): Part =>
    'callId' in part ? { ...part, callId: nineLetters(String(part.callId)) } : part
  return message.role === 'assistant'
    ? { ...message, content: message.content.map(mend) }
    : { ...message, content: message.content.map(mend) }
}

interface UserMessage {
  readonly role: 'user'
  readonly content: UserBlock[]
}
interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: Anthropic.ContentBlockParam[]
}

/** Leaves out a message without content, because the provider would refuse it. */
function toMessage(message: RequestMessage, seesImages: boolean): (UserMessage | AssistantMessage)[] {
  const made: UserMessage | AssistantMessage =
    message.role === 'assistant'
      ? { role: 'assistant', content: withoutLastThoughts(message.content.flatMap(toAssistantBlock)) }
      : { role: 'user', content: message.content.flatMap((part) => toUserBlock(part, seesImages)) }
  return made.content.length > 0 ? [made] : []
}

/**
 * Drops thoughts at the end of a message, as in a reply that was cut. The provider refuses a message that ends with
 * one.
 */
function withoutLastThoughts(blocks: Anthropic.ContentBlockParam[]): Anthropic.ContentBlockParam[] {
  return blocks.slice(0, blocks.findLastIndex((block) => !isThought(block)) + 1)
}

function withMark(messages: (UserMessage | AssistantMessage)[], mark: CacheMark): Anthropic.MessageParam[] {
  const last = messages.at(-1)
  if (last?.role !== 'user') return messages
  const content = last.content.map((block, index, all) => (index === all.length - 1 ? { ...block, ...mark } : block))
  return [...messages.slice(0, -1), { role: 'user', content }]
}

function toUserBlock(part: RequestPart, seesImages: boolean): UserBlock[] {
  if (part.type !== 'tool_result') return toContent(part, seesImages)
  const content = part.content.flatMap((one) => toContent(one, seesImages))
  return [{ type: 'tool_result', tool_use_id: part.callId, content, is_error: part.isError }]
}

/** Leaves out blank texts, because the provider refuses them. */
function toContent(part: UserPart, seesImages: boolean): ContentBlock[] {
  if (part.type === 'text') return textBlocks(part.text)
  if (!seesImages) return textBlocks(unseenImage)
  return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }]
}

function textBlocks(text: string): Anthropic.TextBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function toAssistantBlock(part: AssistantPart): Anthropic.ContentBlockParam[] {
  switch (part.type) {
    case 'text':
      return textBlocks(part.text)
    case 'thinking':
      // What another protocol attached has no place here.
      return part.text === '' && part.signature === ''
        ? []
        : [{ type: 'thinking', thinking: part.text, signature: part.signature }]
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: part.data }]
    case 'tool_call':
      return [{ type: 'tool_use', id: part.callId, name: part.name, input: part.input }]
  }
}
