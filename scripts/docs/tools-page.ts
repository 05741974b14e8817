import { openWorld } from '../../src/main/core/agent/agent-world.testkit.ts'
import type { JsonObject, JsonValue } from '../../src/shared/base/json.ts'
import { findToolFacts } from '../../src/shared/tools/tool-facts.ts'
import { code, pageHead, table } from './markdown.ts'

const effects = {
  read: 'Reads only.',
  plan: 'Changes nothing but the todo list, the conversation or what the agent began.',
  overlay: 'Changes only the branch.',
  outside: 'Has effects outside the branch, so it is never repeated by itself.',
  agents: 'Runs subagents.',
} as const

/** `tools.md`: the tools in a real request of a main agent, in a project without servers. */
export async function toolsPage(): Promise<string> {
  const world = await openWorld({ settings: { fetchesPages: true } })
  await world.run('Say hello.')
  const [request] = world.requests
  if (!request) throw new Error('The agent asked no model.')
  const sections = request.tools.map(({ name, description, inputSchema }) => {
    const { effect } = findToolFacts(name)
    return `## ${name}\n\n${description.trim()}\n\n${effects[effect]}\n\n${argumentsOf(inputSchema)}`
  })
  return `${pageHead('Tools as the model sees them', 'the tools of a request, and src/shared/tools/tool-facts.ts')}
These are the names, descriptions and arguments that a main agent gets with each request. A subagent has no \`write_todos\`, and no tools for
subagents at the deepest level (\`max_subagent_depth\`). A definition with \`tools\` leaves out the others,
and \`fetch_url\` is there when it is [switched on](web.md). Servers add theirs as
\`mcp__SERVER__TOOL\`.

${sections.join('\n')}`
}

function argumentsOf(schema: JsonObject): string {
  const { properties, required } = schema
  if (!isObject(properties) || Object.keys(properties).length === 0) return 'No arguments.\n'
  const needed = Array.isArray(required) ? required : []
  const rows = Object.entries(properties).map(([name, one]) => {
    const given = isObject(one) ? one : {}
    const usual = given.default === undefined ? '' : `Default: ${code(JSON.stringify(given.default))}.`
    const about = [typeof given.description === 'string' ? given.description : '', usual].filter(Boolean).join(' ')
    return [code(name), typeOf(given), needed.includes(name) ? 'yes' : '', about]
  })
  return table(['argument', 'type', 'required', 'meaning'], rows)
}

function typeOf(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ')
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices))
    return [...new Set(choices.map((one) => (isObject(one) ? typeOf(one) : 'any')))].join(' or ')
  if (schema.type === 'array') return `list of ${isObject(schema.items) ? typeOf(schema.items) : 'any'}`
  if (schema.type === 'object') {
    const names = isObject(schema.properties) ? Object.keys(schema.properties) : []
    return names.length > 0 ? `object with ${names.map(code).join(', ')}` : 'object'
  }
  return typeof schema.type === 'string' ? schema.type : 'any'
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
