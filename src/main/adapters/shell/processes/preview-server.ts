import { randomBytes } from 'node:crypto'
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
/** What a page would have to ask a person for, and ways by which browsers send something for a page without asking. */
const denied = [
  ...['camera', 'microphone', 'geolocation', 'display-capture', 'clipboard-read', 'payment', 'usb', 'serial', 'hid'],
  ...[
    'bluetooth',
    'midi',
    'idle-detection',
    'local-fonts',
    'window-management',
    'local-network-access',
    'storage-access',
  ],
  ...['attribution-reporting', 'browsing-topics', 'join-ad-interest-group', 'run-ad-auction', 'shared-storage'],
  ...['private-aggregation', 'deferred-fetch', 'publickey-credentials-get', 'identity-credentials-get'],
  ...['publickey-credentials-create', 'otp-credentials', 'private-state-token-issuance'],
  ...['private-state-token-redemption', 'direct-sockets', 'smart-card', 'web-share', 'speaker-selection'],
  ...['captured-surface-control', 'keyboard-lock'],
]
const addedHeaders = [
  ...['content-security-policy', confinement],
  ...['permissions-policy', denied.map((name) => `${name}=()`).join(', ')],
  ...['referrer-policy', 'no-referrer'],
  ...['x-dns-prefetch-control', 'off'],
  ...['cross-origin-resource-policy', 'same-origin'],
  ...['cross-origin-opener-policy', 'same-origin'],
  // Chromium since 152: for what no policy of content reaches, such as pages loaded ahead, other pages, names, and WebRTC.
  ...['connection-allowlist', '(response-origin);webrtc=block'],
]

/**
 * A server on a free port of 127.0.0.1 that passes HTTP and web sockets on to a socket file. Its name is one that nobody
 * can guess, which browsers lead to this machine: cookies and other things that a browser keeps know no port, so a page at
 * `127.0.0.1` would share those of every service of the person there. The name of the host is checked, or any page of the
 * web could lead its own name to this port and read what is behind it.
 */
export async function openPreviewServer(socket: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const name = `preview-${randomBytes(8).toString('hex')}.localhost`
  const server = createServer((from, to) => {
    if (!isFromPreview(from, name)) return void to.writeHead(403, { 'content-type': 'text/plain' }).end(refusal)
    pass(from, to, socket)
  })
  server.on('upgrade', (from, client, head) => upgrade(from, client as Socket, head, { socket, name }))
  const port = await listen(server)
  return {
    url: `http://${name}:${port}/`,
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
function isFromPreview({ headers, rawHeaders, socket }: IncomingMessage, name: string): boolean {
  const { host = '', origin } = headers
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode, 'sec-fetch-dest': kind } = headers
  const hosts = pairs(rawHeaders).filter(([name]) => name.toLowerCase() === 'host')
  const isOwn = hosts.length === 1 && host.toLowerCase() === `${name}:${socket.localPort}`
  const isOpened = mode === 'navigate' && kind === 'document'
  return (
    isOwn &&
    (origin === undefined || origin === `http://${host.toLowerCase()}`) &&
    (/^(?:none|same-origin)$/.test(String(site)) || isOpened)
  )
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
    const passed = request(
      { ...targetOf(from, socket), headers: headersFor(asked, from.rawHeaders, from.headers.host) },
      (answer) => {
        answer.on('error', () => to.destroy())
        attempt(() => {
          to.writeHead(answer.statusCode ?? 502, [...headersFor(answered, answer.rawHeaders), ...addedHeaders])
          answer.pipe(to)
        })
      },
    )
    passed.on('error', fail)
    // Nobody asked for another protocol. Without a listener Node ends the request without an error.
    passed.on('upgrade', (_, connection) => {
      connection.destroy()
      fail()
    })
    to.on('close', () => passed.destroy())
    from.pipe(passed)
  })
}

/**
 * The headers of a request that a page's server gets: what HTTP itself needs and what programs in pages add for their own
 * server. Cookies and logins are not among them, whoever they are for.
 */
const asked =
  /^(?:host|origin|referer|user-agent|accept(?:-.+)?|cache-control|pragma|content-.+|if-.+|range|dnt|priority|upgrade-insecure-requests|sec-(?:fetch|ch|websocket)-.+|x-.+|hx-.+|turbo-.+|next-.+|rsc|purpose|last-event-id)$/i

/**
 * The headers of an answer that a browser gets. None that makes it send something elsewhere (`link`, `refresh`, `report-to`,
 * `nel`, `alt-svc` …), keep or clear something beyond the page (`set-cookie`, `clear-site-data`), ask for a login, or that
 * lets others in (`access-control-…`). A policy that the page sets for itself may name an address for its reports, and so may
 * some headers that older browsers obey (`x-xss-protection`, `x-webkit-csp` …). Other names with `x-` are for the page's scripts.
 */
const answered =
  /^(?:content-(?!security-policy|location).+|cache-control|etag|last-modified|expires|date|age|vary|accept-ranges|retry-after|allow|location|x-(?!accel|sendfile|sourcemap|xss-protection|webkit-|content-security-policy|dns-prefetch|pingback).+)$/i

function headersFor(known: RegExp, raw: readonly string[], host = ''): string[] {
  return pairs(raw).flatMap(([name, value]) => {
    const kept = keptOf(name.toLowerCase(), value, host)
    return known.test(name) && kept !== undefined ? [name, kept] : []
  })
}

/** Undefined for a value that would tell something beyond the preview, or bring it in. `host` is that of a request. */
function keptOf(name: string, value: string, host: string): string | undefined {
  if (name === 'location') return withinPreview(value)
  // Where a person came from. A query of another page may hold a login.
  if (name === 'referer') return URL.parse(value)?.host === host.toLowerCase() ? value : undefined
  // Some browsers take headers from each part of such an answer, with cookies and policies among them.
  if (name === 'content-type') return /multipart/i.test(value) && host === '' ? 'application/octet-stream' : value
  return value
}

/**
 * Where an answer leads, as a path of the preview: its server may think of itself as `localhost` with a port of the branch.
 * Undefined for an address elsewhere, which would carry along what a page puts into it.
 */
function withinPreview(location: string): string | undefined {
  const url = URL.parse(location, 'http://localhost')
  const isHere =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  return isHere ? `${url.pathname.replace(/^\/+/, '/')}${url.search}${url.hash}` : undefined
}

function targetOf({ method, url }: IncomingMessage, socketPath: string) {
  return { socketPath, method, path: url, setHost: false, agent: false as const }
}

interface Preview {
  /** Path of the socket file behind it. */
  readonly socket: string
  /** The host that it answers to. */
  readonly name: string
}

/** For web sockets, by which servers of developers say that a page should load again. */
function upgrade(from: IncomingMessage, client: Socket, head: Buffer, { socket, name }: Preview): void {
  client.on('error', () => client.destroy())
  if (!isFromPreview(from, name)) return void client.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n')
  try {
    const headers = [
      ...headersFor(asked, from.rawHeaders, from.headers.host),
      'connection',
      'Upgrade',
      'upgrade',
      from.headers.upgrade ?? '',
    ]
    const passed = request({ ...targetOf(from, socket), headers })
    passed.on('error', () => client.destroy())
    passed.on('response', () => client.destroy())
    passed.on('upgrade', (answer, server, rest) => join(client, head, answer, server as Socket, rest))
    passed.end()
  } catch {
    client.destroy()
  }
}

function join(client: Socket, head: Buffer, answer: IncomingMessage, server: Socket, rest: Buffer): void {
  const lines = pairs(answer.rawHeaders)
    .filter(([name]) => /^(?:connection|upgrade|sec-websocket-.+)$/i.test(name))
    .map(([name, value]) => `${name}: ${value}\r\n`)
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
