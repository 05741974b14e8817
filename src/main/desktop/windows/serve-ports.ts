import { RPCHandler } from '@orpc/server/message-port'
import type { IpcMainEvent } from 'electron'
import type { FrontendWindow } from '#host/app/frontend-window.ts'
import type { Host } from '#host/wiring/create-host.ts'
import type { Electron } from '../electron.ts'
import { isAppUrl } from '../guards.ts'

/** A window as far as a request for a port can be told to come from it. */
interface PortOwner {
  readonly browserWindow: { readonly webContents: Pick<IpcMainEvent['sender'], 'id'> }
  readonly door: FrontendWindow
}

/** Gives the page of each window one port to the contract. Other frames get nothing. */
export function servePorts(
  { ipcMain, MessageChannelMain }: Electron,
  host: Pick<Host, 'router'>,
  windows: () => readonly PortOwner[],
): void {
  const handler = new RPCHandler(host.router)
  ipcMain.on('coppice:connect', (event) => {
    const owner = windows().find(({ browserWindow }) => isTrusted(event, browserWindow))
    if (!owner) return
    const { port1, port2 } = new MessageChannelMain()
    handler.upgrade(port1, { context: { window: owner.door } })
    port1.start()
    event.sender.postMessage('coppice:port', null, [port2])
  })
}

/** True for the top frame of this window on the app's own origin. `senderFrame` is null once the frame is gone. */
export function isTrusted(
  { sender, senderFrame }: Pick<IpcMainEvent, 'sender' | 'senderFrame'>,
  window: PortOwner['browserWindow'],
): boolean {
  return (
    sender === window.webContents &&
    senderFrame !== null &&
    senderFrame === sender.mainFrame &&
    isAppUrl(senderFrame.url)
  )
}
