import type { WebContents } from 'electron'
import { describe, expect, it } from 'vitest'
import { guardContents, guardSession, isAppUrl } from './guards.ts'
import { RecordedContents, recordElectron } from './recorded-electron.testkit.ts'

describe('guards', () => {
  it('refuse to leave the app, open windows or attach webviews', () => {
    const contents = new RecordedContents()
    guardContents(contents as unknown as WebContents)
    const prevented = (name: string, url: string) => {
      let stopped = false
      contents.emit(name, { url, preventDefault: () => (stopped = true) })
      return stopped
    }
    for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
      expect(
        ['https://example.org', 'file:///etc/passwd', 'app://other/x', 'app://coppice.evil/x', 'javascript:1'].map(
          (url) => prevented(name, url),
        ),
      ).toEqual([true, true, true, true, true])
      expect(prevented(name, 'app://coppice/index.html')).toBe(false)
    }
    expect(prevented('will-attach-webview', '')).toBe(true)
    expect(contents.test.windowOpenHandler({ url: 'https://example.org' })).toEqual({ action: 'deny' })
  })

  it('deny every permission, on request and on check, except writing text to the clipboard', () => {
    const { surface, of } = recordElectron()
    guardSession(surface.session.defaultSession as never)
    const request = of('setPermissionRequestHandler')[0]?.[0] as (
      c: unknown,
      p: string,
      answer: (allowed: boolean) => void,
    ) => void
    const check = of('setPermissionCheckHandler')[0]?.[0] as (c: unknown, p: string) => boolean
    for (const permission of [
      'media',
      'geolocation',
      'notifications',
      'openExternal',
      'clipboard-read',
      'fileSystem',
      'clipboard-sanitized-write',
    ]) {
      let allowed: boolean | undefined
      request(null, permission, (answer) => (allowed = answer))
      expect([allowed, check(null, permission)]).toEqual(Array(2).fill(permission === 'clipboard-sanitized-write'))
    }
    const device = of('setDevicePermissionHandler')[0]?.[0] as (() => boolean) | undefined
    expect(device?.()).toBe(false)
  })

  it('recognise their own URLs', () => {
    expect(
      ['app://coppice/', 'app://coppice', 'app://coppice.evil/', 'http://coppice/', 'nonsense'].map(isAppUrl),
    ).toEqual([true, false, false, false, false])
  })
})
