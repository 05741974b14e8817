import type { Session, WebContents } from 'electron'
import { appOrigin } from './app-protocol.ts'

/**
 * Denies every page what it never needs: leaving its origin, opening windows, attaching a webview, and permissions.
 * Follows Electron's security checklist (electronjs.org/docs/latest/tutorial/security).
 */
export function guardContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  contents.on('will-frame-navigate', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  contents.on('will-redirect', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** Allows writing text to the clipboard, and denies every other permission. */
export function guardSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, callback) =>
    callback(permission === 'clipboard-sanitized-write'),
  )
  session.setPermissionCheckHandler((_contents, permission) => permission === 'clipboard-sanitized-write')
  session.setDevicePermissionHandler(() => false)
}

export function isAppUrl(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'app:' && url.startsWith(`${appOrigin}/`)
}
