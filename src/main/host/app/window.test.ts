import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'
import type { FrontendWindow } from './frontend-window.ts'

let folder: string
let host: Host
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-window-'))
  host = await openTestHost(folder)
})
afterEach(async () => {
  await host[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const window = { initialFolder: '/given', showProject: () => true } as Partial<FrontendWindow> as FrontendWindow
const inBrowser = { context: {} }

describe('what only a window of the desktop app can do', () => {
  it('is refused in a browser, in words', async () => {
    const { window: door, app } = host.router
    const refused = { code: 'REFUSED', message: 'This works only in the desktop app.' }
    await expect(call(door.open, undefined, inBrowser)).rejects.toMatchObject(refused)
    await expect(call(door.leaveNow, undefined, inBrowser)).rejects.toMatchObject(refused)
    await expect(call(door.setTheme, { theme: 'dark' }, inBrowser)).rejects.toMatchObject(refused)
    await expect(call(app.pickFolder, undefined, inBrowser)).rejects.toMatchObject({ code: 'REFUSED' })
    await expect(call(app.openDataFolder, undefined, inBrowser)).rejects.toMatchObject({
      message: `Open ${folder} yourself.`,
    })
    await expect(call(app.installCommand, undefined, inBrowser)).rejects.toMatchObject({ code: 'REFUSED' })
  })

  it('reaches the window that asks, and no other', async () => {
    const inWindow = { context: { window } }
    expect(await call(host.router.app.info, undefined, inWindow)).toMatchObject({
      initialFolder: '/given',
      canPickFolder: true,
    })
    expect(await call(host.router.window.showProject, { project: null }, inWindow)).toEqual({ isElsewhere: true })
    expect(await call(host.router.app.info, undefined, inBrowser)).toMatchObject({
      initialFolder: null,
      canPickFolder: false,
      dataFolder: folder,
      canInstallCommand: false,
    })
  })

  it('opens only addresses of the web in a browser', async () => {
    for (const url of [
      'file:///etc/passwd',
      'javascript:alert(1)',
      'ms-msdt:/id',
      'smb://host/share',
      'coppice://x',
      '',
    ])
      await expect(call(host.router.app.openExternal, { url }, inBrowser), url).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      })
    await expect(call(host.router.app.openExternal, { url: 'https://a.test/' }, inBrowser)).rejects.toMatchObject({
      message: 'Open the link in your browser.',
    })
  })
})

describe('updates', () => {
  it('of a host without an updater are those of npm, and nobody is asked about them', async () => {
    const seen = await call(host.router.updates.follow, undefined, inBrowser)
    for await (const view of seen) {
      expect(view).toEqual({
        state: { kind: 'managed', by: 'npm', command: 'npm i -g coppice@latest' },
        isAutomatic: false,
      })
      break
    }
    await call(host.router.updates.check, undefined, inBrowser)
    await expect(call(host.router.updates.install, undefined, inBrowser)).rejects.toMatchObject({ code: 'REFUSED' })
  })

  it('are switched off by one setting, which the file keeps', async () => {
    await call(host.router.updates.switch, { on: false }, inBrowser)
    expect([host.settings.read().updates, host.settings.text()]).toEqual([
      'off',
      expect.stringContaining('"updates": "off"'),
    ])
    await call(host.router.updates.switch, { on: true }, inBrowser)
    expect(host.settings.read().updates).toBe('daily')
  })
})
