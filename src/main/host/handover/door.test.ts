import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { type Guest, openDoor } from './door.ts'
import { type FrameFromTerminal, type FrameToTerminal, readFrames, sendFrame } from './frames.ts'

const size = { columns: 80, rows: 24 }
const line = { args: ['diff', 'x'], environment: {}, terminals: { input: false, output: false, errors: false }, size }
const hello = (token: string, version = '1') => ({ kind: 'hello', token, version, line }) as const

async function open(carryOut: (guest: Guest) => Promise<number>) {
  const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-door-test-'))
  return openDoor({ dataFolder, version: '1', holder: 'a window', carryOut })
}

/** Connects, says something and resolves to all frames until the end of the connection. */
function knock(place: string, first: FrameFromTerminal, then?: (frame: FrameToTerminal, socket: Socket) => void) {
  return new Promise<readonly FrameToTerminal[]>((resolve) => {
    const frames: FrameToTerminal[] = []
    const socket = connect(place)
    socket.on('connect', () => sendFrame(socket, first))
    readFrames<FrameToTerminal>(socket, (frame) => {
      frames.push(frame)
      then?.(frame, socket)
    })
    socket.on('close', () => resolve(frames))
  })
}

it('carries out a command line and gives its output and its exit code', async () => {
  await using door = await open(async ({ line: { args }, send }) => {
    send({ kind: 'output', bytes: Buffer.from(args.join()).toString('base64') })
    return 3
  })
  expect(await knock(door.place, hello(door.token))).toEqual([
    { kind: 'welcome', holder: 'a window' },
    { kind: 'output', bytes: Buffer.from('diff,x').toString('base64') },
    { kind: 'exit', code: 3 },
  ])
})

// Mutation: without the comparison of tokens, the command line is carried out.
it('sends away who does not know the token, or says something else first', async () => {
  const carryOut = vi.fn(async () => 0)
  await using door = await open(carryOut)
  expect(await knock(door.place, hello('guess'))).toEqual([])
  expect(await knock(door.place, hello(''))).toEqual([])
  expect(await knock(door.place, { kind: 'stop' })).toEqual([])
  expect(carryOut).not.toHaveBeenCalled()
})

it('refuses another version with a sentence', async () => {
  const carryOut = vi.fn(async () => 0)
  await using door = await open(carryOut)
  const [refused] = await knock(door.place, hello(door.token, '2'))
  expect(refused).toMatchObject({ kind: 'refused', message: expect.stringContaining('version 1, and this is 2') })
  expect(carryOut).not.toHaveBeenCalled()
})

it('opens its socket to nobody else', async () => {
  await using door = await open(async () => 0)
  expect(statSync(door.place).mode & 0o077).toBe(0)
  expect(statSync(join(door.place, '..')).mode & 0o077).toBe(0)
})

// Mutation: never ask for the length of the temporary folder, and the system says EINVAL.
it('a data folder with a long path has its socket in the temporary folder, and says so when that is long as well', async () => {
  const above = mkdtempSync(join(tmpdir(), 'coppice-door-test-'))
  const dataFolder = join(above, 'd'.repeat(100))
  const options = { dataFolder, version: '1', holder: 'a window', carryOut: async () => 3 }
  {
    await using door = await openDoor(options)
    expect((await knock(door.place, hello(door.token))).at(-1)).toEqual({ kind: 'exit', code: 3 })
  }
  const long = join(above, 't'.repeat(60))
  mkdirSync(long)
  vi.stubEnv('TMPDIR', long)
  await expect(openDoor(options)).rejects.toThrow('Set TMPDIR to a shorter one')
  vi.unstubAllEnvs()
  rmSync(above, { recursive: true })
})

it('says when the terminal goes away, and when the process closes', async () => {
  const guests: Guest[] = []
  const end = Promise.withResolvers<number>()
  const door = await open((guest) => {
    guests.push(guest)
    guest.closing.addEventListener('abort', () => end.resolve(130))
    return end.promise
  })
  const first = knock(door.place, hello(door.token), (_frame, socket) => socket.destroy())
  await first
  await eventually(() => expect(guests[0]?.gone.aborted).toBe(true))
  const second = knock(door.place, hello(door.token))
  await eventually(() => expect(guests).toHaveLength(2))
  await door[Symbol.asyncDispose]()
  expect((await second).at(-1)).toEqual({ kind: 'exit', code: 130 })
})

// Mutation: without `strangers`, its line is carried out by a process whose projects are closed.
it('sends away who is connected and has said nothing when the process closes', async () => {
  const carryOut = vi.fn(async () => 0)
  const door = await open(carryOut)
  const socket = connect(door.place).resume()
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  // Answered, so the first connection is greeted as well: connections come in order.
  await knock(door.place, hello(door.token))
  const closed = new Promise((resolve) => socket.on('close', resolve))
  await door[Symbol.asyncDispose]()
  sendFrame(socket, hello(door.token))
  await closed
  expect(carryOut).toHaveBeenCalledTimes(1)
})

it('waits for those who came, and says how many', async () => {
  const end = Promise.withResolvers<number>()
  await using door = await open(() => end.promise)
  const waiting = vi.fn()
  await door.idle(waiting)
  expect(waiting).not.toHaveBeenCalled()
  const ended = knock(door.place, hello(door.token), () => end.resolve(0))
  await ended
  await door.idle(waiting)
})
