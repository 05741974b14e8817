import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
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
    const sent = request(`${preview.url}a?b`, { method: 'POST', headers }, (answer) => {
      const read = Object.assign(answer, { text: '' })
      answer.setEncoding('utf8').on('data', (piece: string) => {
        read.text += piece
      })
      answer.on('end', () => resolve(read))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

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
    const host = `localhost:${portOf(preview)}`
    const { statusCode, headers, text } = await send({ host, origin: `http://${host}` }, 'body')
    expect([statusCode, headers['x-path'], text]).toEqual([201, '/a?b', 'body'])
  })

  it('lets a person come from elsewhere', async () => {
    const opening = { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await send(opening)).statusCode).toBe(201)
  })

  it.each([
    { host: 'evil.example' },
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
      Object.entries(given).map(([name, value]) => [name, value.replace('PORT', portOf(preview))]),
    )
    expect((await send(headers, 'body')).statusCode).toBe(403)
  })

  it('refuses a request with two hosts', async () => {
    const answer = await sendRaw(portOf(preview), `Host: 127.0.0.1:${portOf(preview)}\r\nHost: evil.example\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /)
  })

  it('forbids its pages to reach anything else, whatever they say themselves', async () => {
    server.removeAllListeners('request')
    server.on('request', (_, to) => void to.writeHead(200, { 'content-security-policy': 'default-src *' }).end())
    const policies = (await send({})).headersDistinct['content-security-policy'] ?? []
    expect(policies).toHaveLength(2)
    expect(policies[1]).toContain("default-src 'self'")
    expect(policies[1]).toContain("connect-src 'self'")
  })

  it.each([
    'HTTP/1.1 099 Odd\r\n\r\n',
    'HTTP/1.1 000 Odd\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTrailer: X\r\n\r\na',
    'no HTTP at all\r\n\r\n',
  ])('lives on after an answer that no server may give: %j', async (answer) => {
    server.close()
    server.closeAllConnections()
    const odd = createSocketServer((socket) => void socket.on('error', () => {}).end(answer))
    rmSync(join(folder, 's'), { force: true })
    await new Promise<void>((resolve) => void odd.listen(join(folder, 's'), resolve))
    expect([200, 502]).toContain((await send({})).statusCode)
    const contradiction = `Host: 127.0.0.1:${portOf(preview)}\r\nTrailer: X\r\nContent-Length: 1\r\n`
    expect(await sendRaw(portOf(preview), contradiction, 'a')).toMatch(/^HTTP\/1\.1 \d{3} /)
    expect([200, 502]).toContain((await send({})).statusCode)
    odd.close()
  })

  it('passes on web sockets, but none of another page', async () => {
    const open = (headers: Readonly<Record<string, string>>) =>
      new Promise<string>((resolve, reject) => {
        const sent = request(preview.url, { headers: { ...headers, connection: 'Upgrade', upgrade: 'echo' } })
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
