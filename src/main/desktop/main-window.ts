import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BrowserWindow, Rectangle } from 'electron'
import { appOrigin } from './app-protocol.ts'
import type { Electron } from './electron.ts'
import { guardContents } from './guards.ts'

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

export interface WindowState {
  readonly bounds: { readonly x?: number; readonly y?: number; readonly width: number; readonly height: number }
  readonly maximized: boolean
}

const fresh: WindowState = { bounds: { width: 1440, height: 900 }, maximized: false }

/** Where the window was; a missing or damaged file is the usual size. */
export function loadWindowState(file: string): WindowState {
  try {
    const state: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isWindowState(state) ? state : fresh
  } catch {
    return fresh
  }
}

export function saveWindowState(file: string, state: WindowState): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(state))
}

function isWindowState(state: unknown): state is WindowState {
  if (typeof state !== 'object' || state === null || !('bounds' in state) || !('maximized' in state)) return false
  const { bounds } = state
  if (typeof bounds !== 'object' || bounds === null || !('width' in bounds) || !('height' in bounds)) return false
  return Object.values(bounds).every((value) => Number.isFinite(value)) && typeof state.maximized === 'boolean'
}
