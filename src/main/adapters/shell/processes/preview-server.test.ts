import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
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

describe('the server of a preview', () => {
  it('passes requests on as they are', async () => {
    const { statusCode, headers, text } = await send({ host: 'localhost:1', origin: preview.url.slice(0, -1) }, 'body')
    expect([statusCode, headers['x-path'], text]).toEqual([201, '/a?b', 'body'])
  })

  it.each([
    { host: 'evil.example' },
    { host: '127.0.0.1.evil.example' },
    { host: 'localhost.evil.example:80' },
    { host: '127.0.0.1', origin: 'https://evil.example' },
    { host: '127.0.0.1', origin: 'null' },
  ])('refuses a request of somebody else: %o', async (headers) => {
    const { statusCode, text } = await send(headers, 'body')
    expect([statusCode, text]).toEqual([403, 'Previews answer only to 127.0.0.1 and localhost.\n'])
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
