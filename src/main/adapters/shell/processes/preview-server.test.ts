import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestOptions, request, type Server } from 'node:http'
import { connect, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPreviewServer } from './preview-server.ts'

let folder: string
let server: Server
let preview: Awaited<ReturnType<typeof openPreviewServer>>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pv-'))
  server = createServer((from, to) => void from.pipe(to.writeHead(201, { 'x-path': from.url ?? '' })))
  server.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: Upgrade\r\n\r\n')
    socket.pipe(socket)
  })
  await new Promise<void>((resolve) => void server.listen(join(folder, 's'), resolve))
  preview = await openPreviewServer(join(folder, 's'))
})
afterEach(async () => {
  await preview[Symbol.asyncDispose]()
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
})

function send(headers: Readonly<Record<string, string>>, body = ''): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      own({ path: '/a?b', method: 'POST', headers: { host: hostOf(preview), ...headers } }),
      (answer) => {
        const read = Object.assign(answer, { text: '' })
        answer.setEncoding('utf8').on('data', (piece: string) => {
          read.text += piece
        })
        answer.on('end', () => resolve(read))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

const hostOf = ({ url }: { readonly url: string }): string => new URL(url).host
/** Not every system leads such a name to itself as browsers do. */
const own = (options: RequestOptions): RequestOptions => ({ ...options, hostname: '127.0.0.1', port: portOf(preview) })

const portOf = ({ url }: { readonly url: string }): string => new URL(url).port

/** The answer to a request that no client would write. */
function sendRaw(port: string, headers: string, body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`POST / HTTP/1.1\r\n${headers}Connection: close\r\n\r\n${body}`)
    })
    let text = ''
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    socket.on('close', () => resolve(text)).on('error', reject)
  })
}

describe('the server of a preview', () => {
  it('passes requests of its own pages on as they are', async () => {
    const host = hostOf(preview)
    const { statusCode, headers, text } = await send({ host, origin: `http://${host}` }, 'body')
    expect([statusCode, headers['x-path'], text]).toEqual([201, '/a?b', 'body'])
  })

  it('lets a person come from elsewhere', async () => {
    const opening = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await send(opening)).statusCode).toBe(201)
  })

  it.each([
    { host: 'evil.example' },
    { host: '127.0.0.1:PORT' },
    { host: 'localhost:PORT' },
    { host: 'preview-0000000000000000.localhost:PORT' },
    { host: 'x.OWN' },
    { host: 'evil.example:PORT' },
    { host: '127.0.0.1.evil.example:PORT' },
    { host: '127.0.0.1:1' },
    { host: '127.0.0.1' },
    { origin: 'https://evil.example' },
    { origin: 'http://127.0.0.1:1' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'script' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  ])('refuses a request of somebody else: %o', async (given) => {
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        value.replace('PORT', portOf(preview)).replace('OWN', hostOf(preview)),
      ]),
    )
    expect((await send(headers, 'body')).statusCode).toBe(403)
  })

  it('refuses a request with two hosts', async () => {
    const answer = await sendRaw(portOf(preview), `Host: ${hostOf(preview)}\r\nHost: evil.example\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /)
  })

  it('forbids its pages to reach anything else, whatever they say themselves', async () => {
    server.removeAllListeners('request')
    server.on('request', (_, to) => void to.writeHead(200, { 'content-security-policy': 'default-src *' }).end())
    const policies = (await send({})).headersDistinct['content-security-policy'] ?? []
    expect(policies).toHaveLength(1)
    expect(policies[0]).toContain("default-src 'self'")
    expect(policies[0]).toContain("connect-src 'self'")
  })

  // Mutation: when all headers are passed on, each of these sends something elsewhere, or reaches other services of the person.
  it('passes on no header by which a browser would send, keep, clear or show something beyond the page', async () => {
    const ways = {
      ...{
        'content-security-policy': 'default-src *; report-uri https://evil.example',
        'set-cookie': 'a=1; Domain=localhost',
      },
      ...{ 'content-security-policy-report-only': "default-src 'none'; report-uri https://evil.example" },
      ...{
        'reporting-endpoints': 'e="https://evil.example"',
        'report-to': '{}',
        nel: '{}',
        'expect-ct': 'report-uri="x"',
      },
      ...{
        link: '<https://evil.example>; rel=preconnect',
        refresh: '0; url=https://evil.example',
        'alt-svc': 'h2="evil.example:443"',
      },
      ...{
        'clear-site-data': '"cookies"',
        'www-authenticate': 'Basic',
        'access-control-allow-origin': '*',
        'speculation-rules': '"/r"',
      },
      ...{
        'strict-transport-security': 'max-age=1',
        'service-worker-allowed': '/',
        sourcemap: 'https://evil.example',
        'accept-ch': 'x',
      },
      ...{
        'x-xss-protection': '1; report=https://evil.example',
        'x-webkit-csp': "default-src 'none'; report-uri https://evil.example",
        'x-content-security-policy': "default-src 'none'; report-uri https://evil.example",
        'x-content-security-policy-report-only': 'report-uri https://evil.example',
        'x-webkit-csp-report-only': 'report-uri https://evil.example',
        'x-sourcemap': 'https://evil.example',
        'content-location': 'https://evil.example',
        'x-pingback': 'https://evil.example',
      },
      ...{
        'set-login': 'logged-in',
        'permissions-policy-report-only': 'camera=();report-to=evil',
        'cross-origin-opener-policy-report-only': 'same-origin; report-to="evil"',
        'document-policy': 'evil;report-to=evil',
        'integrity-policy': 'blocked-destinations=(script), endpoints=(evil)',
        'secure-session-registration': '(ES256);path="https://evil.example"',
        'sec-session-registration': '(ES256);path="https://evil.example"',
        'use-as-dictionary': 'match="/*"',
        'critical-ch': 'sec-ch-ua-model',
        'delegate-ch': 'sec-ch-ua https://evil.example',
        'activate-storage-access': 'load',
        'origin-agent-cluster': '?0',
        'set-cookie2': 'a=1',
        'proxy-authenticate': 'Basic',
        'public-key-pins-report-only': 'report-uri="https://evil.example"',
        'alternate-protocol': '443:quic,p="evil.example"',
        'timing-allow-origin': '*',
        'no-vary-search': 'params',
        'supports-loading-mode': 'credentialed-prerender',
        'ad-auction-signals': 'evil',
      },
      ...{
        'attribution-reporting-register-source': '{}',
        'observe-browsing-topics': '?1',
        location: 'https://evil.example/?secret',
      },
    }
    server.removeAllListeners('request')
    server.on('request', (_, to) => void to.writeHead(200, { ...ways, etag: '"1"', 'x-own': 'kept' }).end())
    const { headers } = await send({})
    expect(headers).toMatchObject({ etag: '"1"', 'x-own': 'kept' })
    expect(JSON.stringify(headers)).not.toMatch(/evil|secret/)
    const own = ['content-security-policy']
    expect(Object.keys(ways).filter((name) => name in headers && !own.includes(name))).toEqual([])
    expect(headers['permissions-policy']).toContain('attribution-reporting=()')
    server.removeAllListeners('request')
    server.on(
      'request',
      (_, to) =>
        void to
          .writeHead(200, { 'x-dns-prefetch-control': 'on', 'connection-allowlist': '("https://evil.example")' })
          .end(),
    )
    expect((await send({})).headersDistinct['x-dns-prefetch-control']).toEqual(['off'])
    expect((await send({})).headersDistinct['connection-allowlist']).toEqual(['(response-origin);webrtc=block'])
  })

  it('gives the page no cookie and no login that a browser has, and leads only to itself', async () => {
    server.removeAllListeners('request')
    const places = [
      'http://localhost:3000/next?a#b',
      '/there',
      '//evil.example/x',
      'https://evil.example',
      'mailto:x@y',
    ]
    let seen: IncomingMessage['headers'] = {}
    server.on('request', (from, to) => {
      seen = from.headers
      to.writeHead(302, { location: places.shift() }).end()
    })
    const sent = {
      cookie: 'session=person',
      authorization: 'Basic x',
      'proxy-authorization': 'x',
      'x-csrf': 'y',
      accept: 'z',
    }
    const led: unknown[] = []
    for (let left = places.length; left > 0; left -= 1) led.push((await send(sent)).headers.location)
    expect(seen).toMatchObject({ 'x-csrf': 'y', accept: 'z' })
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['cookie']))
    expect(JSON.stringify(seen)).not.toMatch(/person|Basic/)
    expect(led).toEqual(['/next?a#b', '/there', undefined, undefined, undefined])
  })

  // Mutation: when each kind is passed on, Firefox takes cookies and policies with addresses for reports from its parts.
  it.each([
    'multipart/x-mixed-replace; boundary=b',
    'Multipart/Mixed;boundary=b',
    'multipart/byteranges; boundary=b',
    'text/html, multipart/x-mixed-replace; boundary=b',
  ])('passes on no answer whose parts have headers of their own: %s', async (kind) => {
    server.removeAllListeners('request')
    const part = '--b\r\nContent-Type: text/html\r\nSet-Cookie: a=1\r\n\r\n<p>page</p>\r\n--b--'
    server.on('request', (_, to) => void to.writeHead(200, { 'content-type': kind }).end(part))
    expect((await send({})).headers['content-type']).toBe('application/octet-stream')
  })

  // Mutation: when it is passed on, a page learns the address of the page that led to it.
  it('tells its page not where a person came from', async () => {
    server.removeAllListeners('request')
    const seen: unknown[] = []
    server.on('request', (from, to) => {
      seen.push(from.headers.referer)
      to.end()
    })
    const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const own = `http://${hostOf(preview)}/a?b`
    const others = ['http://127.0.0.1:1/?token=person', `http://${hostOf(preview)}@evil.example/`, 'no address']
    for (const referer of [own, ...others]) await send({ referer, ...opened })
    expect(seen).toEqual([own, undefined, undefined, undefined])
  })

  it('passes on nothing that follows an answer or stands before it', async () => {
    const plain =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Set-Cookie\r\n\r\n0\r\nSet-Cookie: evil=1\r\n\r\n'
    const answers = [
      plain,
      `HTTP/1.1 100 Continue\r\nSet-Cookie: evil=1\r\n\r\n${plain}`,
      `HTTP/1.1 102 Processing\r\nLink: <https://evil.example>\r\n\r\n${plain}`,
      'HTTP/1.1 200 OK evil\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: evil=1\r\n\r\n',
      'HTTP/1.1 204 No Content\r\nContent-Length: 60\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: evil=1\r\n\r\n',
    ]
    server.close()
    server.closeAllConnections()
    rmSync(join(folder, 's'), { force: true })
    const odd = createSocketServer((socket) => void socket.on('error', () => {}).end(answers.shift() ?? ''))
    await new Promise<void>((resolve) => void odd.listen(join(folder, 's'), resolve))
    for (let left = answers.length; left > 0; left -= 1)
      expect(await sendRaw(portOf(preview), `Host: ${hostOf(preview)}\r\n`)).not.toMatch(/evil/)
    odd.close()
  })

  // Mutation: without a listener for 'upgrade', a page waits for ever for an answer with another protocol.
  it.each([
    'HTTP/1.1 099 Odd\r\n\r\n',
    'HTTP/1.1 000 Odd\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTrailer: X\r\n\r\na',
    'no HTTP at all\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-A: a\nX-B: b\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`,
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na',
    'HTTP/1.1 103 Early Hints\r\nLink: <https://evil.example>; rel=preconnect\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
  ])('lives on after an answer that no server may give: %j', async (answer) => {
    server.close()
    server.closeAllConnections()
    const odd = createSocketServer((socket) => void socket.on('error', () => {}).end(answer))
    rmSync(join(folder, 's'), { force: true })
    await new Promise<void>((resolve) => void odd.listen(join(folder, 's'), resolve))
    expect([200, 502]).toContain((await send({})).statusCode)
    const contradiction = `Host: ${hostOf(preview)}\r\nTrailer: X\r\nContent-Length: 1\r\n`
    expect(await sendRaw(portOf(preview), contradiction, 'a')).toMatch(/^HTTP\/1\.1 \d{3} /)
    expect([200, 502]).toContain((await send({})).statusCode)
    odd.close()
  })

  it('passes on web sockets, but none of another page', async () => {
    const open = (headers: Readonly<Record<string, string>>) =>
      new Promise<string>((resolve, reject) => {
        const more = { host: hostOf(preview), connection: 'Upgrade', upgrade: 'echo' }
        const sent = request(own({ headers: { ...headers, ...more } }))
        sent.on('upgrade', (_, socket) => {
          socket.on('data', (piece) => {
            resolve(String(piece))
            socket.destroy()
          })
          socket.write('hello')
        })
        sent.on('response', ({ statusCode }) => resolve(String(statusCode)))
        sent.on('error', reject)
        sent.end()
      })
    expect(await open({})).toBe('hello')
    expect(await open({ origin: 'https://evil.example' })).toBe('403')
  })

  it('says so when nothing answers any more', async () => {
    server.close()
    server.closeAllConnections()
    rmSync(join(folder, 's'), { force: true })
    expect((await send({})).statusCode).toBe(502)
  })
})
