import type Anthropic from '@anthropic-ai/sdk'
import {
  ModelError,
  type ModelRequest,
  type RequestMessage,
  type RequestPart,
  type ToolSpec,
} from '#core/ports/model-client.ts'
import type { AssistantPart, UserPart } from '#shared/model/message.ts'
import { findModel } from './models.ts'

type Body = Anthropic.MessageCreateParamsStreaming & { temperature?: number }
type ContentBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam
type UserBlock = ContentBlock | Anthropic.ToolResultBlockParam

const cached = { cache_control: { type: 'ephemeral' } } as const

/**
 * The request in the provider's shape. Three cache breakpoints: tools, system prompt, end of the conversation; servers
 * that know no cache ignore them.
 */
export function toRequest(request: ModelRequest): Body {
  const known = findModel(request.model)
  if (request.temperature !== null && known && !known.temperature) {
    throw new ModelError('bad_request', `${known.name} takes no temperature. Remove it, or choose another model.`)
  }
  return {
    model: request.model,
    max_tokens: known ? Math.min(request.maxTokens, known.maxOutput) : request.maxTokens,
    stream: true,
    messages: request.messages.map(toMessage),
    ...(request.system && { system: [{ type: 'text', text: request.system, ...cached }] }),
    ...(request.tools.length > 0 && { tools: request.tools.map(toTool) }),
    ...(request.temperature !== null && { temperature: request.temperature }),
    ...(request.effort !== null && { output_config: { effort: request.effort } }),
    ...(known?.adaptiveThinking && { thinking: { type: 'adaptive', display: 'summarized' } }),
  }
}

function toTool(tool: ToolSpec, index: number, tools: readonly ToolSpec[]): Anthropic.Tool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { type: 'object', ...tool.inputSchema },
    ...(index === tools.length - 1 && cached),
  }
}

function toMessage(message: RequestMessage, index: number, all: readonly RequestMessage[]): Anthropic.MessageParam {
  if (message.role === 'assistant') return { role: 'assistant', content: message.content.flatMap(toAssistantBlock) }
  const blocks = message.content.flatMap(toUserBlock)
  return { role: 'user', content: index === all.length - 1 ? withCachedEnd(blocks) : blocks }
}

function withCachedEnd(blocks: UserBlock[]): UserBlock[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...cached } : block))
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
