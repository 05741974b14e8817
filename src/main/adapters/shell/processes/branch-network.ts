import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { CommandNetwork, ListeningPort, Preview } from '#core/ports/shell.ts'
import { ShellError } from '#core/ports/shell.ts'
import type { CommandUser } from '../../system/command-user.ts'
import { appMark, whileAppLives } from '../../system/ends-with-app.ts'
import { makeTemporary, removeMade } from '../../system/made-folders.ts'
import { systemProgram } from '../../system/system-programs.ts'
import { listeningPorts } from './listening-ports.ts'
import { openPreviewServer } from './preview-server.ts'

/** What a command line needs to run in a network that is open. */
export interface JoinedNetwork {
  /** Goes before a command line. Its last program runs in the network. */
  readonly enter: readonly string[]
}

export interface HeldNetwork extends CommandNetwork, JoinedNetwork {
  /**
   * Leads from a port of the network to a socket file of the machine, until it is disposed of. Nobody knows the port before, so no
   * program of the network can wait there in its place, unless a port is asked for. Throws `ShellError`.
   */
  leadTo(socket: string, port?: number): Promise<WayOut>
}

export interface WayOut extends Disposable {
  readonly port: number
}

const descriptor = 3
/** Connections at one time. Each is a process of the machine, outside the limits of commands; more have to wait. */
const mostConnections = 'max-children=64'

/**
 * Makes a network with nothing but a loopback, and a process that holds it.
 *
 * The holder is bubblewrap, since it turns the loopback on without a program of the system. It runs nothing of the branch
 * and sees the machine as the app does; commands only share its network, and have no rights over it.
 */
export async function holdNetwork(user: CommandUser): Promise<HeldNetwork> {
  const folder = makeTemporary('network')
  const holder = startHolder(user)
  const ended = new Promise<void>((resolve) => {
    holder.once('close', () => resolve())
    holder.once('error', () => resolve())
  })
  const end = async () => {
    if (holder.pid !== undefined && holder.exitCode === null && holder.signalCode === null) endGroup(holder.pid)
    await ended
    await removeMade(folder)
  }
  try {
    const pid = await Promise.race([firstProcess(holder), ended.then(() => undefined)])
    if (pid === undefined) throw new ShellError('unavailable', 'The network of the branch could not be made.')
    requireSeparate(pid)
    await until(() => !['', 'bwrap'].includes(nameOf(pid)), ended, 'The network of the branch could not be made.')
    return withHolder({ pid, folder, user, end })
  } catch (error) {
    await end()
    throw error
  }
}

function startHolder(user: CommandUser): ChildProcess {
  const [file = '', ...parameters] = whileAppLives([
    systemProgram('bwrap'),
    '--as-pid-1',
    ...(isRoot(user) ? [] : ['--unshare-user']),
    ...['--unshare-net', '--unshare-pid', '--die-with-parent', '--new-session', '--info-fd', String(descriptor)],
    ...['--dev-bind', '/', '/', '--proc', '/proc', '--', ...whileAppLives([systemProgram('sleep'), 'infinity'])],
  ])
  return spawn(file, parameters, { stdio: ['pipe', 'ignore', 'ignore', 'pipe'], env: appMark(), detached: true })
}

/** Root needs no namespace of users, and must not have one: what it starts later joins the network alone. */
function isRoot({ kind }: CommandUser): boolean {
  return kind === 'other' || kind === 'root'
}

/** The number of the first process in the network. Undefined when bubblewrap says none. */
async function firstProcess({ stdio }: ChildProcess): Promise<number | undefined> {
  const info = stdio[descriptor]
  if (!(info instanceof Readable)) return undefined
  let text = ''
  for await (const chunk of info.setEncoding('utf8')) text += chunk
  return Number(/"child-pid":\s*(\d+)/.exec(text)?.[1]) || undefined
}

/** Throws unless the network is another one than the app's and has no device but its loopback. */
function requireSeparate(pid: number): void {
  const devices = readFileSync(`/proc/${pid}/net/dev`, 'utf8')
    .split('\n')
    .slice(2)
    .flatMap((line) => line.split(':')[0]?.trim() || [])
  const isOwn = readlinkSync(`/proc/${pid}/ns/net`) !== readlinkSync('/proc/self/ns/net')
  if (!isOwn || devices.some((device) => device !== 'lo'))
    throw new ShellError('unavailable', 'The network of the branch is not separate from the machine’s.')
}

/**
 * The name of a process; empty when it has ended. Bubblewrap says which process it made before it has given that one its
 * user and its loopback, and nothing can join the network earlier. Then it becomes the program that it holds.
 */
function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

/** Throws `ShellError` when the holder ends first. */
async function until(isTrue: () => boolean, ended: Promise<void>, message: string): Promise<void> {
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  while (!isTrue()) {
    if (hasEnded) throw new ShellError('unavailable', message)
    await setTimeout(retryMs)
  }
}

function portsOf(pid: number): readonly ListeningPort[] {
  return listeningPorts({ v4: read(pid, 'tcp'), v6: read(pid, 'tcp6') })
}

interface Holder {
  readonly pid: number
  /** Made for the sockets of previews. No command sees it. */
  readonly folder: string
  readonly user: CommandUser
  readonly end: () => Promise<void>
}

function withHolder({ pid, folder, user, end }: Holder): HeldNetwork {
  const place = (name: string) => `/proc/${pid}/ns/${name}`
  const asUser = isRoot(user) ? [] : ['--preserve-credentials', `--user=${place('user')}`]
  const enter = [systemProgram('nsenter'), ...asUser, `--net=${place('net')}`, '--']
  const previews = new Set<AsyncDisposable>()
  const ways = new Set<WayOut>()
  const wanted = new Map<number, SharedWay>()
  const isWay = (taken: number) => wanted.has(taken) || [...ways].some(({ port }) => port === taken)
  return {
    enter,
    ports: () => portsOf(pid).filter(({ port }) => !isWay(port)),
    async leadTo(socket, port) {
      if (port !== undefined) return shareWay(wanted, port, () => openWay(enter, pid, socket, port))
      const opened = await openWay(enter, pid, socket)
      const way: WayOut = {
        port: opened.port,
        [Symbol.dispose]: () => {
          opened[Symbol.dispose]()
          // Until it has ended, what listens there is the way and no server of a command.
          void opened.ended.then(() => ways.delete(way))
        },
      }
      ways.add(way)
      return way
    },
    async openPreview(port) {
      const preview = await openPreview(enter, folder, port)
      previews.add(preview)
      return preview
    },
    async [Symbol.asyncDispose]() {
      for (const way of ways) way[Symbol.dispose]()
      for (const { opened } of wanted.values()) await opened.then((way) => way[Symbol.dispose]()).catch(() => undefined)
      await Promise.all([...previews].map((preview) => preview[Symbol.asyncDispose]()))
      await end()
    },
  }
}

/** A way from a port that was asked for. */
interface SharedWay {
  readonly opened: Promise<OpenedWay>
  users: number
  /** Resolves when it has ended. Null while it has users. */
  over: Promise<unknown> | null
}

/** The way from this port for one program more. It ends with the last program that has it, whichever came first. */
async function shareWay(ways: Map<number, SharedWay>, port: number, open: () => Promise<OpenedWay>): Promise<WayOut> {
  // The one before may still listen.
  for (let before = ways.get(port)?.over; before; before = ways.get(port)?.over) await before
  const way = ways.get(port) ?? { opened: open(), users: 0, over: null }
  ways.set(port, way)
  way.users += 1
  const leave = () => {
    way.users -= 1
    if (way.users > 0) return
    const end = async (opened: OpenedWay) => {
      opened[Symbol.dispose]()
      await opened.ended
    }
    way.over = way.opened.then(end).then(
      () => ways.delete(port),
      () => ways.delete(port),
    )
  }
  try {
    await way.opened
  } catch (error) {
    leave()
    throw error
  }
  return { port, [Symbol.dispose]: leave }
}

/** Empty when the network has ended. */
function read(pid: number, table: string): string {
  try {
    return readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
  } catch {
    return ''
  }
}

/** Ports that programs choose for themselves lie above, and those of servers below. */
const [firstWay, lastWay] = [20_000, 32_000]
const mostTries = 10

/** A way with its end, at which nothing listens any more. It never rejects. */
interface OpenedWay extends WayOut {
  readonly ended: Promise<unknown>
}

async function openWay(enter: readonly string[], pid: number, socket: string, wanted?: number): Promise<OpenedWay> {
  for (let tries = 0; tries < (wanted === undefined ? mostTries : 1); tries += 1) {
    const port = wanted ?? randomInt(firstWay, lastWay)
    if (portsOf(pid).some((one) => one.port === port)) continue
    // The kernel keeps the port for a minute after a connection through the way before.
    const listen = `TCP4-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork,${mostConnections}`
    const relay = startRelay(enter, listen, `UNIX-CONNECT:"${socket}"`)
    while (!relay.hasEnded()) {
      if (portsOf(pid).some((one) => one.port === port)) {
        const ended = relay.ended.then(() => whenFree(pid, port))
        return { port, ended, [Symbol.dispose]: relay.end }
      }
      await setTimeout(retryMs)
    }
  }
  if (wanted !== undefined && portsOf(pid).some(({ port }) => port === wanted))
    throw new ShellError(
      'unavailable',
      `Port ${wanted} is to lead to this machine, and a program of the branch listens there. End that process, or take the port out of the settings (sandbox.local_ports).`,
    )
  throw new ShellError('unavailable', 'The way to granted hosts could not be opened. Is socat installed?')
}

/** Waits for what the end of a program left. A server of a command may have taken the port meanwhile. */
async function whenFree(pid: number, port: number): Promise<void> {
  for (let tries = 0; tries < mostTries && portsOf(pid).some((one) => one.port === port); tries += 1)
    await setTimeout(retryMs)
}

/** A program in the network that leads from one address to another. */
function startRelay(enter: readonly string[], from: string, to: string) {
  const [file = '', ...parameters] = whileAppLives([...enter, systemProgram('socat'), from, to])
  const child = spawn(file, parameters, { stdio: ['pipe', 'ignore', 'ignore'], env: appMark(), detached: true })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  child.on('error', () => resolve())
  child.on('exit', () => resolve())
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  const end = () => {
    if (child.pid !== undefined && !hasEnded()) endGroup(child.pid)
  }
  return { hasEnded, ended, end }
}

let sockets = 0

/** Leads from a socket file that only the person may open to the port inside, and from a port of the machine to that. */
async function openPreview(enter: readonly string[], folder: string, port: ListeningPort): Promise<Preview> {
  sockets += 1
  const socket = join(folder, String(sockets))
  const target = port.family === 'v4' ? `TCP4:127.0.0.1:${port.port}` : `TCP6:[::1]:${port.port}`
  const listen = `UNIX-LISTEN:"${socket}",fork,${mostConnections},mode=600`
  const relay = startRelay(enter, listen, target)
  try {
    await whenListening(socket, relay.hasEnded)
    const server = await openPreviewServer(socket)
    return {
      url: server.url,
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]()
        relay.end()
      },
    }
  } catch (error) {
    relay.end()
    throw error
  }
}

const retryMs = 5

/** Throws `ShellError` when the relay has ended. */
async function whenListening(socket: string, hasEnded: () => boolean): Promise<void> {
  while (!existsSync(socket)) {
    if (hasEnded()) throw new ShellError('unavailable', 'The preview could not be opened. Is socat installed?')
    await setTimeout(retryMs)
  }
}

/** A holder watches its app, and a relay has a child for each connection. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {}
}
