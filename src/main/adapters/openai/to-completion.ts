import { createHash } from 'node:crypto'
import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
  ChatCompletionTool,
} from 'openai/resources/chat/completions'
import {
  ModelError,
  type ModelRequest,
  type RequestMessage,
  type RequestPart,
  type ToolSpec,
} from '#core/ports/model-client.ts'
import { isJsonObject, type JsonObject } from '#shared/base/json.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { AssistantPart, UserPart } from '#shared/model/message.ts'
import type { ModelAbilities, ModelFacts } from '#shared/model/models/model-facts.ts'
import { imagesPart, partNamed, type RefusableParts, samplingParts } from '../model-http/refusals.ts'
import { replyLimit, samplingOf, unseenImage } from '../model-http/request-rules.ts'
import {
  callIds,
  nineLetters,
  noSignature,
  noThoughts,
  nullContent,
  ownIds,
  systemRole,
  userAfterTool,
} from '../model-http/workarounds.ts'
import { attachedIn, attachedName, isOddId } from './attached.ts'

/** The request. Fields that only other makers know, such as `reasoning_content`, are in its messages but not in the type. */
export type CompletionBody = ChatCompletionCreateParamsStreaming & { top_k?: number }

/** Parts of the protocol that a server may lack. */
export type CompletionPart =
  | 'usage'
  | 'temperature'
  | 'top_p'
  | 'top_k'
  | 'effort'
  | 'format'
  | 'images'
  | 'tool_choice'
  | 'thoughts'
  | 'max_completion_tokens'
  | 'own_ids'
  | 'call_ids'
  | 'null_content'
  | 'user_after_tool'
  | 'no_thoughts'
  | 'no_signature'
  | 'system_role'
  | 'attached'

/** How servers name these parts. */
export const refusableParts: RefusableParts<CompletionPart> = {
  usage: partNamed(/stream_options|include_usage/i),
  ...samplingParts,
  effort: partNamed(/reasoning_effort|reasoning effort|\beffort\b/i),
  format: partNamed(/response_format|json_schema|structured output/i),
  images: imagesPart,
  tool_choice: partNamed(/tool_choice|tool choice/i),
  thoughts: partNamed(/reasoning_content/i),
  max_completion_tokens: partNamed(/max_completion_tokens/i),
  own_ids: ownIds,
  call_ids: callIds,
  null_content: nullContent,
  user_after_tool: userAfterTool,
  no_thoughts: noThoughts,
  no_signature: noSignature,
  system_role: systemRole,
  attached: partNamed(attachedName),
}

/**
 * The request as chat completions, without the parts that the server refuses. Cache marks have no counterpart,
 * because these servers cache by themselves. What a maker attached goes back as it came.
 */
export function toCompletion(
  request: ModelRequest,
  facts: ModelFacts,
  refused: ReadonlySet<string> = new Set(),
): CompletionBody {
  const { name, can } = facts
  if (request.temperature !== null && !can.temperature)
    throw new ModelError('bad_request', `${name} takes no temperature. Remove it, or choose another model.`)
  const limit = replyLimit(request.maxTokens, facts)
  const seesImages = can.images && !refused.has('images')
  const options = { seesImages, refused, ownIds: ownIdsIn(request, refused) }
  return {
    model: request.model,
    stream: true,
    messages: [
      ...inRoles(
        [...systemOf(request), ...request.messages.flatMap((message) => toMessages(message, options))],
        refused,
      ),
    ],
    ...(refused.has('max_completion_tokens') ? { max_tokens: limit } : { max_completion_tokens: limit }),
    ...(!refused.has('usage') && { stream_options: { include_usage: true } }),
    ...(request.tools.length > 0 && can.tools && toolsOf(request, refused)),
    ...samplingOf(request, facts, refused),
    ...(!refused.has('effort') && effortOf(request, can)),
    ...(request.outputSchema && can.schemas && !refused.has('format') && formatOf(request.outputSchema)),
  }
}

function toolsOf({ tools, toolChoice }: ModelRequest, refused: ReadonlySet<string>) {
  return {
    tools: tools.map(toTool),
    ...(toolChoice && !refused.has('tool_choice') && { tool_choice: toolChoice }),
  }
}

function toTool({ name, description, inputSchema }: ToolSpec): ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters: { type: 'object', ...inputSchema } } }
}

/**
 * Only a model that is known to think is asked not to. An effort is sent to every model, also to one without known
 * efforts, because the facts do not tell "none" from "unknown". A server that does not know efforts says so.
 */
function effortOf({ effort, thinking }: ModelRequest, can: ModelAbilities): Pick<CompletionBody, 'reasoning_effort'> {
  if (thinking === false && (can.thinking === 'adaptive' || can.thinking === 'optional'))
    return { reasoning_effort: 'none' }
  return effort === null ? {} : { reasoning_effort: effort }
}

function formatOf(schema: NonNullable<ModelRequest['outputSchema']>): Pick<CompletionBody, 'response_format'> {
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }
}

/** The parts of a request that a server may refuse. */
export function partsSent(body: CompletionBody): ReadonlySet<CompletionPart> {
  const sent: Readonly<Record<CompletionPart, boolean>> = {
    usage: body.stream_options != null,
    temperature: body.temperature != null,
    top_p: body.top_p != null,
    top_k: body.top_k != null,
    effort: body.reasoning_effort != null,
    format: body.response_format !== undefined,
    images: body.messages.some(hasImage),
    tool_choice: body.tool_choice !== undefined,
    thoughts: body.messages.some((message) => 'reasoning_content' in message),
    own_ids: callsIn(body).some(({ id }) => isOddId(id)),
    call_ids: callsIn(body).some(({ id }) => nineLetters(id) !== id),
    null_content: body.messages.some(({ role, content }) => role === 'assistant' && content === null),
    user_after_tool: body.messages.some(({ role }, at) => role === 'user' && body.messages[at - 1]?.role === 'tool'),
    no_thoughts: body.messages.some((message) => message.role === 'assistant' && !('reasoning_content' in message)),
    no_signature: callsIn(body).some((call) => attachedIn(call) === null),
    system_role: body.messages.some(({ role }) => role === 'system'),
    attached: body.messages.some(
      (message) => attachedIn(message) !== null || ('tool_calls' in message && message.tool_calls?.some(hasAttached)),
    ),
    max_completion_tokens: body.max_completion_tokens != null,
  }
  return new Set((Object.keys(sent) as CompletionPart[]).filter((part) => sent[part]))
}

function callsIn({ messages }: CompletionBody): readonly ChatCompletionMessageToolCall[] {
  return messages.flatMap((message) => ('tool_calls' in message ? (message.tool_calls ?? []) : []))
}

function hasAttached(call: ChatCompletionMessageToolCall): boolean {
  return attachedIn(call) !== null || ('function' in call && attachedIn(call.function) !== null)
}

function hasImage({ content }: ChatCompletionMessageParam): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === 'image_url')
}

interface MessageOptions {
  readonly seesImages: boolean
  /** What the server refused before. */
  readonly refused: ReadonlySet<string>
  /** By the app's id of a call: the odd id that the model itself gave to it, which other servers would refuse. */
  readonly ownIds: ReadonlyMap<ToolCallId, string>
}

const refusedIds = ['own_ids', 'call_ids', 'attached'] as const

function ownIdsIn({ messages }: ModelRequest, refused: ReadonlySet<string>): ReadonlyMap<ToolCallId, string> {
  if (refusedIds.some((part) => refused.has(part))) return new Map()
  const parts = messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []))
  return new Map(
    parts.flatMap((part): [ToolCallId, string][] =>
      part.type === 'tool_call' && typeof part.attached?.id === 'string' ? [[part.callId, part.attached.id]] : [],
    ),
  )
}

/** One message may become several: each result of a call is a message of its own here. */
function toMessages(message: RequestMessage, options: MessageOptions): readonly ChatCompletionMessageParam[] {
  return message.role === 'assistant' ? fromAssistant(message.content, options) : fromUser(message.content, options)
}

/** Leaves out a message without content, because servers refuse it. */
function fromAssistant(parts: readonly AssistantPart[], options: MessageOptions): ChatCompletionMessageParam[] {
  const { refused } = options
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const thoughts = parts.map((part) => (part.type === 'thinking' ? part.text : '')).join('')
  const calls = parts.flatMap((part): ChatCompletionMessageToolCall[] =>
    part.type === 'tool_call' ? [toCall(part, options)] : [],
  )
  if (text.trim() === '' && calls.length === 0) return []
  const attached = parts.flatMap((part) => (part.type === 'thinking' && part.attached ? [part.attached] : []))
  const reasoning = thoughts === '' && refused.has('no_thoughts') ? unknownThoughts : thoughts
  return [
    {
      role: 'assistant',
      content: text === '' && !refused.has('null_content') ? null : text,
      ...(calls.length > 0 && { tool_calls: calls }),
      // Other makers' models need their own thoughts between the calls of one answer.
      ...(!refused.has('thoughts') && reasoning !== '' && { reasoning_content: reasoning }),
      ...(!refused.has('attached') && Object.assign({}, ...attached)),
    },
  ]
}

/** Stands for thoughts that a server demands and nobody has, as those of another maker's model. */
const unknownThoughts = '(not known)'

type ToolCall = Extract<AssistantPart, { type: 'tool_call' }>

function toCall(part: ToolCall, options: MessageOptions): ChatCompletionMessageToolCall {
  const { refused } = options
  const { id: _, ...attached } = refused.has('attached') ? {} : (part.attached ?? {})
  const { function: inner, ...outer } = Object.keys(attached).length > 0 ? attached : placeholderFor(refused)
  return {
    ...outer,
    id: toCallId(part.callId, options),
    type: 'function',
    function: { ...(isJsonObject(inner) && inner), name: part.name, arguments: JSON.stringify(part.input) },
  }
}

/**
 * The signature that Google's documentation names for calls that another model made
 * (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
function placeholderFor(refused: ReadonlySet<string>): JsonObject {
  return refused.has('no_signature')
    ? { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } }
    : {}
}

function systemOf({ system }: ModelRequest): readonly ChatCompletionMessageParam[] {
  return system.trim() === '' ? [] : [{ role: 'system', content: system }]
}

/** The messages in an order of roles that the server takes. */
function inRoles(
  messages: readonly ChatCompletionMessageParam[],
  refused: ReadonlySet<string>,
): ChatCompletionMessageParam[] {
  const spoken = refused.has('system_role')
    ? messages.map((message) => (message.role === 'system' ? { ...message, role: 'user' as const } : message))
    : messages
  const rows = joinRows(spoken as readonly ChatCompletionMessageParam[])
  if (!refused.has('user_after_tool')) return [...rows]
  return rows.flatMap((message, at) =>
    message.role === 'user' && rows[at - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: 'OK.' }, message]
      : [message],
  )
}

/** Joins messages of one speaker in a row, because the templates of many models want the speakers to alternate. */
function joinRows(messages: readonly ChatCompletionMessageParam[]): readonly ChatCompletionMessageParam[] {
  const joined: ChatCompletionMessageParam[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role === 'user' && message.role === 'user')
      joined[joined.length - 1] = { role: 'user', content: joinContent(last.content, message.content) }
    else if (last?.role === 'assistant' && message.role === 'assistant' && !last.tool_calls)
      joined[joined.length - 1] = {
        ...last,
        ...message,
        content: [last.content, message.content].filter(Boolean).join('\n\n'),
      }
    else joined.push(message)
  }
  return joined
}

type Content = string | ChatCompletionContentPart[]

function joinContent(one: Content, other: Content): Content {
  const partsOf = (content: Content): ChatCompletionContentPart[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return typeof one === 'string' && typeof other === 'string'
    ? `${one}\n\n${other}`
    : [...partsOf(one), ...partsOf(other)]
}

/** Results come first, because they answer the calls of the message before. Images cannot be part of a result here. */
function fromUser(parts: readonly RequestPart[], options: MessageOptions): ChatCompletionMessageParam[] {
  const { seesImages } = options
  const results = parts.flatMap((part): ChatCompletionMessageParam[] =>
    part.type === 'tool_result'
      ? [{ role: 'tool', tool_call_id: toCallId(part.callId, options), content: resultText(part, seesImages) }]
      : [],
  )
  const shown = parts.flatMap((part) => (part.type === 'tool_result' ? imagesIn(part.content) : [part]))
  const content = shown.flatMap((part) => toContent(part, seesImages))
  if (content.length === 0) return results
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const isText = texts.length === content.length
  return [...results, { role: 'user', content: isText ? texts.join('\n\n') : content }]
}

function resultText({ content, isError }: Extract<RequestPart, { type: 'tool_result' }>, seesImages: boolean): string {
  const images = imagesIn(content).length
  const notice = seesImages ? 'The image of this result follows.' : unseenImage
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const text = [...texts, ...(images > 0 ? [notice] : [])].join('\n') || '(no text)'
  // The protocol has no mark for a failure.
  return isError && !/^\s*error/i.test(text) ? `Error: ${text}` : text
}

function imagesIn(parts: readonly UserPart[]): readonly UserPart[] {
  return parts.filter(({ type }) => type === 'image')
}

function toContent(part: UserPart, seesImages: boolean): readonly ChatCompletionContentPart[] {
  if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
  if (!seesImages) return [{ type: 'text', text: unseenImage }]
  return [{ type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } }]
}

/** Characters of an id that these servers take. */
const longestId = 40

/** The same id each time. A longer one becomes a short one that depends on all of it. */
function toCallId(callId: ToolCallId, { refused, ownIds }: MessageOptions): string {
  const own = ownIds.get(callId)
  if (own !== undefined) return own
  if (refused.has('call_ids')) return nineLetters(callId)
  if (callId.length <= longestId) return callId
  return `call_${createHash('sha256').update(callId).digest('hex').slice(0, 32)}`
}
