import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { McpTransport } from '#shared/model/settings.ts'
import { createMcpConnector } from './mcp-connector.ts'

const never = new AbortController().signal

/** Answers each request of the protocol, and puts the answer into other words. `message` is the text of a program. */
const answering = `(request) => {
  const { id, method } = request
  const result = method === 'initialize'
    ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
    : method === 'tools/list'
      ? { tools: [{ name: 'say', inputSchema: { type: 'object' } }] }
      : { content: [{ type: 'text', text: 'said' }] }
  return { jsonrpc: '2.0', id, result }
}`

/** Ways in which servers write a message that is no message to the library of the protocol. */
const oddities: readonly (readonly [string, string])[] = [
  ['an error of null beside the result', '({ ...m, error: null })'],
  ['a _meta of null', '({ ...m, result: { ...m.result, _meta: null } })'],
  ['a _meta that is a text', '({ ...m, result: { ...m.result, _meta: "x" } })'],
  ['fields of its own', '({ ...m, took: 5, server: { a: null } })'],
  ['another version of JSON-RPC', '({ ...m, jsonrpc: "1.0" })'],
  ['no version', '({ id: m.id, result: m.result })'],
  ['null parameters', '({ ...m, params: null, method: null })'],
  ['a cursor that is a number', '({ ...m, result: { ...m.result, nextCursor: m.result.tools ? 7 : undefined } })'],
]

const kinds = {
  stdio: async (odd: string): Promise<McpTransport> => {
    const program = `const answer = ${answering}; const change = (m) => ${odd}; let rest = ''
      process.stdin.on('data', (chunk) => { const lines = (rest + chunk).split('\\n'); rest = lines.pop()
        for (const line of lines) { const request = JSON.parse(line)
          if (request.id !== undefined) process.stdout.write(JSON.stringify(change(answer(request))) + '\\r\\n') } })`
    return { kind: 'stdio', command: process.execPath, args: ['-e', program], env: {} }
  },
  json: (odd: string) => serve(odd, 'application/json', (text) => text),
  events: (odd: string) => serve(odd, 'text/event-stream', (text) => `event: message\r\ndata: ${text}\r\n\r\n`),
}

async function serve(odd: string, type: string, write: (text: string) => string): Promise<McpTransport> {
  const [answer, change] = [new Function(`return ${answering}`)(), new Function('m', `return ${odd}`)]
  const server = createServer(async (incoming, response) => {
    if (incoming.method !== 'POST') return response.writeHead(405).end()
    const request = JSON.parse((await incoming.toArray()).join(''))
    if (request.id === undefined) return response.writeHead(202).end()
    return response.writeHead(200, { 'content-type': type }).end(write(JSON.stringify(change(answer(request)))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { kind: 'http', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, headers: {} }
}

const connector = createMcpConnector({ version: '0', workingFolder: '/', variable: () => undefined })

// Mutation: without `mendLines` and `mendBody`, no server of these connects, and a call waits until its time is up.
describe.each(Object.entries(kinds))('a server over %s', (_, open) => {
  it('is understood, whatever stands around its answers', async () => {
    await Promise.all(
      oddities.map(async ([what, odd]) => {
        await using connection = await connector.connect(await open(odd), never)
        expect([what, connection.tools.length]).toEqual([what, 1])
        expect(await connection.call('say', {}, never)).toEqual({ ok: true, content: [{ type: 'text', text: 'said' }] })
      }),
    )
  })

  it.each([
    ['{ code: "E1", message: "No such thing" }', 'No such thing'],
    ['"It broke"', 'It broke'],
    ['{ message: null, data: null }', 'null'],
  ])('fails a call at once with an error in the form %s', async (error, said) => {
    const odd = `(m.result.content ? { jsonrpc: '2.0', id: m.id, result: null, error: ${error} } : m)`
    await using connection = await connector.connect(await open(odd), never)
    await expect(connection.call('say', {}, never)).rejects.toThrow(said)
  })
})
