import type { BrowserWindow } from 'electron'
import type { Electron } from './electron.ts'
import { showAgain } from './main-window.ts'

/** Only when nobody looks: what it tells of is in the window. */
export function notify(
  { Notification }: Electron,
  window: BrowserWindow | undefined,
  options: { readonly title: string; readonly body: string },
): void {
  if (!window || window.isFocused() || !Notification.isSupported()) return
  const notification = new Notification(options)
  notification.on('click', () => showAgain(window))
  notification.show()
}
