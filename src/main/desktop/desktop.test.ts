import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IpcMainEvent, WebContents } from 'electron'
import { describe, expect, it } from 'vitest'
import type { Host } from '#host/composition/create-host.ts'
import { sizeOfPng } from '../../../scripts/icon-files.ts'
import { serveRenderer } from './app-protocol.ts'
import { guardContents, guardSession, isAppUrl } from './guards.ts'
import { createKeyStore } from './key-store.ts'
import { loadWindowState, openMainWindow, saveWindowState, windowFilesIn } from './main-window.ts'
import { RecordedContents, recordElectron } from './recorded-electron.testkit.ts'
import { isTrusted, menuTemplate, notify, servePorts, showProgress, startDesktop } from './start-desktop.ts'

const never = (problem: string): never => {
  throw new Error(problem)
}

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-desktop-'))
const root = join(import.meta.dirname, '../../..')

describe('the window', () => {
  it('is isolated, sandboxed and without Node, on the app’s own origin', () => {
    const { electron, of } = recordElectron()
    openMainWindow(electron, windowFilesIn(root), join(folder(), 'window.json'), never)
    expect(of('BrowserWindow')[0]?.[0]).toMatchObject({
      webPreferences: {
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        webviewTag: false,
        preload: join(root, 'out/preload/index.cjs'),
      },
    })
    expect(of('loadURL')).toEqual([['app://coppice/index.html']])
  })

  it('has the icon of the product', () => {
    const { electron, of } = recordElectron()
    openMainWindow(electron, windowFilesIn(root), join(folder(), 'window.json'), never)
    const [{ icon }] = of('BrowserWindow')[0] as [{ icon: string }]
    expect(sizeOfPng(readFileSync(icon))).toEqual([256, 256])
  })

  it('opens at its last place, unless that screen is gone', () => {
    const file = join(folder(), 'a/window.json')
    saveWindowState(file, { bounds: { x: 5, y: 6, width: 700, height: 500 }, maximized: true })
    const { electron, of, windows } = recordElectron()
    openMainWindow(electron, windowFilesIn(root), file, never)
    expect(of('BrowserWindow')[0]?.[0]).toMatchObject({ x: 5, y: 6, width: 700, height: 500 })
    windows[0]?.emit('ready-to-show')
    expect(of('maximize')).toHaveLength(1)
    windows[0]?.emit('close')
    expect(loadWindowState(file, never)).toMatchObject({
      bounds: { x: 10, y: 20, width: 800, height: 600 },
      maximized: false,
    })
    saveWindowState(file, { bounds: { x: 90_000, y: 6, width: 700, height: 500 }, maximized: false })
    openMainWindow(electron, windowFilesIn(root), file, never)
    expect(of('BrowserWindow')[1]?.[0]).not.toHaveProperty('x')
  })

  it.each(['{"bounds": 7}', '{', JSON.stringify({ version: 2, bounds: { width: 1, height: 1 }, maximized: false })])(
    'has its default size when the saved state is %s, which is reported and set aside',
    (saved) => {
      const file = join(folder(), 'window.json')
      writeFileSync(file, saved)
      const told: string[] = []
      expect(loadWindowState(file, (problem) => told.push(problem)).bounds.width).toBe(1440)
      expect(told).toEqual([expect.stringContaining(`${file}.damaged`)])
      expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(saved)
    },
  )

  it('opens also when a damaged state cannot be set aside', () => {
    const file = join(folder(), 'window.json')
    writeFileSync(file, '{')
    mkdirSync(join(`${file}.damaged`, 'in the way'), { recursive: true })
    const told: string[] = []
    expect(loadWindowState(file, (problem) => told.push(problem)).bounds.width).toBe(1440)
    expect(told).toEqual([expect.stringContaining(`It stays at ${file}.`)])
    expect(readFileSync(file, 'utf8')).toBe('{')
  })
})

describe('a notification', () => {
  const told = { title: 'main needs you', body: 'execute' }

  it('appears when nobody looks, and a click on it brings the window to the front', () => {
    const { electron, of, notifications } = recordElectron()
    const window = new electron.BrowserWindow({})
    notify(electron, window, told)
    expect(of('Notification')).toEqual([[told]])
    expect([of('Notification.show'), of('focus')]).toEqual([[[]], []])
    notifications[0]?.emit('click')
    expect([of('restore'), of('focus')]).toEqual([[[]], [[]]])
  })

  it('does not appear while somebody looks', () => {
    const { electron, of } = recordElectron()
    const window = new electron.BrowserWindow({})
    window.isFocused = () => true
    notify(electron, window, told)
    expect(of('Notification')).toEqual([])
  })
})

it('the task bar shows the finished share of the work, and nothing once there is none', () => {
  const { electron, of } = recordElectron()
  const window = new electron.BrowserWindow({})
  showProgress(window, 0.5)
  showProgress(window, null)
  showProgress(undefined, 0.5)
  expect(of('setProgressBar')).toEqual([[0.5], [-1]])
})

describe('guards', () => {
  it('refuse to leave the app, open windows or attach webviews', () => {
    const contents = new RecordedContents()
    guardContents(contents as unknown as WebContents)
    const prevented = (name: string, url: string) => {
      let stopped = false
      contents.emit(name, { url, preventDefault: () => (stopped = true) })
      return stopped
    }
    for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
      expect(
        ['https://example.org', 'file:///etc/passwd', 'app://other/x', 'app://coppice.evil/x', 'javascript:1'].map(
          (url) => prevented(name, url),
        ),
      ).toEqual([true, true, true, true, true])
      expect(prevented(name, 'app://coppice/index.html')).toBe(false)
    }
    expect(prevented('will-attach-webview', '')).toBe(true)
    expect(contents.windowOpenHandler({ url: 'https://example.org' })).toEqual({ action: 'deny' })
  })

  it('deny every permission, on request and on check, except writing text to the clipboard', () => {
    const { surface, of } = recordElectron()
    guardSession(surface.session.defaultSession as never)
    const request = of('setPermissionRequestHandler')[0]?.[0] as (
      c: unknown,
      p: string,
      answer: (allowed: boolean) => void,
    ) => void
    const check = of('setPermissionCheckHandler')[0]?.[0] as (c: unknown, p: string) => boolean
    for (const permission of [
      'media',
      'geolocation',
      'notifications',
      'openExternal',
      'clipboard-read',
      'fileSystem',
      'clipboard-sanitized-write',
    ]) {
      let allowed: boolean | undefined
      request(null, permission, (answer) => (allowed = answer))
      expect([allowed, check(null, permission)]).toEqual(Array(2).fill(permission === 'clipboard-sanitized-write'))
    }
    const device = of('setDevicePermissionHandler')[0]?.[0] as (() => boolean) | undefined
    expect(device?.()).toBe(false)
  })

  it('recognise their own URLs', () => {
    expect(
      ['app://coppice/', 'app://coppice', 'app://coppice.evil/', 'http://coppice/', 'nonsense'].map(isAppUrl),
    ).toEqual([true, false, false, false, false])
  })
})

describe('the app protocol', () => {
  it('serves the built page with its policy, and nothing else', async () => {
    const built = folder()
    mkdirSync(join(built, 'assets'))
    writeFileSync(join(built, 'index.html'), '<p>hello</p>')
    writeFileSync(join(built, 'assets/a.js'), '1')
    const { electron, of } = recordElectron()
    serveRenderer(electron, built)
    const handle = of('protocol.handle')[0]?.[1] as (request: Request) => Response
    const page = handle(new Request('app://coppice/'))
    expect(await page.text()).toBe('<p>hello</p>')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'/)
    expect(handle(new Request('app://coppice/assets/a.js')).headers.get('content-type')).toContain('javascript')
    for (const url of [
      'app://other/index.html',
      'app://coppice/../package.json',
      'app://coppice/%2e%2e/x',
      'app://coppice/none',
    ]) {
      expect(handle(new Request(url)).status, url).toBe(404)
    }
    expect(handle(new Request('app://coppice/', { method: 'POST' })).status).toBe(404)
  })
})

describe('the port', () => {
  const window = { webContents: new RecordedContents() }
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
    servePorts(electron, { router: {} } as Host, window as never)
    surface.ipcMain.emit('coppice:connect', event({}))
    surface.ipcMain.emit('coppice:connect', event({ senderFrame: null }))
    expect(window.webContents.posted).toEqual([['coppice:port', null, [{}]]])
  })
})

describe('the key store', () => {
  it('keeps a key encrypted, in a file of its owner', async () => {
    const file = join(folder(), 'b/key')
    const store = await createKeyStore(recordElectron().electron, file, 'darwin')
    expect([store.storage, await store.read()]).toEqual(['system', null])
    await store.write('sk-secret')
    expect(readFileSync(file, 'utf8')).toBe('sealed:sk-secret')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await store.read()).toBe('sk-secret')
    await store.clear()
    expect(await store.read()).toBeNull()
  })

  it('reports the plain-text backend as plain, so that a person is asked', async () => {
    const plain = recordElectron({ backend: 'basic_text' }).electron
    expect((await createKeyStore(plain, join(folder(), 'key'), 'linux')).storage).toBe('plain')
    const none = recordElectron({ encryption: false }).electron
    expect((await createKeyStore(none, join(folder(), 'key'), 'linux')).storage).toBe('none')
  })
})

describe('starting', () => {
  it('gives way to an instance that is already running', async () => {
    const { electron, of } = recordElectron({ locked: true })
    await startDesktop(electron, root)
    expect(of('quit')).toHaveLength(1)
    expect(of('BrowserWindow')).toHaveLength(0)
  })

  it('registers the scheme before the app is ready, and sandboxes every renderer', async () => {
    const { electron, of, calls } = recordElectron({ locked: true })
    await startDesktop(electron, root)
    expect(calls.map(([name]) => name).slice(0, 2)).toEqual(['registerSchemesAsPrivileged', 'enableSandbox'])
    expect(of('registerSchemesAsPrivileged')[0]?.[0]).toMatchObject([
      { scheme: 'app', privileges: { standard: true, secure: true } },
    ])
  })

  it("has the system's usual menu", () => {
    const roles = (platform: NodeJS.Platform) => menuTemplate(platform).map(({ role, label }) => role ?? label)
    expect(roles('darwin')).toEqual(['appMenu', 'fileMenu', 'editMenu', 'View', 'windowMenu'])
    expect(roles('linux')).toEqual(['fileMenu', 'editMenu', 'View', 'windowMenu'])
  })
})

describe('the preload', () => {
  it('is short, CommonJS when built, and exposes nothing but a port', () => {
    const source = readFileSync(join(root, 'src/preload/index.ts'), 'utf8')
    expect(source.split('\n').length).toBeLessThan(40)
    expect([...source.matchAll(/ipcRenderer\.(\w+)/g)].map(([, name]) => name)).toEqual(['send', 'on'])
    expect(readFileSync(join(root, 'electron.vite.config.ts'), 'utf8')).toMatch(/format: 'cjs'/)
  })
})
