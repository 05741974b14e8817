import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTemporary } from '#adapters/system/made-folders.ts'
import { type FrameFromTerminal, type FrameToTerminal, type HandedLine, readFrames, sendFrame } from './frames.ts'

/** Where a process takes command lines about its open projects. Only who may read the token gets in. */
export interface Door {
  /** Path of a local socket, or the name of a pipe on Windows. */
  readonly place: string
  readonly token: string
}

/** A command line that came through the door, and the way back to its terminal. */
export interface Guest {
  readonly line: HandedLine
  /** `sent` is called when there is room for more. */
  send(frame: FrameToTerminal, sent?: () => void): void
  /** Frames after the first one. */
  listen(listener: (frame: FrameFromTerminal) => void): void
  /** Aborts when the terminal goes away. */
  readonly gone: AbortSignal
  /** Aborts when this process closes. */
  readonly closing: AbortSignal
}

export interface OpenDoor extends Door, AsyncDisposable {
  /** Resolves when every command line that came in has ended. Calls `waiting` first when there are some. */
  idle(waiting: (count: number) => void): Promise<void>
}

export interface DoorOptions {
  readonly dataFolder: string
  readonly version: string
  /** The name of this process for a person. */
  readonly holder: string
  /** Carries out a command line and resolves to its exit code. */
  readonly carryOut: (guest: Guest) => Promise<number>
}

/** A process that connects and says nothing is sent away. In milliseconds. */
const patience = 10_000

/**
 * Opens the door of this process. The folder of the socket is closed to other users, and programs in the sandbox see
 * neither it nor the file with the token.
 */
export async function openDoor({ dataFolder, version, holder, carryOut }: DoorOptions): Promise<OpenDoor> {
  const token = randomBytes(32).toString('base64url')
  const place = placeIn(dataFolder)
  const guests = new Set<Promise<unknown>>()
  /** Connected, and not let in yet. */
  const strangers = new Set<Socket>()
  const closing = new AbortController()
  const server = createServer((socket) => greet(socket))

  function greet(socket: Socket): void {
    strangers.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => strangers.delete(socket))
    const listeners = new Set<(frame: FrameFromTerminal) => void>()
    const timer = setTimeout(() => socket.destroy(), patience)
    const refuse = (message: string): void => sendFrame(socket, { kind: 'refused', message }, () => socket.end())
    let isIn = false
    readFrames<FrameFromTerminal>(socket, (frame) => {
      if (isIn) {
        for (const listener of listeners) listener(frame)
        return
      }
      clearTimeout(timer)
      if (frame.kind !== 'hello' || !isEqual(frame.token, token)) return void socket.destroy()
      if (frame.version !== version)
        return refuse(
          `It is open in ${holder}, which is version ${version}, and this is ${frame.version}. Start the older one again.`,
        )
      isIn = true
      strangers.delete(socket)
      const guest = enter(socket, frame.line, listeners)
      guests.add(guest)
      void guest.finally(() => guests.delete(guest))
    })
  }
  async function enter(
    socket: Socket,
    line: HandedLine,
    listeners: Set<(frame: FrameFromTerminal) => void>,
  ): Promise<void> {
    const left = new AbortController()
    socket.on('close', () => left.abort())
    sendFrame(socket, { kind: 'welcome', holder })
    const guest: Guest = {
      line,
      send: (frame, sent) => sendFrame(socket, frame, sent),
      listen: (listener) => void listeners.add(listener),
      gone: left.signal,
      closing: closing.signal,
    }
    const code = await carryOut(guest).catch(() => 1)
    sendFrame(socket, { kind: 'exit', code }, () => socket.end())
  }
  await listen(server, place)
  return {
    ...{ place, token },
    async idle(waiting) {
      if (guests.size > 0) waiting(guests.size)
      while (guests.size > 0) await Promise.allSettled(guests)
    },
    async [Symbol.asyncDispose]() {
      server.close()
      // The projects are closed next. Who is sent away asks again, and finds them free.
      for (const socket of strangers) socket.destroy()
      closing.abort()
      await Promise.allSettled(guests)
    },
  }
}

const isWindows = process.platform === 'win32'
/** Bytes of a socket's path that every system takes. */
const longestPlace = 100
/** Bytes of the temporary folder's path that leave room for a folder of ours and a name in it. */
const longestTemporary = 60

/** A place that no other process has. Removes those of processes that have ended. */
function placeIn(dataFolder: string): string {
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`
  if (isWindows) return `\\\\.\\pipe\\coppice-${name}`
  const folder = join(dataFolder, 'doors')
  if (Buffer.byteLength(join(folder, name)) > longestPlace) return join(temporaryPlace(), name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  for (const old of readdirSync(folder))
    if (!isAlive(Number.parseInt(old, 10))) rmSync(join(folder, old), { force: true })
  return join(folder, name)
}

function temporaryPlace(): string {
  if (Buffer.byteLength(tmpdir()) > longestTemporary)
    throw new Error(`the path of the temporary folder is too long for one. Set TMPDIR to a shorter one.`)
  return makeTemporary('door')
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function listen(server: Server, place: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(place, () => {
      if (!isWindows) chmodSync(place, 0o600)
      // A verb that has done its work does not stay for the door.
      server.unref()
      resolve()
    })
  })
}

function isEqual(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(String(text)).digest()
  return timingSafeEqual(digest(left), digest(right))
}
