import type { IpcMainEvent } from 'electron'
import { describe, expect, it } from 'vitest'
import type { FrontendWindow } from '#host/app/frontend-window.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { RecordedContents, recordElectron } from '../recorded-electron.testkit.ts'
import { isTrusted, servePorts } from './serve-ports.ts'

describe('the port', () => {
  const window = { webContents: new RecordedContents() }
  const windows = () => [{ browserWindow: window as never, door: {} as FrontendWindow }]
  const event = (change: Partial<IpcMainEvent>) =>
    ({ sender: window.webContents, senderFrame: window.webContents.mainFrame, ...change }) as unknown as IpcMainEvent

  it("is given only to the window's own top frame", () => {
    expect(isTrusted(event({}), window as never)).toBe(true)
    expect(isTrusted(event({ senderFrame: null }), window as never)).toBe(false)
    expect(isTrusted(event({ senderFrame: { url: 'app://coppice/index.html' } as never }), window as never)).toBe(false)
    expect(isTrusted(event({ sender: new RecordedContents() as never }), window as never)).toBe(false)
    const elsewhere = {
      webContents: Object.assign(new RecordedContents(), { mainFrame: { url: 'https://evil.test/' } }),
    }
    const fromElsewhere = {
      sender: elsewhere.webContents,
      senderFrame: elsewhere.webContents.mainFrame,
    } as unknown as IpcMainEvent
    expect(isTrusted(fromElsewhere, elsewhere as never)).toBe(false)
  })

  it('is posted once per trusted request and never to others', () => {
    const { electron, surface } = recordElectron()
    servePorts(electron, { router: {} } as Host, windows)
    surface.ipcMain.emit('coppice:connect', event({}))
    surface.ipcMain.emit('coppice:connect', event({ senderFrame: null }))
    expect(window.webContents.test.posted).toEqual([['coppice:port', null, [{}]]])
  })
})
