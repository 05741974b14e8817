import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'

const limits = {
  /** Connections without a WebSocket. A browser opens six. */
  connections: 64,
  headersMs: 10_000,
  requestMs: 20_000,
  /** A connection on which nothing moves, such as one whose client does not take the answer. */
  idleMs: 30_000,
  checkEveryMs: 1_000,
} as const

/**
 * A server that any program of the machine may flood. A connection has one request at a time, as browsers do it. When
 * there are too many connections, the oldest gives way, so that nobody can keep a person out.
 */
export function createBoundedServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    oneAtATime(listener),
  )
  server.timeout = limits.idleMs
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (open.size > limits.connections) open.values().next().value?.destroy()
  })
  server.on('upgrade', ({ socket }) => open.delete(socket))
  return server
}

/** Ends a connection that sends a request before it has taken the answer to the one before. */
function oneAtATime(listener: RequestListener): RequestListener {
  const busy = new WeakSet<Socket>()
  return (request, response) => {
    const { socket } = request
    if (busy.has(socket)) {
      socket.destroy()
      return
    }
    busy.add(socket)
    response.once('finish', () => busy.delete(socket))
    return listener(request, response)
  }
}
