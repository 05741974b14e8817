import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpConnector } from '../../../src/main/adapters/mcp/mcp-connector.ts'
import { McpError } from '../../../src/main/core/ports/mcp-client.ts'
import { createMcpTool } from '../../../src/main/core/tools/mcp-tool.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const start = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'fuzz', version: '0' },
}

/** What the server answers with: to the list of tools, and to a call of one. */
let answers: readonly [tools: string, result: string] = ['{}', '{}']

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(405).end()
    return
  }
  const { id, method } = JSON.parse(await bodyOf(request)) as { readonly id?: number; readonly method: string }
  if (id === undefined) {
    response.writeHead(202).end()
    return
  }
  const result = method === 'initialize' ? JSON.stringify(start) : method === 'tools/list' ? answers[0] : answers[1]
  const message = `{"jsonrpc":"2.0","id":${id},"result":${result}}`
  response.writeHead(200, { 'content-type': 'application/json' }).end(message)
})
server.listen(0, '127.0.0.1')
server.unref()
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`

const connector = createMcpConnector({
  version: '0',
  workingFolder: '/',
  variable: () => undefined,
  connectMs: 2_000,
  callMs: 2_000,
})
const never = new AbortController().signal

/** A list of tools and a result, as JSON with a line break between them, from a server that speaks the protocol. */
export const mcpMessages: FuzzTarget = {
  name: 'mcp-messages',
  seeds: [
    '{"tools":[{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"c":{"type":"string"}}}}]}\n{"content":[{"type":"text","text":"d"}]}',
    '{"tools":[{"name":"a","inputSchema":{"type":"object","$defs":{"x":{"$ref":"#/$defs/x"}},"anyOf":[{"$ref":"#"}]}}],"nextCursor":"c"}\n{"content":[],"structuredContent":{"a":1}}',
    '{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"a":{"pattern":"(a+)+$","allOf":[{"enum":[1]}]}}}}]}\n{"isError":true,"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}',
    '{"tools":[]}\n{"content":[{"type":"resource","resource":{"uri":"a:b","text":"c"}},{"type":"resource_link","uri":"d","name":"e"}]}',
  ],
  async run(input) {
    const [tools = '', ...result] = input.toString().split('\n')
    answers = [tools, result.join('\n')]
    try {
      await using connection = await connector.connect({ kind: 'http', url, headers: {} }, never)
      for (const tool of connection.tools.slice(0, 3)) {
        const made = createMcpTool({
          name: 'mcp__a__b',
          server: 'a',
          tool,
          mustAsk: () => undefined,
          call: (args, signal) => connection.call(tool.name, args, signal),
        })
        made.schema.safeParse({ a: 'a'.repeat(30), c: [{ d: {} }] })
        const { content } = await connection.call(tool.name, {}, never)
        requireLaw(
          content.every(({ type }) => type === 'text' || type === 'image'),
          'a result is text and images',
        )
      }
    } catch (error) {
      if (!(error instanceof McpError)) throw error
    }
  },
}
