import { chown } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * A socket that leads to the proxy and adds the login of one command, so that clients which know no login for a proxy,
 * such as Java's, need none. Only that command may be able to reach it. Disposing it ends its connections.
 */
export async function openProxyRelay(options: {
  /** Where to make the socket. */
  readonly path: string
  /** The proxy's own socket. */
  readonly proxy: string
  readonly login: string
  /** The number of whoever connects; null for the person. */
  readonly owner: number | null
}): Promise<AsyncDisposable> {
  const { path, proxy, login, owner } = options
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`
  const forward = ({ method = 'GET', url = '/', headers }: IncomingMessage) =>
    request({
      ...{ socketPath: proxy, method, path: url, agent: false },
      headers: { ...headers, 'proxy-authorization': authorization },
    })
  const open = new Set<Socket>()
  const server = createServer((asked, answer) => {
    const passed = forward(asked)
    passed.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => endBadly(answer))
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('connect', (asked: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => client.destroy())
    const passed = forward(asked)
    passed.on('connect', (response, tunnel, first) => {
      client.write(`HTTP/1.1 ${response.statusCode ?? 502} ${response.statusMessage ?? ''}\r\n\r\n`)
      tunnel.on('error', () => client.destroy())
      tunnel.write(head)
      client.write(first)
      tunnel.pipe(client)
      client.pipe(tunnel)
      client.once('close', () => tunnel.destroy())
    })
    passed.on('response', (response) => client.end(`HTTP/1.1 ${response.statusCode ?? 502} Refused\r\n\r\n`))
    passed.on('error', () => client.destroy())
    passed.end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  if (owner !== null) await chown(path, owner, owner)
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function endBadly(answer: ServerResponse): void {
  if (!answer.headersSent) answer.writeHead(502)
  answer.end()
}
