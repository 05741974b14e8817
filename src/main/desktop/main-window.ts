import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BrowserWindow, Rectangle } from 'electron'
import { z } from 'zod'
import { appOrigin } from './app-protocol.ts'
import type { Electron } from './electron.ts'
import { guardContents } from './guards.ts'

const smallest = { minWidth: 400, minHeight: 480 }

/** Files of the app that the window needs. Absolute. */
export interface WindowFiles {
  readonly preloadFile: string
  /** Shown by Windows and Linux. macOS takes the icon of the app. */
  readonly iconFile: string
}

/** Opens the one window at its last place: isolated, sandboxed and without Node. */
export function openMainWindow(
  electron: Electron,
  { preloadFile, iconFile }: WindowFiles,
  stateFile: string,
  report: (problem: string) => void,
): BrowserWindow {
  const state = fitting(loadWindowState(stateFile, report), electron)
  const window = new electron.BrowserWindow({
    ...state.bounds,
    ...smallest,
    show: false,
    title: 'Coppice',
    // Electron throws for a file that is missing, and a window without a picture is better than none.
    ...(existsSync(iconFile) && { icon: iconFile }),
    backgroundColor: electron.nativeTheme.shouldUseDarkColors ? '#1a1a1d' : '#fafaf8',
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

/** Drops a position on a screen that is gone, where nobody would see the window. */
function fitting(state: WindowState, { screen }: Electron): WindowState {
  const { bounds } = state
  if (bounds.x === undefined || bounds.y === undefined) return state
  const shown = screen.getAllDisplays().some(({ workArea }) => overlaps(workArea, bounds as Rectangle))
  return shown ? state : { ...state, bounds: { width: bounds.width, height: bounds.height } }
}

function overlaps(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

export function windowFilesIn(appRoot: string): WindowFiles {
  return {
    preloadFile: join(appRoot, 'out/preload/index.cjs'),
    iconFile: join(appRoot, 'resources/icon/256.png'),
  }
}

/** Brings the window to the front. */
export function showAgain(window: BrowserWindow | undefined): void {
  if (window?.isMinimized()) window.restore()
  window?.focus()
}

const windowState = z.object({
  /** Absent in files written before versions existed. */
  version: z.literal(1).default(1),
  bounds: z.object({
    x: z.number().exactOptional(),
    y: z.number().exactOptional(),
    width: z.number().positive(),
    height: z.number().positive(),
  }),
  maximized: z.boolean(),
})
export type WindowState = Omit<Readonly<z.infer<typeof windowState>>, 'version'>

const fresh: WindowState = { bounds: { width: 1440, height: 900 }, maximized: false }

/**
 * The last place of the window, or the default size when nothing was saved. A damaged file, or one of a newer version,
 * is reported and set aside so that it is not lost.
 */
export function loadWindowState(file: string, report: (problem: string) => void): WindowState {
  if (!existsSync(file)) return fresh
  try {
    return windowState.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    report(`The saved place of the window cannot be read. ${setAside(file)} The window has its usual size.`)
    return fresh
  }
}

function setAside(file: string): string {
  const place = `${file}.damaged`
  try {
    renameSync(file, place)
    return `It is kept as ${place}.`
  } catch {
    // Its folder cannot be written. The window opens all the same.
    return `It stays at ${file}.`
  }
}

export function saveWindowState(file: string, state: WindowState): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, JSON.stringify({ version: 1, ...state }), { mode: 0o600 })
}
