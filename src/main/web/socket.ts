import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { RPCHandler } from '@orpc/server/ws'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Host } from '#host/wiring/create-host.ts'
import { mayEnter, type OriginPolicy, sameToken } from './security.ts'
import { readableOnly } from './wire-message.ts'

/** Close codes that a client can tell apart. 4000–4999 are free for applications (RFC 6455 §7.4.2). */
const closeCodes = { unreadable: 4400, unauthorized: 4401, tooManySockets: 4429, tooFast: 4408 } as const

const limits = {
  frameBytes: 32 * 1024 * 1024,
  /** Sockets that have sent the token. */
  sockets: 32,
  /** Sockets that have not. Any program of this machine can open them. */
  unknownSockets: 64,
  unknownBytes: 4 * 1024,
  tokenWithinMs: 5_000,
  /** Messages a second on average. Typing, scrolling and streaming stay far below. */
  messagesPerSecond: 400,
  burst: 2_000,
}

/**
 * Accepts sockets at `/rpc`. Checks host and origin on the upgrade and the token in the first message, then serves the
 * contract.
 */
export function attachSocket(
  server: Server,
  router: Host['router'],
  door: () => OriginPolicy,
  token: string,
): Disposable {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.frameBytes })
  const handler = new RPCHandler(router)
  const known = new Set<WebSocket>()
  const unknown = new Set<WebSocket>()
  function enter(webSocket: WebSocket): void {
    unknown.delete(webSocket)
    if (known.size >= limits.sockets) {
      webSocket.close(closeCodes.tooManySockets, 'Too many connections')
      return
    }
    known.add(webSocket)
    limitRate(webSocket)
    const refuse = () => webSocket.close(closeCodes.unreadable, 'Not a message')
    void handler.upgrade(readableOnly(webSocket, refuse), { context: {} })
    webSocket.send('{"ready":true}')
  }
  server.on('upgrade', (request, socket, head) => {
    // A client may go away at any time. Without a listener, that error would end the process.
    socket.on('error', () => socket.destroy())
    if (request.url !== '/rpc' || !mayUpgrade(door(), request) || head.length > limits.unknownBytes) {
      // The other side may keep its half open for ever.
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n', () => socket.destroy())
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate())
      webSocket.once('close', () => {
        unknown.delete(webSocket)
        known.delete(webSocket)
      })
      // The oldest gives way, so that nobody can keep a person out by opening sockets and saying nothing.
      if (unknown.size >= limits.unknownSockets) unknown.values().next().value?.terminate()
      unknown.add(webSocket)
      limitBytes(socket, () => unknown.has(webSocket))
      awaitToken(webSocket, token, () => enter(webSocket))
    })
  })
  return {
    [Symbol.dispose]() {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
    },
  }
}

/** Ends a socket that sends more than a token needs while `isUnknown`. A frame of a message is held in memory whole. */
function limitBytes(socket: Duplex, isUnknown: () => boolean): void {
  let bytes = 0
  const count = (chunk: Buffer): void => {
    bytes += chunk.length
    if (!isUnknown()) socket.off('data', count)
    else if (bytes > limits.unknownBytes) socket.destroy()
  }
  // Before the listener of the web socket, so that not even one more frame is read.
  socket.prependListener('data', count)
}

function mayUpgrade(door: OriginPolicy, request: IncomingMessage): boolean {
  return mayEnter(door, { host: request.headers.host, origin: request.headers.origin }, true)
}

/** Calls `enter` when the token has arrived. Until then the contract is not attached. */
function awaitToken(webSocket: WebSocket, token: string, enter: () => void): void {
  const late = setTimeout(() => webSocket.close(closeCodes.unauthorized, 'No token'), limits.tokenWithinMs)
  webSocket.once('close', () => clearTimeout(late))
  webSocket.once('message', (data: RawData) => {
    clearTimeout(late)
    if (!sameToken(token, tokenIn(data))) {
      webSocket.close(closeCodes.unauthorized, 'Wrong token')
      return
    }
    enter()
  })
}

function tokenIn(data: RawData): unknown {
  try {
    const message: unknown = JSON.parse(String(data))
    return typeof message === 'object' && message !== null && 'token' in message ? message.token : undefined
  } catch {
    return undefined
  }
}

function limitRate(webSocket: WebSocket): void {
  let allowance = limits.burst
  // Not the time of day, which a person may set.
  let last = performance.now()
  webSocket.on('message', () => {
    const now = performance.now()
    allowance = Math.min(limits.burst, allowance + ((now - last) / 1000) * limits.messagesPerSecond) - 1
    last = now
    if (allowance < 0) webSocket.close(closeCodes.tooFast, 'Too many messages')
  })
}
