import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'

/** A server of the Model Context Protocol with one tool, whose effect cannot be undone. */
export async function startBank(
  pay: (key: string) => void,
  made: () => object,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async (request, response) => {
    const send = (value: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (request.url === '/made') return void send(made())
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(await readAll(request)) as Incoming
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/call') pay(String(params?.arguments?.key))
    send({ jsonrpc: '2.0', id, result: answerTo(method, params?.protocolVersion) })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Incoming {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly key?: string } }
}

function answerTo(method: string, protocolVersion: string | undefined): object {
  const inputSchema = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] }
  if (method === 'initialize')
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bank', version: '1' } }
  if (method === 'tools/list') return { tools: [{ name: 'pay', description: 'Pays.', inputSchema }] }
  return { content: [{ type: 'text', text: 'Paid.' }] }
}
