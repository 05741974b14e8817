import { chown } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { ShellError } from '#core/ports/shell.ts'
import type { CommandUser } from '../../system/command-user.ts'
import { foreignUser } from '../../system/namespaces.ts'
import type { HeldNetwork } from '../processes/branch-network.ts'
import type { ShownReach } from './shown-reach.ts'

/** A port of the machine's loopback, and a socket file that leads there. */
export interface LocalPort {
  readonly port: number
  readonly socket: string
}

/** A socket of the machine, and a socket file that leads there. */
export interface LocalSocket {
  readonly path: string
  readonly socket: string
}

/** The relays of one program. Disposing them ends each relay that no other program uses. */
interface OpenWays extends Disposable {
  readonly ports: readonly LocalPort[]
  readonly sockets: readonly LocalSocket[]
  /** What the program does not have, and where it knocked and nobody answered, each with the reason. */
  missed(): readonly string[]
}

interface Relay {
  readonly socket: string
  /** The reasons of attempts that failed, in their order. */
  readonly failures: readonly string[]
  close(): void
}

/** Keeps the relays to what programs reach of the machine. Those with the same target share one, which ends with the last. */
export interface LocalRelays {
  /**
   * Nothing is asked of a target before somebody connects, so it may begin or begin anew while a program runs. `network`: the
   * one whose ports lead there, for a program that shares one.
   */
  open(reach: ShownReach, network: Pick<HeldNetwork, 'leadTo'> | null): Promise<OpenWays>
}

/** Whoever runs commands may open the sockets, which are made in `folder`. */
export function createLocalRelays(folder: string, user: CommandUser): LocalRelays {
  const kept = new Map<string, { readonly relay: Promise<Relay>; users: number }>()
  let made = 0
  const start = (target: Target) => {
    made += 1
    return openRelay(join(folder, `way-${made}`), target, user)
  }
  async function use(target: Target): Promise<Disposable & { readonly relay: Relay }> {
    const key = nameOf(target)
    const one = kept.get(key) ?? { relay: start(target), users: 0 }
    kept.set(key, one)
    one.users += 1
    const leave = () => {
      one.users -= 1
      if (one.users > 0) return
      kept.delete(key)
      void one.relay.then(
        (relay) => relay.close(),
        () => undefined,
      )
    }
    try {
      return { relay: await one.relay, [Symbol.dispose]: leave }
    } catch (error) {
      leave()
      throw error
    }
  }
  return {
    async open({ localPorts, sockets, refused }, network) {
      using opening = new DisposableStack()
      const seen: { readonly relay: Relay; readonly from: number }[] = []
      const lead = async (target: Target) => {
        const { relay } = opening.use(await use(target))
        seen.push({ relay, from: relay.failures.length })
        return relay.socket
      }
      const ports: LocalPort[] = []
      for (const port of new Set(localPorts)) ports.push({ port, socket: await lead({ port }) })
      const closed: string[] = []
      if (network)
        for (const { port, socket } of ports) {
          const way = await network.leadTo(socket, port).catch((error: unknown) => whyLow(port, error))
          if (typeof way === 'string') closed.push(way)
          else opening.use(way)
        }
      const paths: LocalSocket[] = []
      for (const path of new Set(sockets)) paths.push({ path, socket: await lead({ path }) })
      const held = opening.move()
      return {
        ports,
        sockets: paths,
        missed: () => [
          ...refused,
          ...closed,
          ...new Set(seen.flatMap(({ relay, from }) => relay.failures.slice(from))),
        ],
        [Symbol.dispose]: () => held[Symbol.dispose](),
      }
    },
  }
}

/** An ordinary user may open no such port in a network that programs share, and the command is of use without it. */
function whyLow(port: number, error: unknown): string {
  if (port >= firstOpenPort || !(error instanceof ShellError)) throw error
  return `localhost:${port}, since a network of the branch has ways only for ports from ${firstOpenPort}`
}

const firstOpenPort = 1024

type Target = { readonly port: number } | { readonly path: string }

const nameOf = (target: Target) => ('port' in target ? `localhost:${target.port}` : target.path)

/** Every attempt of a program that tries again and again would be kept otherwise. */
const mostFailures = 100

async function openRelay(socket: string, target: Target, user: CommandUser): Promise<Relay> {
  const open = new Set<Socket>()
  const failures: string[] = []
  // A client may end its own side and wait for the answer.
  const allowHalfOpen = true
  const server = createServer({ allowHalfOpen }, (inside) => {
    const place = 'port' in target ? { port: target.port, host: 'localhost' } : { path: target.path }
    const outside = connect({ ...place, allowHalfOpen })
    outside.once('error', (error: NodeJS.ErrnoException) => {
      if (outside.bytesRead === 0 && failures.length < mostFailures) failures.push(reasonOf(target, error.code))
    })
    for (const [from, to] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy())
      from.once('close', () => {
        open.delete(from)
        to.destroySoon()
      })
      from.pipe(to)
    }
  })
  await listening(server, socket)
  if (user.kind === 'other') await chown(socket, foreignUser, foreignUser)
  return {
    socket,
    failures,
    close() {
      for (const one of open) one.destroy()
      server.close()
    },
  }
}

function reasonOf(target: Target, code = 'an unknown error'): string {
  const why: Readonly<Record<string, string>> = {
    ENOENT: 'which is not there',
    ECONNREFUSED: 'where nothing listens on this machine',
    EACCES: 'which the user may not open',
  }
  return `${nameOf(target)}, ${why[code] ?? `which answers with ${code}`}`
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
}
