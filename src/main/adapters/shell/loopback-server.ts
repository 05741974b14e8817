import { createServer } from 'node:net'

/** A server on this machine that no sandboxed command may reach. */
export interface LoopbackServer extends AsyncDisposable {
  /** Empty when the system gave no port. */
  readonly port: string
  /** True once anybody has connected. */
  isReached(): boolean
}

export async function listenOnLoopback(): Promise<LoopbackServer> {
  let isReached = false
  const server = createServer((socket) => {
    isReached = true
    socket.on('error', () => undefined).end()
  })
  const port = await new Promise<number | ''>((resolve) => {
    server.once('error', () => resolve(''))
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : '')
    })
  })
  return {
    port: String(port),
    isReached: () => isReached,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
