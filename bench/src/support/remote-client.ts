import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { WebSocket } from 'ws'
import type { contract } from '../../../src/shared/contract/contract.ts'

export interface RemoteClient extends Disposable {
  readonly call: ContractRouterClient<typeof contract>
}

/** Connects to a served host as the window does: over its socket, with the token from its address. */
export async function connect(url: string): Promise<RemoteClient> {
  const { host, origin, hash } = new URL(url)
  const socket = new WebSocket(`ws://${host}/rpc`, { origin })
  await new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ token: hash.slice('#token='.length) })))
    socket.once('message', resolve)
    socket.once('close', () => reject(new Error('The host closed the connection.')))
  })
  // The package's socket does everything that the link needs from a browser's socket. Only the types of their events
  // differ.
  const link = new RPCLink({ websocket: socket as unknown as globalThis.WebSocket })
  return { call: createORPCClient(link), [Symbol.dispose]: () => socket.close() }
}
