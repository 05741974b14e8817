import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { appOrigin } from '../app-protocol.ts'
import type { Electron } from '../electron.ts'
import { guardContents } from '../guards.ts'
import { displaysKey, fitToDisplays, loadWindowPlace, saveWindowPlace } from './window-state.ts'

/** What every window of the app needs. All paths are absolute. */
export interface WindowFiles {
  readonly preloadFile: string
  /** Shown by Windows and Linux. macOS takes the icon of the app. */
  readonly iconFile: string
  /** Keeps the places of windows. */
  readonly stateFile: string
}

/** Pixels by which a window lies below and beside the one that is open. */
const step = 28

/**
 * Opens a window at its last place: isolated, sandboxed and without Node. `others` windows are open already, and the
 * new one does not cover them.
 */
export function openMainWindow(
  electron: Electron,
  files: WindowFiles,
  report: (problem: string) => void,
  others = 0,
): BrowserWindow {
  const { screen, nativeTheme } = electron
  const key = (): string => displaysKey(screen.getAllDisplays())
  const { bounds, minWidth, minHeight, maximized, fullScreen } = fitToDisplays(
    loadWindowPlace(files.stateFile, key(), report),
    screen.getAllDisplays().map(({ workArea }) => workArea),
  )
  const window = new electron.BrowserWindow({
    ...bounds,
    ...(bounds.x !== undefined && bounds.y !== undefined && besides(bounds.x, bounds.y, others)),
    minWidth,
    minHeight,
    show: false,
    title: 'Coppice',
    // Electron throws for a file that is missing, and a window without a picture is better than none.
    ...(existsSync(files.iconFile) && { icon: files.iconFile }),
    backgroundColor: backgroundOf(nativeTheme),
    webPreferences: {
      preload: files.preloadFile,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: true,
    },
  })
  guardContents(window.webContents)
  window.once('ready-to-show', () => {
    if (maximized && others === 0) window.maximize()
    if (fullScreen && others === 0) window.setFullScreen(true)
    window.show()
  })
  window.on('close', () => {
    const place = {
      bounds: window.getNormalBounds(),
      maximized: window.isMaximized(),
      fullScreen: window.isFullScreen(),
    }
    try {
      saveWindowPlace(files.stateFile, key(), place)
    } catch (error) {
      report(`The place of the window was not saved: ${String(error)}`)
    }
  })
  void window.loadURL(`${appOrigin}/index.html`)
  return window
}

function besides(x: number, y: number, others: number): { readonly x: number; readonly y: number } {
  return { x: x + others * step, y: y + others * step }
}

/** What is seen before the page draws, and while the window grows. */
export function backgroundOf({ shouldUseDarkColors }: Pick<Electron['nativeTheme'], 'shouldUseDarkColors'>): string {
  return shouldUseDarkColors ? '#1a1a1d' : '#fafaf8'
}

export function windowFilesIn(appRoot: string, dataFolder: string): WindowFiles {
  return {
    preloadFile: join(appRoot, 'out/preload/index.cjs'),
    iconFile: join(appRoot, 'resources/icon/256.png'),
    stateFile: join(dataFolder, 'window.json'),
  }
}

/** Brings the window to the front. */
export function showAgain(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}
