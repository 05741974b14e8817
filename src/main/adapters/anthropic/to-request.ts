import type Anthropic from '@anthropic-ai/sdk'
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
 * The request in the provider's shape, without what the server refuses. Three cache breakpoints: tools, system prompt, end of the
 * conversation.
 */
export function toRequest(request: ModelRequest, refused: ReadonlySet<Extra> = new Set()): Body {
  const known = findModel(request.model)
  if (request.temperature !== null && known && !known.temperature) {
    throw new ModelError('bad_request', `${known.name} takes no temperature. Remove it, or choose another model.`)
  }
  const mark: CacheMark = refused.has('caching') ? {} : { cache_control: { type: 'ephemeral' } }
  return {
    model: request.model,
    max_tokens: known ? Math.min(request.maxTokens, known.maxOutput) : request.maxTokens,
    stream: true,
    messages: request.messages.map((message, index, all) => toMessage(message, index === all.length - 1 ? mark : {})),
    ...(request.system && { system: [{ type: 'text', text: request.system, ...mark }] }),
    ...(request.tools.length > 0 && {
      tools: request.tools.map((tool, index, all) => toTool(tool, index === all.length - 1 ? mark : {})),
    }),
    ...(request.temperature !== null && { temperature: request.temperature }),
    ...(request.effort !== null && !refused.has('effort') && { output_config: { effort: request.effort } }),
    ...(known?.adaptiveThinking &&
      !refused.has('thinking') && { thinking: { type: 'adaptive', display: 'summarized' } }),
  }
}

function toTool(tool: ToolSpec, mark: CacheMark): Anthropic.Tool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { type: 'object', ...tool.inputSchema },
    ...mark,
  }
}

function toMessage(message: RequestMessage, mark: CacheMark): Anthropic.MessageParam {
  if (message.role === 'assistant') return { role: 'assistant', content: message.content.flatMap(toAssistantBlock) }
  return { role: 'user', content: marked(message.content.flatMap(toUserBlock), mark) }
}

function marked(blocks: UserBlock[], mark: CacheMark): UserBlock[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...mark } : block))
}

function toUserBlock(part: RequestPart): UserBlock[] {
  if (part.type !== 'tool_result') return toContent(part)
  return [
    { type: 'tool_result', tool_use_id: part.callId, content: part.content.flatMap(toContent), is_error: part.isError },
  ]
}

/** Empty texts are refused by the provider, so they are left out. */
function toContent(part: UserPart): ContentBlock[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
  return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }]
}

function toAssistantBlock(part: AssistantPart): Anthropic.ContentBlockParam[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'thinking':
      return [{ type: 'thinking', thinking: part.text, signature: part.signature }]
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: part.data }]
    case 'tool_call':
      return [{ type: 'tool_use', id: part.callId, name: part.name, input: part.input }]
  }
}
