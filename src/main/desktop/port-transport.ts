import { RPCHandler } from '@orpc/server/message-port'
import type { BrowserWindow, IpcMainEvent } from 'electron'
import type { Host } from '#host/create-host.ts'
import type { Electron } from './electron.ts'
import { isAppUrl } from './guards.ts'

/** Gives the window's own page one port to the contract, and no other frame anything. */
export function servePorts({ ipcMain, MessageChannelMain }: Electron, host: Host, window: BrowserWindow): void {
  const handler = new RPCHandler(host.router)
  ipcMain.on('coppice:connect', (event) => {
    if (!isTrusted(event, window)) return
    const { port1, port2 } = new MessageChannelMain()
    handler.upgrade(port1, { context: {} })
    port1.start()
    event.sender.postMessage('coppice:port', null, [port2])
  })
}

/** The sender must be the top frame of this window on the app's own origin. `senderFrame` is null once it is gone. */
export function isTrusted(event: Pick<IpcMainEvent, 'sender' | 'senderFrame'>, window: BrowserWindow): boolean {
  const { sender, senderFrame } = event
  return (
    sender === window.webContents &&
    senderFrame !== null &&
    senderFrame === sender.mainFrame &&
    isAppUrl(senderFrame.url)
  )
}
