import type { BrowserWindow } from 'electron'
import { appOrigin } from '../app-protocol.ts'
import { stoppedPath } from '../plain-page.ts'

/** More ends of a page than this within a minute are no accident. */
const most = { ends: 2, withinMs: 60_000 }

/**
 * Loads the page again when its process ends. It finds everything as it was: the host keeps the work, and what was typed
 * is stored as it is typed. A page that ends again and again makes room for one without scripts.
 */
export function revivePage(
  window: BrowserWindow,
  log: (problem: string, error: unknown) => void,
  now: () => number = Date.now,
): void {
  let ends: readonly number[] = []
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return
    log('The page of a window ended', `${reason}, code ${exitCode}`)
    ends = [...ends.filter((at) => now() - at < most.withinMs), now()]
    if (ends.length > most.ends) void window.loadURL(`${appOrigin}${stoppedPath}`)
    else window.webContents.reload()
  })
  window.webContents.on('unresponsive', () => log('The page of a window does not answer', 'unresponsive'))
}
