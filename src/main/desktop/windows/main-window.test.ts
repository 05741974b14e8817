import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sizeOfPng } from '../../../../scripts/icon-files.ts'
import { recordElectron } from '../recorded-electron.testkit.ts'
import { openMainWindow, windowFilesIn } from './main-window.ts'
import { displaysKey, loadWindowPlace, saveWindowPlace } from './window-state.ts'

const never = (problem: string): never => {
  throw new Error(problem)
}
const root = join(import.meta.dirname, '../../../..')
const files = () => windowFilesIn(root, mkdtempSync(join(tmpdir(), 'coppice-window-')))
const keyOf = (electron: ReturnType<typeof recordElectron>['electron']) => displaysKey(electron.screen.getAllDisplays())

describe('a window', () => {
  it('is isolated, sandboxed and without Node, on the app’s own origin', () => {
    const { electron, of } = recordElectron()
    openMainWindow(electron, files(), never)
    expect(of('BrowserWindow')[0]?.[0]).toMatchObject({
      webPreferences: {
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        webviewTag: false,
        preload: join(root, 'out/preload/index.cjs'),
      },
    })
    expect(of('loadURL')).toEqual([['app://coppice/index.html']])
  })

  it('turns no protection of Chromium off', () => {
    const { electron, of } = recordElectron()
    openMainWindow(electron, files(), never)
    const [{ webPreferences }] = of('BrowserWindow')[0] as [{ webPreferences: Record<string, unknown> }]
    for (const name of [
      'allowRunningInsecureContent',
      'experimentalFeatures',
      'enableBlinkFeatures',
      'enableRemoteModule',
    ])
      expect(webPreferences).not.toHaveProperty(name)
  })

  it('has the icon of the product', () => {
    const { electron, of } = recordElectron()
    openMainWindow(electron, files(), never)
    const [{ icon }] = of('BrowserWindow')[0] as [{ icon: string }]
    expect(sizeOfPng(readFileSync(icon))).toEqual([256, 256])
  })

  it('opens at its last place and as it filled the screen, and saves where it is closed', () => {
    const given = files()
    const { electron, of, windows } = recordElectron()
    const place = { bounds: { x: 5, y: 6, width: 700, height: 500 }, maximized: true, fullScreen: true }
    saveWindowPlace(given.stateFile, keyOf(electron), place)
    openMainWindow(electron, given, never)
    expect(of('BrowserWindow')[0]?.[0]).toMatchObject({ x: 5, y: 6, width: 700, height: 500 })
    windows[0]?.emit('ready-to-show')
    expect([of('maximize'), of('setFullScreen')]).toEqual([[[]], [[true]]])
    windows[0]?.emit('close')
    expect(loadWindowPlace(given.stateFile, keyOf(electron), never)).toEqual({
      bounds: { x: 10, y: 20, width: 800, height: 600 },
      maximized: false,
      fullScreen: false,
    })
  })

  it('closes also where its place cannot be saved', () => {
    const inTheWay = join(mkdtempSync(join(tmpdir(), 'coppice-window-')), 'file')
    writeFileSync(inTheWay, '')
    const given = { ...files(), stateFile: join(inTheWay, 'window.json') }
    const told: string[] = []
    const { electron, windows } = recordElectron()
    openMainWindow(electron, given, (problem) => told.push(problem))
    windows[0]?.emit('close')
    expect(told.at(-1)).toContain('was not saved')
  })

  it('lies beside the one that is open, and not over the whole screen', () => {
    const given = files()
    const { electron, of, windows } = recordElectron()
    const place = { bounds: { x: 5, y: 6, width: 700, height: 500 }, maximized: true, fullScreen: false }
    saveWindowPlace(given.stateFile, keyOf(electron), place)
    openMainWindow(electron, given, never, 1)
    windows[0]?.emit('ready-to-show')
    expect(of('BrowserWindow')[0]?.[0]).toMatchObject({ x: 33, y: 34 })
    expect(of('maximize')).toEqual([])
  })

  it('is no larger than a small display, so that a remote desktop shows all of it', () => {
    const { electron, of } = recordElectron({ displays: [{ workArea: { x: 0, y: 0, width: 390, height: 300 } }] })
    openMainWindow(electron, files(), never)
    expect(of('BrowserWindow')[0]?.[0]).toMatchObject({ width: 390, height: 300, minWidth: 390, minHeight: 300 })
  })
})
