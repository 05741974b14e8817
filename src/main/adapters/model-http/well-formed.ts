import { createHash } from 'node:crypto'
import type { ModelRequest, RequestMessage, RequestPart, ToolSpec } from '#core/ports/model-client.ts'
import { offerSchema } from '#shared/base/schemas/tool-schema.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { AssistantPart } from '#shared/model/message.ts'
import { withWholeCharacters } from '#shared/text/whole-characters.ts'

/**
 * The request with nothing in it for which a maker refuses the whole: half characters, names and ids outside the makers'
 * patterns, schemas that are not one object. What a conversation once holds is sent with each of its requests, so what
 * is refused once would end it for good. What needs no mending is passed on as it is.
 */
export function wellFormed(request: ModelRequest): ModelRequest {
  const names = new Set<string>()
  const { tools, messages, ...rest } = request
  return {
    ...withWholeCharacters(rest),
    // A second tool of the same name is refused as well. The model could call only one of them.
    tools: tools.map(toTakenTool).filter(({ name }) => names.size < names.add(name).size),
    messages: messages.map(toTakenMessage),
  }
}

const known = new WeakMap<ToolSpec, ToolSpec>()

function toTakenTool(tool: ToolSpec): ToolSpec {
  const before = known.get(tool)
  if (before) return before
  const { name, description, inputSchema } = withWholeCharacters(tool)
  const taken = { name: toTakenName(name), description, inputSchema: offerSchema(inputSchema).schema }
  known.set(tool, taken)
  return taken
}

/** A model may call a tool by any text. The call has failed then, and stays in the conversation. */
function toTakenName(name: string): string {
  return /^[\w-]{1,64}$/.test(name) ? name : name.replace(/[^\w-]+/g, '_').slice(0, 64) || 'unknown'
}

function toTakenId(callId: ToolCallId): ToolCallId {
  if (/^[\w-]{1,64}$/.test(callId)) return callId
  return `call_${createHash('sha256').update(callId).digest('hex').slice(0, 32)}` as ToolCallId
}

/** A message does not change, and is part of every later request. */
const takenMessages = new WeakMap<RequestMessage, RequestMessage>()

function toTakenMessage(message: RequestMessage): RequestMessage {
  const before = takenMessages.get(message)
  if (before) return before
  const taken = withTakenNames(withWholeCharacters(message))
  takenMessages.set(message, taken)
  return taken
}

function withTakenNames(message: RequestMessage): RequestMessage {
  if (message.role === 'assistant') {
    const content = message.content.map(toTakenCall)
    return isSame(content, message.content) ? message : { ...message, content }
  }
  const content = message.content.map(toTakenResult)
  return isSame(content, message.content) ? message : { ...message, content }
}

function isSame(parts: readonly unknown[], before: readonly unknown[]): boolean {
  return parts.every((part, index) => part === before[index])
}

function toTakenCall(part: AssistantPart): AssistantPart {
  if (part.type !== 'tool_call') return part
  const [callId, name] = [toTakenId(part.callId), toTakenName(part.name)]
  return callId === part.callId && name === part.name ? part : { ...part, callId, name }
}

function toTakenResult(part: RequestPart): RequestPart {
  if (part.type !== 'tool_result') return part
  const callId = toTakenId(part.callId)
  return callId === part.callId ? part : { ...part, callId }
}
