import type { BrowserWindow } from 'electron'
import type { Host } from '#host/wiring/create-host.ts'
import type { DesktopStart } from '../desktop-host.ts'
import type { Electron } from '../electron.ts'
import { followClosing, type Leaving } from '../system/leave.ts'
import { notify } from '../system/notifications.ts'
import { showRecentPlaces } from '../system/recent-places.ts'
import { createWorkMarks } from '../system/work-marks.ts'
import { type AppWindows, createAppWindows } from './app-windows.ts'
import { openMainWindow, windowFilesIn } from './main-window.ts'
import { revivePage } from './page-crashes.ts'

/** The windows of the app, with what the system shows of them: work, recent folders, notifications. */
export function makeWindows(
  electron: Electron,
  start: DesktopStart,
  { platform }: { readonly platform: NodeJS.Platform },
  host: Host,
  leaving: () => Leaving | undefined,
): AppWindows {
  const files = windowFilesIn(start.appRoot, start.dataFolder)
  const showWork = createWorkMarks(electron, platform)
  const showRecent = (): void =>
    showRecentPlaces(electron, platform, host.projects.recent(), {
      openFolder: windows.openFolder,
      openWindow: () => void windows.open(),
    })
  function make(others: number): BrowserWindow {
    const window = openMainWindow(electron, files, (problem) => start.log(problem, 'damaged window state'), others)
    revivePage(window, start.log)
    const left = leaving()
    if (left) followClosing(window, platform, left, () => windows.all().length === 1)
    return window
  }
  const windows = createAppWindows({
    make,
    pickFolder: (window) => pickFolder(electron, window),
    notify: (window, notification) => notify(electron, platform, window, notification),
    showWork,
    setTheme(theme) {
      electron.nativeTheme.themeSource = theme
    },
    stay: () => leaving()?.stay(),
    leaveNow: () => void leaving()?.quitNow(),
    onProject: ({ path }) => {
      if (path !== '') electron.app.addRecentDocument(path)
      showRecent()
    },
  })
  showRecent()
  return windows
}

async function pickFolder({ dialog }: Electron, window: BrowserWindow): Promise<string | null> {
  const { filePaths } = await dialog.showOpenDialog(window, { properties: ['openDirectory', 'createDirectory'] })
  return filePaths[0] ?? null
}
