import { mkdtempSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { openTestHost } from '#host/testing/test-host.testkit.ts'
import { originPolicyFor } from './security.ts'
import { attachSocket } from './socket.ts'

const token = 'the-token'

async function openDoor() {
  await using cleanup = new AsyncDisposableStack()
  const host = cleanup.use(await openTestHost(mkdtempSync(join(tmpdir(), 'coppice-socket-'))))
  const server = await new Promise<Server>((resolve) => {
    const made = createServer().listen(0, '127.0.0.1', () => resolve(made))
  })
  const { port } = server.address() as AddressInfo
  cleanup.defer(() => void server.close())
  cleanup.use(attachSocket(server, host.router, () => originPolicyFor('127.0.0.1', port), token))
  const connect = (): WebSocket =>
    new WebSocket(`ws://127.0.0.1:${port}/rpc`, { headers: { origin: `http://127.0.0.1:${port}` } }).on(
      'error',
      () => undefined,
    )
  const closing = cleanup.move()
  return { connect, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

const opened = (socket: WebSocket): Promise<unknown> => new Promise((resolve) => socket.once('open', resolve))
const ended = (socket: WebSocket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve))

async function enter(socket: WebSocket): Promise<string> {
  await opened(socket)
  socket.send(JSON.stringify({ token }))
  return new Promise((resolve) => {
    socket.once('message', (data) => resolve(String(data)))
    socket.once('close', (code) => resolve(String(code)))
  })
}

// Mutation: with one bound for all sockets, the silent ones keep the person out.
it('lets a person in, however many sockets say nothing', async () => {
  await using door = await openDoor()
  const silent = Array.from({ length: 64 }, () => door.connect())
  await Promise.all(silent.map(opened))
  const gone = Promise.all(silent.slice(0, 2).map(ended))
  expect(await enter(door.connect())).toBe('{"ready":true}')
  await Promise.all([door.connect(), door.connect()].map(opened))
  await gone
  expect(silent.filter(({ readyState }) => readyState === WebSocket.OPEN)).toHaveLength(62)
})

// Mutation: without the bound before the token, the host reads and holds the whole megabyte.
it('ends a socket that sends more than a token before it has sent one', async () => {
  await using door = await openDoor()
  for (const flood of [
    (socket: WebSocket) => socket.send(Buffer.alloc(1024 * 1024)),
    (socket: WebSocket) => {
      for (let at = 0; at < 1_000; at += 1) socket.send('x'.repeat(100), { fin: false })
    },
    (socket: WebSocket) => {
      for (let at = 0; at < 1_000; at += 1) socket.ping('x'.repeat(100))
    },
  ]) {
    const socket = door.connect()
    await opened(socket)
    const end = ended(socket)
    flood(socket)
    await end
  }
})

it('takes large messages of a socket that has sent the token', async () => {
  await using door = await openDoor()
  const socket = door.connect()
  expect(await enter(socket)).toBe('{"ready":true}')
  const answer = new Promise((resolve) => socket.once('message', resolve))
  socket.send(JSON.stringify({ i: '1', p: { u: '/nothing', b: 'x'.repeat(2 * 1024 * 1024) } }))
  await answer
  expect(socket.readyState).toBe(WebSocket.OPEN)
})

it('refuses more than 32 sockets with the token, and takes one again when one has closed', async () => {
  await using door = await openDoor()
  const inside = Array.from({ length: 32 }, () => door.connect())
  await Promise.all(inside.map(enter))
  expect(await enter(door.connect())).toBe('4429')
  const end = ended(inside[0] as WebSocket)
  inside[0]?.close()
  await end
  await expect.poll(() => enter(door.connect())).toBe('{"ready":true}')
})

// Mutation: give the library the socket itself. It prints the error of each of them.
it.each([
  ...[
    'x',
    '{}',
    '[]',
    'null',
    '"a"',
    '{"i":1,"p":{"u":"/x"}}',
    '{"i":"1"}',
    '{"i":"1","p":{"u":5}}',
    '{"i":"1","t":9,"p":{}}',
  ],
  ...['{"i":"1","p":{"u":"http://["}}', '{"i":"1","p":{"u":"/x","h":{"content-type":"multipart/form-data"}}}'],
  ...[Buffer.from([0xff, 0xfe]), Buffer.from('{"i":"1"'), Buffer.alloc(0)],
])('ends a socket that sends %j in place of a message, and prints nothing', async (message) => {
  const printed = vi.spyOn(console, 'error').mockReturnValue()
  await using door = await openDoor()
  const socket = door.connect()
  await enter(socket)
  const end = new Promise((resolve) => socket.once('close', resolve))
  socket.send(message)
  expect(await end).toBe(4400)
  expect(printed).not.toHaveBeenCalled()
  printed.mockRestore()
})
