import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Host } from '#host/wiring/create-host.ts'
import { recordElectron } from './recorded-electron.testkit.ts'
import { startDesktop } from './start-desktop.ts'

/** A root with a built page, and nothing else of the app. */
function makeRoot(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-start-')))
  mkdirSync(join(root, 'out/renderer'), { recursive: true })
  writeFileSync(join(root, 'out/renderer/index.html'), '')
  return root
}

interface HostParts {
  readonly working?: number
  readonly problem?: Error
}

/** Starts the app over a host of the test. */
async function startApp(
  platform: NodeJS.Platform = 'linux',
  { words = [], host: { working = 0, problem } = {} }: { words?: readonly string[]; host?: HostParts } = {},
  options: Parameters<typeof recordElectron>[0] = {},
) {
  const root = makeRoot()
  const recorded = recordElectron({ userData: join(root, 'data'), ...options })
  const steps: string[] = []
  const host = {
    router: {},
    projects: { working: () => working, wake: () => steps.push('wake'), recent: () => [] },
    [Symbol.asyncDispose]: async () => void steps.push('stored'),
  } as unknown as Host
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => void vi.restoreAllMocks())
  await startDesktop(recorded.electron, root, {
    platform,
    argv: ['electron', root, ...words],
    workingFolder: root,
    usualDataFolder: recorded.electron.app.getPath('userData'),
    process: new EventEmitter(),
    openHost: async () => {
      if (problem) throw problem
      return host
    },
  })
  return { ...recorded, root, steps }
}

describe('the start', () => {
  it('gives way to an instance that is already running, and tells it the folder', async () => {
    const { of, root } = await startApp('linux', { words: ['app'] }, { locked: true })
    expect([of('quit').length, of('BrowserWindow')]).toEqual([1, []])
    expect(of('requestSingleInstanceLock')).toEqual([[{ folder: join(root, 'app') }]])
  })

  it('registers the scheme before the app is ready, and sandboxes every renderer', async () => {
    const { of, calls } = await startApp()
    expect(calls.map(([name]) => name).slice(0, 2)).toEqual(['registerSchemesAsPrivileged', 'enableSandbox'])
    expect(of('registerSchemesAsPrivileged')[0]?.[0]).toMatchObject([
      { scheme: 'app', privileges: { standard: true, secure: true } },
    ])
  })

  it('tells Windows the name by which it knows the installed app, or there would be no notifications', async () => {
    expect((await startApp('win32')).of('setAppUserModelId')).toEqual([['dev.coppice.app']])
    expect((await startApp('linux')).of('setAppUserModelId')).toEqual([])
  })

  it('guards every page that is ever made, also those of nobody', async () => {
    const { surface, of } = await startApp()
    const contents = new EventEmitter()
    const made = Object.assign(contents, { setWindowOpenHandler: () => undefined })
    surface.app.emit('web-contents-created', {}, made)
    let isStopped = false
    contents.emit('will-navigate', { url: 'https://evil.test/', preventDefault: () => (isStopped = true) })
    expect(isStopped).toBe(true)
    expect(of('setPermissionRequestHandler')).toHaveLength(1)
  })

  it('opens one window, and one more for a folder that a second start brings', async () => {
    const { surface, of, root } = await startApp('linux', { words: ['.'] })
    expect(of('BrowserWindow')).toHaveLength(1)
    surface.app.emit('second-instance', {}, [], root, { folder: join(root, 'out') })
    expect(of('BrowserWindow')).toHaveLength(2)
    surface.app.emit('second-instance', {}, [], root, { folder: join(root, 'out') })
    surface.app.emit('second-instance', {}, [], root, { folder: null })
    expect([of('BrowserWindow').length, of('focus').length]).toEqual([2, 2])
  })

  it('opens a folder that was dropped on the icon before the app was ready', async () => {
    const recorded = recordElectron()
    const root = makeRoot()
    recorded.surface.app.whenReady = async () =>
      void recorded.surface.app.emit('open-file', { preventDefault: () => undefined }, join(root, 'out'))
    const host = { router: {}, projects: { working: () => 0, recent: () => [] } } as unknown as Host
    const around = {
      argv: ['electron', root],
      workingFolder: root,
      process: new EventEmitter(),
      usualDataFolder: makeRoot(),
    }
    await startDesktop(recorded.electron, root, { ...around, platform: 'darwin', openHost: async () => host })
    expect(recorded.of('BrowserWindow')).toHaveLength(1)
  })

  it('says in words why it failed, where the log is, and ends', async () => {
    const { of } = await startApp(
      'linux',
      { host: { problem: new Error('The data folder is read-only.') } },
      { answers: [1] },
    )
    expect(of('showMessageBox')[0]?.[0]).toMatchObject({ message: 'Coppice cannot start' })
    expect([of('exit'), of('BrowserWindow')]).toEqual([[[1]], []])
  })

  it('says what is wrong with the data folder before anything is written', async () => {
    const root = makeRoot()
    writeFileSync(join(root, 'data'), 'mine')
    const recorded = recordElectron({ answers: [1] })
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const usualDataFolder = join(root, 'data')
    const around = { argv: ['electron', root], workingFolder: root, process: new EventEmitter(), usualDataFolder }
    await startDesktop(recorded.electron, root, around)
    expect(recorded.of('showMessageBox')[0]?.[0]).toMatchObject({
      detail: expect.stringMatching(/data is a file\. Choose another with --data-dir/),
    })
    expect([recorded.of('exit'), readFileSync(join(root, 'data'), 'utf8')]).toEqual([[[1]], 'mine'])
  })

  it('draws without the graphics card when the settings say so', async () => {
    const root = makeRoot()
    mkdirSync(join(root, 'data'))
    writeFileSync(join(root, 'data/settings.json'), '{ "gpu": "off" }')
    const { of } = await startApp('linux', {}, { userData: join(root, 'data') })
    expect(of('disableHardwareAcceleration')).toHaveLength(1)
  })
})

describe('the running app', () => {
  it('on macOS lives on without windows, and makes one when it is activated', async () => {
    const { surface, windows, of } = await startApp('darwin')
    windows[0]?.emit('closed')
    surface.app.emit('window-all-closed')
    expect(of('quit')).toEqual([])
    surface.app.emit('activate')
    expect(of('BrowserWindow')).toHaveLength(2)
  })

  it('elsewhere ends with its last window, and asks before that when agents work', async () => {
    const { windows, of } = await startApp('win32', { host: { working: 1 } }, { answers: [2] })
    let isStopped = false
    windows[0]?.emit('close', { preventDefault: () => (isStopped = true) })
    expect(isStopped).toBe(true)
    await expect.poll(() => of('showMessageBox')).toHaveLength(1)
  })

  it('tells the host when the machine wakes up', async () => {
    const { surface, steps } = await startApp()
    surface.powerMonitor.emit('resume')
    expect(steps).toEqual(['wake'])
  })

  it('changes the colour behind its windows with the theme of the system', async () => {
    const { surface, of } = await startApp()
    surface.nativeTheme.shouldUseDarkColors = true
    surface.nativeTheme.emit('updated')
    expect(of('setBackgroundColor')).toEqual([['#1a1a1d']])
  })
})
