import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { ShellError } from '#core/ports/shell.ts'

const refusal = 'Previews answer only to 127.0.0.1 and localhost.\n'
const gone = 'Nothing answers on this port of the branch any more.\n'

/**
 * A server on a free port of 127.0.0.1 that passes HTTP and web sockets on to a socket file. The name of the host is
 * checked, or any page of the web could lead its own name to this port and read what is behind it.
 */
export async function openPreviewServer(socket: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((from, to) => {
    if (!isFromHere(from)) return void to.writeHead(403, { 'content-type': 'text/plain' }).end(refusal)
    const passed = request({ ...targetOf(from, socket) }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(to)
      answer.on('error', () => to.destroy())
    })
    passed.on('error', () => {
      if (to.headersSent) to.destroy()
      else to.writeHead(502, { 'content-type': 'text/plain' }).end(gone)
    })
    to.on('close', () => passed.destroy())
    from.pipe(passed)
  })
  server.on('upgrade', (from, client, head) => upgrade(from, client as Socket, head, socket))
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** True for a request to a name of the loopback that no page of the web sent. Browsers name the page of what it sends. */
function isFromHere({ headers: { host, origin } }: IncomingMessage): boolean {
  return isLoopback(host) && (origin === undefined || isLoopback(/^https?:\/\/(.*)$/.exec(origin)?.[1]))
}

/** True for the names of the machine's loopback, with any port. */
function isLoopback(host: string | undefined): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host ?? '')
}

function targetOf({ method, url, rawHeaders }: IncomingMessage, socketPath: string) {
  return { socketPath, method, path: url, headers: rawHeaders, setHost: false, agent: false as const }
}

/** For web sockets, by which servers of developers say that a page should load again. */
function upgrade(from: IncomingMessage, client: Socket, head: Buffer, socket: string): void {
  client.on('error', () => client.destroy())
  if (!isFromHere(from)) return void client.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n')
  const passed = request(targetOf(from, socket))
  passed.on('error', () => client.destroy())
  passed.on('response', () => client.destroy())
  passed.on('upgrade', (answer, server, rest) => {
    const lines = pairs(answer.rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
    client.write(`HTTP/1.1 101 ${answer.statusMessage}\r\n${lines.join('')}\r\n`)
    client.write(rest)
    server.write(head)
    server.on('error', () => client.destroy())
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
    client.pipe(server).pipe(client)
  })
  passed.end()
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []))
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new ShellError('unavailable', 'A preview has no port.')
  return address.port
}
