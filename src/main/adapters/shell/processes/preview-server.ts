import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ShellError } from '#core/ports/shell.ts'

const refusal = 'A preview answers only to its own pages, at its own address.\n'
const gone = 'Nothing answers on this port of the branch any more, or not in HTTP.\n'

/**
 * What a page of a branch may do in the person's browser: everything at its own address, and nothing elsewhere. Without
 * this, a page could carry what it knows to the network and to other servers of the machine, although its branch reaches
 * neither. Added to what the page says itself; the stricter counts.
 */
const confinement = [
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "webrtc 'block'",
  'sandbox allow-scripts allow-same-origin allow-forms allow-modals allow-downloads',
].join('; ')
const addedHeaders = [
  ...['content-security-policy', confinement],
  ...['referrer-policy', 'no-referrer'],
  ...['x-dns-prefetch-control', 'off'],
  ...['cross-origin-resource-policy', 'same-origin'],
]

/**
 * A server on a free port of 127.0.0.1 that passes HTTP and web sockets on to a socket file. The name of the host is
 * checked, or any page of the web could lead its own name to this port and read what is behind it.
 */
export async function openPreviewServer(socket: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((from, to) => {
    if (!isFromPreview(from)) return void to.writeHead(403, { 'content-type': 'text/plain' }).end(refusal)
    pass(from, to, socket)
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

/**
 * True for a request of the preview's own pages, and for a person's way to one of them. Browsers name the page that sends
 * a request, except where a page of elsewhere includes a script or a picture; newer ones say then that it is from elsewhere.
 */
function isFromPreview({ headers, rawHeaders, socket }: IncomingMessage): boolean {
  const { host = '', origin } = headers
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode, 'sec-fetch-dest': kind } = headers
  const hosts = pairs(rawHeaders).filter(([name]) => name.toLowerCase() === 'host')
  const isOwn = hosts.length === 1 && isLoopback(host) && host.endsWith(`:${socket.localPort}`)
  const isOpened = mode === 'navigate' && kind === 'document'
  return (
    isOwn &&
    (origin === undefined || origin === `http://${host}`) &&
    (/^(?:none|same-origin)$/.test(String(site)) || isOpened)
  )
}

/** True for the names of the machine's loopback, with any port. */
function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host)
}

function pass(from: IncomingMessage, to: ServerResponse, socket: string): void {
  const fail = (): void => {
    if (to.headersSent) to.destroy()
    else to.writeHead(502, { 'content-type': 'text/plain' }).end(gone)
  }
  // What Node refuses to send it throws: an impossible status, or headers that contradict each other.
  const attempt = (act: () => void): void => {
    try {
      act()
    } catch {
      fail()
    }
  }
  attempt(() => {
    const passed = request({ ...targetOf(from, socket), headers: forwarded(from.rawHeaders) }, (answer) => {
      answer.on('error', () => to.destroy())
      attempt(() => {
        to.writeHead(answer.statusCode ?? 502, [...forwarded(answer.rawHeaders), ...addedHeaders])
        answer.pipe(to)
      })
    })
    passed.on('error', fail)
    to.on('close', () => passed.destroy())
    from.pipe(passed)
  })
}

/** Headers about one connection, which each server says for itself (RFC 9110 §7.6.1). */
const ofConnection = /^(?:connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i

function forwarded(raw: readonly string[]): string[] {
  return pairs(raw).flatMap(([name, value]) => (ofConnection.test(name) ? [] : [name, value]))
}

function targetOf({ method, url }: IncomingMessage, socketPath: string) {
  return { socketPath, method, path: url, setHost: false, agent: false as const }
}

/** For web sockets, by which servers of developers say that a page should load again. */
function upgrade(from: IncomingMessage, client: Socket, head: Buffer, socket: string): void {
  client.on('error', () => client.destroy())
  if (!isFromPreview(from)) return void client.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n')
  try {
    const passed = request({ ...targetOf(from, socket), headers: from.rawHeaders })
    passed.on('error', () => client.destroy())
    passed.on('response', () => client.destroy())
    passed.on('upgrade', (answer, server, rest) => join(client, head, answer, server as Socket, rest))
    passed.end()
  } catch {
    client.destroy()
  }
}

function join(client: Socket, head: Buffer, answer: IncomingMessage, server: Socket, rest: Buffer): void {
  const lines = pairs(answer.rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
  client.write(rest)
  server.write(head)
  server.on('error', () => client.destroy())
  client.on('close', () => server.destroy())
  server.on('close', () => client.destroy())
  client.pipe(server).pipe(client)
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
