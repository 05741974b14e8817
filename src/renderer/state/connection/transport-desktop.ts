import { RPCLink } from '@orpc/client/message-port'
import type { CloseReason, OpenLink } from './connection.ts'

/** What the preload script adds to the window of the desktop app. */
interface DesktopBridge {
  readonly shell: 'desktop'
  connect(): unknown
}

declare global {
  interface Window {
    readonly coppice?: DesktopBridge
  }
}

/** Asks the main process for a port, which arrives as a message to this window. */
export async function openDesktopLink(bridge: DesktopBridge): Promise<OpenLink> {
  const arriving = portFromPreload()
  bridge.connect()
  const port = await arriving
  const closed = new Promise<CloseReason>((resolve) => port.addEventListener('close', () => resolve('lost')))
  const link = new RPCLink({ port })
  port.start()
  return { link, closed, close: () => port.close() }
}

function portFromPreload(): Promise<MessagePort> {
  return new Promise((resolve) => {
    window.addEventListener('message', function receive(event: MessageEvent<unknown>) {
      const port = event.ports[0]
      if (event.source !== window || !isPortMessage(event.data) || !port) return
      window.removeEventListener('message', receive)
      resolve(port)
    })
  })
}

function isPortMessage(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'type' in data && data.type === 'coppice:port'
}
