import { chown } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { CommandUser } from '../../system/command-user.ts'
import { foreignUser } from '../../system/namespaces.ts'

/** A port of the machine's loopback, and a socket file that leads there. */
export interface LocalPort {
  readonly port: number
  readonly socket: string
}

let sockets = 0

/**
 * Makes a socket file for each port, which whoever runs the command may open. Nothing is asked of the port before somebody
 * connects. Disposing it ends all connections.
 */
export async function openLocalPorts(
  ports: readonly number[],
  folder: string,
  user: CommandUser,
): Promise<Disposable & { readonly ports: readonly LocalPort[] }> {
  using opening = new DisposableStack()
  const opened: LocalPort[] = []
  for (const port of new Set(ports)) {
    sockets += 1
    const socket = join(folder, `port-${sockets}`)
    opening.use(await openRelay(socket, port))
    if (user.kind === 'other') await chown(socket, foreignUser, foreignUser)
    opened.push({ port, socket })
  }
  const held = opening.move()
  return { ports: opened, [Symbol.dispose]: () => held[Symbol.dispose]() }
}

async function openRelay(path: string, port: number): Promise<Disposable> {
  const open = new Set<Socket>()
  const server = createServer((inside) => {
    const outside = connect({ port, host: 'localhost' })
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
  await listening(server, path)
  return {
    [Symbol.dispose]() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
}
