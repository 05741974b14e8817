import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestHost } from '#host/testing/test-host.testkit.ts'
import { startWebFrontend } from './web-frontend.ts'

const fileBytes = 3 * 1024 * 1024

async function openDoor() {
  await using cleanup = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'coppice-web-'))
  mkdirSync(join(folder, 'page/assets'), { recursive: true })
  writeFileSync(join(folder, 'page/index.html'), 'the page')
  writeFileSync(join(folder, 'page/assets/large.js'), 'x'.repeat(fileBytes))
  const host = cleanup.use(await openTestHost(join(folder, 'data')))
  const options = { host, rendererFolder: join(folder, 'page'), address: '127.0.0.1', port: 0 }
  const { port } = cleanup.use(await startWebFrontend(options))
  const opened: Socket[] = []
  cleanup.defer(() => {
    for (const one of opened) one.destroy()
  })
  const socket = (): Socket => {
    const made = connect(port, '127.0.0.1').on('error', () => undefined)
    opened.push(made)
    return made
  }
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`
  const closing = cleanup.move()
  return { port, socket, get, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

const ended = (socket: Socket) => once(socket, 'close')

// Mutation: without the bound, a connection gets all answers at once, hundreds of megabytes of them.
it('ends a connection that asks again before it has taken an answer', async () => {
  await using door = await openDoor()
  const before = process.memoryUsage.rss()
  const greedy = Array.from({ length: 20 }, () => door.socket().pause())
  const ends = greedy.map((socket) => ended(socket.resume()))
  for (const socket of greedy) socket.write(door.get('/assets/large.js').repeat(400))
  await Promise.all(ends)
  expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 * 1024)
  expect(await (await fetch(`http://127.0.0.1:${door.port}/`)).text()).toBe('the page')
})

it('answers one request after the other on one connection', async () => {
  await using door = await openDoor()
  const socket = door.socket().setEncoding('utf8')
  for (let time = 0; time < 3; time += 1) {
    socket.write(door.get('/'))
    let answer = ''
    while (!answer.includes('the page')) answer += (await once(socket, 'data'))[0]
    expect(answer).toMatch(/^HTTP\/1\.1 200/)
  }
})

it('lets a person in, however many connections say nothing', async () => {
  await using door = await openDoor()
  const silent = Array.from({ length: 200 }, () => door.socket())
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  const first = silent[0] as Socket
  if (!first.closed) await ended(first)
  expect(await (await fetch(`http://127.0.0.1:${door.port}/`)).text()).toBe('the page')
  await expect.poll(() => silent.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(64)
})

// Mutation: when the refused socket is only half closed, it stays for as long as the other side likes.
it('closes a refused upgrade, even when the other side does not', async () => {
  await using door = await openDoor()
  const socket = connect({ port: door.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
  socket.write(`GET /x HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toContain('403')
  // Writing to a socket that the other side destroyed ends in an error or a reset.
  await expect
    .poll(() => {
      socket.write('x')
      return socket.destroyed || socket.errored !== null
    })
    .toBe(true)
})
