import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import type { ModelRequest } from '#core/ports/model-client.ts'
import { createDialect, type ModelServer } from '#core/ports/model-server.ts'
import { factsOf, type TestFacts } from './model-facts.testkit.ts'

/** How a test's server answers one request. */
export type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void

let running: Server[] = []
afterEach(() => {
  for (const server of running) {
    server.closeAllConnections()
    server.close()
  }
  running = []
})

/** Serves until the test ends, and returns the address. */
export async function serveModel(answer: Answer): Promise<string> {
  const server = createServer(async (incoming, response) => {
    answer(response, incoming, (await incoming.toArray()).join(''))
  })
  running.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers with a stream of events, cut into pieces anywhere, also within a character. */
export const eventStream =
  (text: string, pieces = 1): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const bytes = Buffer.from(text)
    const size = Math.ceil(bytes.length / pieces)
    for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size))
    response.end()
  }

export interface TestServerOptions extends Partial<Omit<ModelServer, 'factsOf' | 'address'>> {
  readonly facts?: TestFacts
}

/** A server of models at an address, with a key, whose models can do everything unless the test says otherwise. */
export function testServer(address: string, { facts, ...options }: TestServerOptions = {}): ModelServer {
  return {
    profile: 'test',
    headers: async () => ({ 'x-api-key': 'test-key' }),
    dialect: createDialect(),
    ...options,
    address: () => address,
    factsOf: (id) => factsOf(id, facts),
  }
}

export const testRequest: ModelRequest = {
  model: 'm1',
  system: 'Be brief.',
  tools: [
    { name: 'ls', description: 'Lists.', inputSchema: { type: 'object', properties: {} } },
    { name: 'read_file', description: 'Reads.', inputSchema: { type: 'object', properties: {} } },
  ],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  maxTokens: 1000,
  temperature: null,
  effort: null,
}
