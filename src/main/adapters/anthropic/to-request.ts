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
import type { Extra } from './dialect.ts'
import { findModel } from './models.ts'

type Body = Anthropic.MessageCreateParamsStreaming & { temperature?: number }
type ContentBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam
type UserBlock = ContentBlock | Anthropic.ToolResultBlockParam

type CacheMark = { readonly cache_control?: { readonly type: 'ephemeral' } }

/**
 * The request in the provider's shape, without the parts that the server refuses. It sets three cache breakpoints:
 * tools, system prompt and end of the conversation.
 */
export function toRequest(request: ModelRequest, refused: ReadonlySet<Extra> = new Set()): Body {
  const known = findModel(request.model)
  if (request.temperature !== null && known && !known.temperature) {
    throw new ModelError('bad_request', `${known.name} takes no temperature. Remove it, or choose another model.`)
  }
  const mark: CacheMark =
    refused.has('caching') || request.caching === false ? {} : { cache_control: { type: 'ephemeral' } }
  return {
    model: request.model,
    max_tokens: known ? Math.min(request.maxTokens, known.maxOutput) : request.maxTokens,
    stream: true,
    messages: withMark(request.messages.flatMap(toMessage), mark),
    ...(request.system && { system: [{ type: 'text', text: request.system, ...mark }] }),
    ...(request.tools.length > 0 && {
      tools: request.tools.map((tool, index, all) => toTool(tool, index === all.length - 1 ? mark : {})),
    }),
    ...(request.toolChoice && request.tools.length > 0 && { tool_choice: { type: request.toolChoice } }),
    ...(request.temperature !== null && { temperature: request.temperature }),
    ...outputConfig(request, refused, known !== undefined),
    ...(known?.adaptiveThinking &&
      !refused.has('thinking') && { thinking: { type: 'adaptive', display: 'summarized' } }),
  }
}

/** Only the provider's own models promise an answer that fits a schema. */
function outputConfig({ effort, outputSchema }: ModelRequest, refused: ReadonlySet<Extra>, isOwn: boolean) {
  const chosen = effort !== null && !refused.has('effort') ? { effort } : {}
  const format =
    outputSchema && isOwn && !refused.has('format')
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

interface UserMessage {
  readonly role: 'user'
  readonly content: UserBlock[]
}
interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: Anthropic.ContentBlockParam[]
}

/** Leaves out a message without content, because the provider would refuse it. */
function toMessage(message: RequestMessage): (UserMessage | AssistantMessage)[] {
  const made: UserMessage | AssistantMessage =
    message.role === 'assistant'
      ? { role: 'assistant', content: withoutLastThoughts(message.content.flatMap(toAssistantBlock)) }
      : { role: 'user', content: message.content.flatMap(toUserBlock) }
  return made.content.length > 0 ? [made] : []
}

/**
 * Drops thoughts at the end of a message, as in a reply that was cut. The provider refuses a message that ends with
 * one.
 */
function withoutLastThoughts(blocks: Anthropic.ContentBlockParam[]): Anthropic.ContentBlockParam[] {
  return blocks.slice(0, blocks.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking') + 1)
}

function withMark(messages: (UserMessage | AssistantMessage)[], mark: CacheMark): Anthropic.MessageParam[] {
  const last = messages.at(-1)
  if (last?.role !== 'user') return messages
  const content = last.content.map((block, index, all) => (index === all.length - 1 ? { ...block, ...mark } : block))
  return [...messages.slice(0, -1), { role: 'user', content }]
}

function toUserBlock(part: RequestPart): UserBlock[] {
  if (part.type !== 'tool_result') return toContent(part)
  return [
    { type: 'tool_result', tool_use_id: part.callId, content: part.content.flatMap(toContent), is_error: part.isError },
  ]
}

/** Leaves out blank texts, because the provider refuses them. */
function toContent(part: UserPart): ContentBlock[] {
  if (part.type === 'text') return textBlocks(part.text)
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
      // No signature: the reply was cut during its thoughts, or it comes from another maker's server.
      return part.signature === '' ? [] : [{ type: 'thinking', thinking: part.text, signature: part.signature }]
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: part.data }]
    case 'tool_call':
      return [{ type: 'tool_use', id: part.callId, name: part.name, input: part.input }]
  }
}
