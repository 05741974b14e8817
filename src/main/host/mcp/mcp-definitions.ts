import { createHash } from 'node:crypto'
import { type ParseError, parse } from 'jsonc-parser'
import { z } from 'zod'
import type { BaseTree } from '#core/ports/base-tree.ts'
import type { McpOAuth, McpTransport } from '#shared/model/settings.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { jsonLimit } from '#shared/text/text-limits.ts'

/** A server as a settings file defines it. */
export interface McpDefinition {
  readonly name: string
  /** `project`: from `.mcp.json`. `user`: from the user's settings. */
  readonly source: 'project' | 'user'
  readonly transport: McpTransport
  /** True for a server whose tools are shown in each request, however many tools there are. */
  readonly alwaysShown: boolean
  /** Identifies exactly this definition. A changed definition has another hash. */
  readonly hash: string
}

export interface McpDefinitions {
  readonly servers: readonly McpDefinition[]
  readonly problems: readonly string[]
}

/** A number where a text belongs is plain, as in `"PORT": 3000`. */
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const texts = z
  .record(z.string(), text)
  .nullable()
  .default(null)
  .transform((given) => given ?? {})
const port = z.coerce.number().int().min(1).max(65_535)
const scopes = z.union([z.string(), z.array(z.string()).transform((list) => list.join(' '))])
/** As Claude Code spells it, and as the settings do. A wrong value shows no more than usual. */
const common = {
  alwaysLoad: z.boolean().optional().catch(undefined),
  always_load: z.boolean().optional().catch(undefined),
}
const stdio = z.object({
  ...common,
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z
    .array(text)
    .nullable()
    .default(null)
    .transform((given) => given ?? []),
  env: texts,
})
/** As Claude Code spells it, and as the settings do. */
const oauth = z
  .object({
    clientId: text.optional(),
    client_id: text.optional(),
    clientSecret: text.optional(),
    client_secret: text.optional(),
    callbackPort: port.optional(),
    callback_port: port.optional(),
    scopes: scopes.optional(),
    scope: scopes.optional(),
  })
  .transform((given): McpOAuth => {
    const clientId = given.client_id ?? given.clientId
    const clientSecret = given.client_secret ?? given.clientSecret
    const callbackPort = given.callback_port ?? given.callbackPort
    const wanted = given.scopes ?? given.scope
    return {
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
      ...(callbackPort !== undefined && { callbackPort }),
      ...(wanted !== undefined && { scopes: wanted }),
    }
  })
const http = z.object({
  ...common,
  type: z.enum(['http', 'streamable-http']).optional(),
  url: z.string().min(1),
  headers: texts,
  oauth: oauth.nullable().optional(),
})
const server = z.union([stdio, http])

const mcpFile = '/.mcp.json' as VirtualPath
const maxFileBytes = 1024 * 1024

/** The servers in the project's `.mcp.json`. Reading it starts nothing. */
export async function projectServers(base: BaseTree): Promise<McpDefinitions> {
  const node = await base.stat(mcpFile)
  if (node?.kind !== 'file') return { servers: [], problems: [] }
  if (node.size > maxFileBytes) return { servers: [], problems: ['.mcp.json is larger than 1 MB and was not read.'] }
  const errors: ParseError[] = []
  const text = new TextDecoder().decode(await base.read(mcpFile))
  const limit = jsonLimit(text)
  if (limit !== undefined) return { servers: [], problems: [`.mcp.json was not read. ${limit}`] }
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  if (errors.length > 0) return { servers: [], problems: ['.mcp.json is not valid JSON and was not read.'] }
  const servers = z.object({ mcpServers: z.record(z.string(), z.unknown()) }).safeParse(value)
  if (!servers.success) return { servers: [], problems: ['.mcp.json has no "mcpServers".'] }
  return serversIn(servers.data.mcpServers, 'project')
}

/** Parses the definitions by name. A problem in one does not affect the others. */
export function serversIn(given: Readonly<Record<string, unknown>>, source: McpDefinition['source']): McpDefinitions {
  const read = Object.entries(given).map(([name, value]) => ({ name, parsed: server.safeParse(value) }))
  return {
    servers: read.flatMap(({ name, parsed }) => (parsed.success ? [definition(name, parsed.data, source)] : [])),
    problems: read.flatMap(({ name, parsed }) =>
      parsed.success ? [] : [`The server ${JSON.stringify(name)} needs a command or a url (stdio or streamable HTTP).`],
    ),
  }
}

/** A transport in the form of a definition, without empty values. */
export function writtenServer(transport: McpTransport): object {
  const filled = <Value extends object>(value: Value) => (Object.keys(value).length > 0 ? value : undefined)
  if (transport.kind === 'http')
    return { url: transport.url, headers: filled(transport.headers), oauth: writtenOAuth(transport.oauth) }
  const { command, args, env } = transport
  return { command, args: filled(args), env: filled(env) }
}

function writtenOAuth(given: McpOAuth | undefined): unknown {
  if (!given) return undefined
  const { clientId, clientSecret, callbackPort, scopes: wanted } = given
  return { client_id: clientId, client_secret: clientSecret, callback_port: callbackPort, scopes: wanted }
}

function definition(name: string, given: z.infer<typeof server>, source: McpDefinition['source']): McpDefinition {
  const transport: McpTransport =
    'command' in given
      ? { kind: 'stdio', command: given.command, args: given.args, env: given.env }
      : { kind: 'http', url: given.url, headers: given.headers, ...(given.oauth && { oauth: given.oauth }) }
  const alwaysShown = given.always_load ?? given.alwaysLoad ?? false
  return { name, source, transport, alwaysShown, hash: hashOf({ name, source, transport }) }
}

export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
