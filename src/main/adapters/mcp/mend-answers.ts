import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { schemaLimit } from '#shared/base/schemas/schema-limits.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** Of the prompts, and of each tool, that one server lists. Names and descriptions in characters. */
const toolLimits = { number: 500, name: 128, description: 20_000 } as const

/**
 * What a server answered, in the form of the protocol. The protocol's library refuses a whole answer for one part in
 * another form, and with it the whole server. So a tool that cannot be offered is left out here, a part of a result that
 * nobody knows becomes a text, and fields that are null are absent. `tell` gets a sentence for each tool that is left out
 * or changed.
 */
export function mendAnswer(message: unknown, tell: (problem: string) => void): unknown {
  if (!isJsonObject(message) || !isJsonObject(message.result)) return message
  const result = withoutNulls(message.result)
  if (Array.isArray(result.tools)) {
    const { tools, nextCursor, ...rest } = result
    const more = typeof nextCursor === 'string' ? { ...rest, nextCursor } : rest
    return { ...message, result: { ...more, tools: readTools(tools as readonly JsonValue[], tell) } }
  }
  if (Array.isArray(result.prompts)) return { ...message, result: { ...result, prompts: readPrompts(result.prompts) } }
  if (Array.isArray(result.messages))
    return { ...message, result: { ...result, messages: readMessages(result.messages) } }
  if ('protocolVersion' in result) return { ...message, result: readGreeting(result) }
  if ('content' in result || 'structuredContent' in result || 'isError' in result)
    return { ...message, result: readResult(result) }
  return { ...message, result }
}

function withoutNulls(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
}

function readGreeting(result: JsonObject): JsonObject {
  const { serverInfo, capabilities } = result
  const { name, version } = isJsonObject(serverInfo) ? serverInfo : {}
  return {
    ...result,
    capabilities: isJsonObject(capabilities) ? withoutNulls(capabilities) : { tools: {} },
    serverInfo: { name: textIn(name) ?? '', version: textIn(version) ?? '' },
  }
}

function readTools(listed: readonly JsonValue[], tell: (problem: string) => void): readonly JsonObject[] {
  return listed.flatMap((tool, index) => {
    const read = readTool(tool)
    const name = isJsonObject(tool) && typeof tool.name === 'string' ? tool.name : null
    const shown = name === null ? `number ${index + 1}` : JSON.stringify(beginningOf(name, toolLimits.name))
    if (typeof read === 'string') tell(`The tool ${shown} is not offered: ${read}.`)
    if (typeof read === 'string') return []
    const description = textIn(read.description) ?? ''
    if (description.length <= toolLimits.description) return [read]
    tell(`The description of ${shown} is cut at ${toolLimits.description} characters.`)
    return [{ ...read, description: `${beginningOf(description, toolLimits.description)}…` }]
  })
}

/** Prompts without a name cannot be chosen. */
function readPrompts(listed: readonly JsonValue[]): readonly JsonObject[] {
  return listed.slice(0, toolLimits.number).flatMap((prompt) => {
    if (!isJsonObject(prompt) || !isName(prompt.name)) return []
    const given = Array.isArray(prompt.arguments) ? prompt.arguments : []
    const named = given.flatMap((one) =>
      isJsonObject(one) && isName(one.name)
        ? [{ name: one.name, description: described(one), required: one.required === true }]
        : [],
    )
    return [{ name: prompt.name, description: described(prompt), arguments: named }]
  })
}

function readMessages(messages: readonly JsonValue[]): readonly JsonObject[] {
  return messages.flatMap((message) => {
    const { role = 'user', content = null } = isJsonObject(message) ? message : { content: message }
    const parts = Array.isArray(content) ? content : [content]
    return parts.map((part) => ({ role: role === 'assistant' ? role : 'user', content: readPart(part) }))
  })
}

function isName(name: JsonValue | undefined): name is string {
  return typeof name === 'string' && name.trim() !== '' && name.length <= toolLimits.name
}

function described({ description }: JsonObject): string {
  return beginningOf(textIn(description) ?? '', toolLimits.description)
}

/** The parts of a tool that are used, or why it cannot be offered. */
function readTool(tool: JsonValue): JsonObject | string {
  if (!isJsonObject(tool) || typeof tool.name !== 'string' || tool.name.trim() === '') return 'it has no name'
  if (tool.name.length > toolLimits.name) return `its name is longer than ${toolLimits.name} characters`
  const schema = tool.inputSchema ?? {}
  if (!isJsonObject(schema)) return 'its schema is not an object'
  const types = [schema.type ?? 'object'].flat()
  if (!types.includes('object')) return `its arguments are not an object but of the type ${JSON.stringify(schema.type)}`
  const limit = schemaLimit(schema)
  if (limit !== undefined) return limit
  const { properties, required, ...rest } = schema
  const inputSchema = {
    ...rest,
    type: 'object',
    ...(isJsonObject(properties) && { properties: withObjects(properties) }),
    ...(Array.isArray(required) && { required: required.filter((key) => typeof key === 'string') }),
  }
  return { name: tool.name, description: textIn(tool.description) ?? '', inputSchema: inOrderOf(schema, inputSchema) }
}

/** The library takes objects alone as the schemas of properties. */
function withObjects(properties: JsonObject): JsonObject {
  const entries = Object.entries(properties).map(([key, schema]) => [key, isJsonObject(schema) ? schema : {}])
  return Object.fromEntries(entries)
}

/** Tools are told apart by their JSON, so a schema that needs no mending keeps the order of its keys. */
function inOrderOf(before: JsonObject, schema: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(before), ...Object.keys(schema)].filter((key) => key in schema))
  return Object.fromEntries([...keys].flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])))
}

function readResult(result: JsonObject): JsonObject {
  const { content, structuredContent, isError, resultType } = result
  const parts = Array.isArray(content) ? content : content === undefined ? [] : [content]
  const structured = structuredContent === undefined || isJsonObject(structuredContent) ? [] : [structuredContent]
  return {
    content: [...parts, ...structured].map(readPart),
    ...(isJsonObject(structuredContent) && { structuredContent }),
    isError: isError === true || isError === 'true',
    ...(typeof resultType === 'string' && { resultType }),
  }
}

function readPart(part: JsonValue): JsonObject {
  if (!isJsonObject(part)) return asText(typeof part === 'string' ? part : JSON.stringify(part))
  const { type, text, data, mimeType, uri, resource } = part
  if (type === 'text' && typeof text === 'string') return { type, text }
  const isMedia = type === 'image' || type === 'audio'
  if (isMedia && typeof mimeType === 'string' && isBase64(data)) return { type, data, mimeType }
  if (type === 'resource_link' && typeof uri === 'string') return { type, uri, name: textIn(part.name) ?? uri }
  if (type === 'resource' && isJsonObject(resource) && typeof resource.uri === 'string') return readResource(resource)
  if (typeof text === 'string') return asText(text)
  const { type: _, ...rest } = part
  const said = beginningOf(JSON.stringify(rest), shownOfPart)
  return asText(`(a part of the kind ${JSON.stringify(type ?? null)}, which Coppice does not know: ${said})`)
}

/** Characters of an unknown part that a model sees. */
const shownOfPart = 2_000

function readResource({ uri, text, blob, mimeType }: JsonObject): JsonObject {
  const kind = typeof mimeType === 'string' ? { mimeType } : {}
  const inner = typeof text === 'string' ? { text } : { blob: isBase64(blob) ? blob : '' }
  return { type: 'resource', resource: { uri: uri ?? '', ...inner, ...kind } }
}

function isBase64(data: JsonValue | undefined): data is string {
  if (typeof data !== 'string') return false
  try {
    return atob(data).length >= 0
  } catch {
    return false
  }
}

function asText(text: string): JsonObject {
  return { type: 'text', text }
}

function textIn(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}
