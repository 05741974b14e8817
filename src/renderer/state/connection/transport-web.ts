import { RPCLink } from '@orpc/client/websocket'
import { type CloseReason, type OpenLink, TokenRefused } from './connection.ts'

const tokenKey = 'coppice-token'
const refusedCode = 4401

/**
 * Moves the token from the address bar to this tab's storage, because an address is shared and kept in the history.
 * Returns the token; empty for none.
 */
export function takeToken(location: Location, history: History, storage: Storage): string {
  const found = new URLSearchParams(location.hash.slice(1)).get('token')
  if (found === null) return storage.getItem(tokenKey) ?? ''
  storage.setItem(tokenKey, found)
  history.replaceState(null, '', location.pathname + location.search)
  return found
}

/** Opens the WebSocket, sends the token, and attaches the RPC link once the server is ready. */
export async function openWebLink(location: Location, token: string): Promise<OpenLink> {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
  const socket = new WebSocket(`${scheme}://${location.host}/rpc`)
  await shakeHands(socket, token)
  // Listens first, so that it has given up its requests before anyone who hears of the loss cancels them.
  const link = new RPCLink({ websocket: socket })
  const closed = new Promise<CloseReason>((resolve) => {
    socket.addEventListener('close', (event) => resolve(event.code === refusedCode ? 'refused' : 'lost'))
  })
  return { link, closed, close: () => socket.close() }
}

function shakeHands(socket: WebSocket, token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => socket.send(JSON.stringify({ token })), { once: true })
    socket.addEventListener('message', () => resolve(), { once: true })
    socket.addEventListener(
      'close',
      (event) => reject(event.code === refusedCode ? new TokenRefused() : new Error('The connection was closed.')),
      { once: true },
    )
  })
}
