import { expect, it } from 'vitest'
import type { WindowRequest } from '#shared/contract/views/window.ts'
import { recordElectron } from '../recorded-electron.testkit.ts'
import { notify } from './notifications.ts'

const told = { id: 'n1', title: 'main needs you', body: 'execute', canApprove: true, evenInFront: false }

function shownOn(platform: NodeJS.Platform, notification = told, isFocused = false) {
  const { electron, of, notifications } = recordElectron()
  const browserWindow = new electron.BrowserWindow({})
  browserWindow.isFocused = () => isFocused
  const sent: WindowRequest[] = []
  notify(electron, platform, { browserWindow, send: (request) => sent.push(request) }, notification)
  const [{ actions = [] } = {}] = (of('Notification')[0] ?? []) as [{ actions?: { text: string }[] }?]
  return { of, sent, notification: notifications[0], buttons: actions.map(({ text }) => text) }
}

it('appears when nobody looks, and a click on it brings its window to the front', () => {
  const { of, sent, notification } = shownOn('linux')
  expect([of('Notification.show').length, of('focus').length]).toEqual([1, 0])
  notification?.emit('click')
  expect([of('restore').length, of('focus').length]).toEqual([1, 1])
  expect(sent).toEqual([{ type: 'answered', id: 'n1', answer: 'open' }])
})

it('does not appear while somebody looks', () => {
  expect(shownOn('darwin', told, true).of('Notification')).toEqual([])
  expect(shownOn('darwin', { ...told, evenInFront: true }, true).of('Notification')).toHaveLength(1)
})

it('offers what the call allows, where the system has buttons', () => {
  expect(shownOn('darwin').buttons).toEqual(['Approve', 'Open'])
  expect(shownOn('win32', { ...told, canApprove: false }).buttons).toEqual(['Open'])
  expect(shownOn('linux').buttons).toEqual([])
})

it('hands each answer to the page that asked; an approval leaves the window where it is', () => {
  const approved = shownOn('darwin')
  approved.notification?.emit('action', { actionIndex: 0 })
  expect([approved.sent, approved.of('focus')]).toEqual([[{ type: 'answered', id: 'n1', answer: 'approve' }], []])
  // Without *Approve*, the first button opens.
  const opened = shownOn('darwin', { ...told, canApprove: false })
  opened.notification?.emit('action', { actionIndex: 0 })
  expect(opened.sent).toEqual([{ type: 'answered', id: 'n1', answer: 'open' }])
})
