import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import type { Answer } from './model-server.testkit.ts'

/** The form of the requests that a strict server takes. */
export type Wire = 'messages' | 'completions'

/** Refuses with 400 what a maker's server refuses, and says why; passes everything else on. */
export const strictly =
  (wire: Wire, answer: Answer): Answer =>
  (response, request, body) => {
    const complaint = complaintAbout(wire, body)
    if (complaint === null) return answer(response, request, body)
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: complaint } }))
  }

/** Why a maker would refuse the request; null when it takes it. */
export function complaintAbout(wire: Wire, body: string): string | null {
  // JSON writes half a character as an escape. Makers answer: "no low surrogate in string".
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(body)) return 'The request body is not valid JSON: no low surrogate in string'
  const request: JsonObject = JSON.parse(body)
  const complaints =
    wire === 'messages'
      ? [
          ...listOf(request.tools).map(aboutTool),
          ...aboutMessages(listOf(request.messages)),
          aboutSystem(request.system),
        ]
      : [
          ...listOf(request.tools).map((tool) => aboutFunction(objectOf(tool.function))),
          ...aboutCompletion(listOf(request.messages)),
        ]
  const names = listOf(request.tools).map((tool) => tool.name ?? objectOf(tool.function).name)
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.'
  return complaints.find((one) => one !== null) ?? null
}

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {})
const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map(objectOf) : []
const isBlank = (value: JsonValue | undefined): boolean => typeof value !== 'string' || value.trim() === ''
const fits = (pattern: RegExp, value: JsonValue | undefined): boolean =>
  typeof value === 'string' && pattern.test(value)
const plainId = /^[a-zA-Z0-9_-]+$/
const plainName = /^[a-zA-Z0-9_-]{1,64}$/

function aboutTool({ name, input_schema: schema }: JsonObject): string | null {
  if (!fits(/^[a-zA-Z0-9_-]{1,128}$/, name)) return `tools.0.custom.name: String should match pattern`
  if (Object.keys(objectOf(objectOf(schema).properties)).some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)))
    return `tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`
  return aboutSchema(schema)
}

function aboutFunction({ name, parameters }: JsonObject): string | null {
  return fits(plainName, name)
    ? aboutSchema(parameters)
    : `Invalid 'tools[0].function.name': string does not match pattern`
}

function aboutSchema(schema: JsonValue | undefined): string | null {
  if (!isJsonObject(schema) || schema.type !== 'object') return 'schema must be a JSON Schema of "type": "object"'
  const wrong = ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$ref'].find((key) => key in schema)
  if (wrong !== undefined) return `schema must not have ${wrong} at the top level`
  return hasNull(schema) ? 'JSON schema is invalid: None is not of type object' : null
}

/** Null stands in a schema only as the value of something. */
function hasNull(value: JsonValue, key = ''): boolean {
  if (['default', 'const', 'enum', 'examples'].includes(key)) return false
  if (value === null) return true
  return Object.entries(typeof value === 'object' ? value : {}).some(([name, inner]) =>
    hasNull(inner as JsonValue, name),
  )
}

function aboutSystem(system: JsonValue | undefined): string | null {
  return listOf(system).some(({ text }) => isBlank(text)) ? 'system: text content blocks must be non-empty' : null
}

function aboutMessages(messages: readonly JsonObject[]): readonly (string | null)[] {
  return messages.map(({ role, content }, at) => {
    const blocks = listOf(content)
    if (blocks.length === 0) return `messages.${at}: all messages must have non-empty content`
    if (blocks.some(({ type, text }) => type === 'text' && isBlank(text)))
      return `messages.${at}: text content blocks must contain non-whitespace text`
    if (
      blocks.some(
        ({ type, name, id }) => type === 'tool_use' && !(fits(/^[a-zA-Z0-9_-]{1,200}$/, name) && fits(plainId, id)),
      )
    )
      return `messages.${at}.content.0.tool_use: String should match pattern`
    const [next, before] = [listOf(messages[at + 1]?.content), listOf(messages[at - 1]?.content)]
    const idsIn = (list: readonly JsonObject[], key: string) => list.flatMap((block) => block[key] ?? [])
    const [answered, called] = [idsIn(next, 'tool_use_id'), role === 'assistant' ? idsIn(blocks, 'id') : []]
    if (called.some((id) => !answered.includes(id)))
      return `messages.${at}: tool_use ids were found without tool_result blocks`
    const results = role === 'user' ? idsIn(blocks, 'tool_use_id') : []
    if (results.some((id) => !idsIn(before, 'id').includes(id))) return `messages.${at}: unexpected tool_use_id`
    return null
  })
}

function aboutCompletion(messages: readonly JsonObject[]): readonly (string | null)[] {
  let open: JsonValue[] = []
  return messages.map((message, at) => {
    const { role, content } = message
    if (role === 'tool') {
      if (!open.includes(message.tool_call_id ?? ''))
        return `messages.[${at}].role: messages with role 'tool' must be a response to a preceding message with 'tool_calls'`
      open = open.filter((id) => id !== message.tool_call_id)
      return typeof content === 'string' ? null : `messages.[${at}].content: a string is expected`
    }
    if (open.length > 0)
      return `messages.[${at}]: an assistant message with 'tool_calls' must be followed by tool messages`
    const calls = listOf(message.tool_calls)
    open = calls.map(({ id }) => id ?? '')
    if (
      calls.some(
        ({ id, function: called }) => !fits(/^[a-zA-Z0-9_-]{1,40}$/, id) || !fits(plainName, objectOf(called).name),
      )
    )
      return `Invalid 'messages[${at}].tool_calls[0].function.name': string does not match pattern`
    if (role !== 'assistant' && role !== 'system' && role === messages[at - 1]?.role)
      return 'roles must alternate user/assistant'
    return isBlank(content) && !Array.isArray(content) && calls.length === 0 ? `messages.[${at}].content: empty` : null
  })
}
