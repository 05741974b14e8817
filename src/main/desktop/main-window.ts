import { join } from 'node:path'
import type { BrowserWindow, Rectangle } from 'electron'
import { appOrigin } from './app-protocol.ts'
import type { Electron } from './electron.ts'
import { guardContents } from './guards.ts'
import { loadWindowState, saveWindowState, type WindowState } from './window-state.ts'

const smallest = { minWidth: 400, minHeight: 480 }

/** The one window: isolated, sandboxed, without Node, where it was the last time. */
export function openMainWindow(electron: Electron, preloadFile: string, stateFile: string): BrowserWindow {
  const state = fitting(loadWindowState(stateFile), electron)
  const window = new electron.BrowserWindow({
    ...state.bounds,
    ...smallest,
    show: false,
    title: 'Coppice',
    backgroundColor: electron.nativeTheme.shouldUseDarkColors ? '#101113' : '#ffffff',
    webPreferences: {
      preload: preloadFile,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
    },
  })
  guardContents(window.webContents)
  window.once('ready-to-show', () => {
    if (state.maximized) window.maximize()
    window.show()
  })
  window.on('close', () =>
    saveWindowState(stateFile, { bounds: window.getNormalBounds(), maximized: window.isMaximized() }),
  )
  void window.loadURL(`${appOrigin}/index.html`)
  return window
}

/** A window that was left on a screen that is gone would open where nobody sees it. */
function fitting(state: WindowState, { screen }: Electron): WindowState {
  const { bounds } = state
  if (bounds.x === undefined || bounds.y === undefined) return state
  const shown = screen.getAllDisplays().some(({ workArea }) => overlaps(workArea, bounds as Rectangle))
  return shown ? state : { ...state, bounds: { width: bounds.width, height: bounds.height } }
}

function overlaps(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

export function preloadFileIn(appRoot: string): string {
  return join(appRoot, 'out/preload/index.cjs')
}

/** Brings the window to the front. */
export function showAgain(window: BrowserWindow | undefined): void {
  if (window?.isMinimized()) window.restore()
  window?.focus()
}
