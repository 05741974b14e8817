import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { NotifyTarget, Outward, SettingsView } from '#shared/contract/views/settings.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { outwardStrings as labels } from '../strings/later/outward.ts'
import { AwaySettings, WebSettings } from './outward-settings.tsx'
import type { SectionProps } from './section-props.ts'

const nothing: Outward = { fetchesPages: false, privateHosts: [], keepAwake: false, notify: null }
const command = { busy: false, refusal: null, run: async () => true, clear: () => undefined }
const propsFor = (outward: Partial<Outward>, spans: SettingsView['spans'] = null) => {
  const change = vi.fn<SectionProps['change']>(async () => true)
  const settings = { outward: { ...nothing, ...outward }, spans } as SettingsView
  return { settings, command, change, reload: () => undefined }
}

it('switches pages of the web on, and then asks for private hosts', async () => {
  const off = propsFor({})
  await renderInWindow(<WebSettings {...off} />, {})
  expect(page.getByRole('textbox', { name: labels.privateHosts }).query()).toBeNull()
  await page.getByRole('switch', { name: labels.fetch }).click()
  expect(off.change).toHaveBeenCalledWith({ outward: { fetchesPages: true } })
})

it('saves one private host in each line when the field is left', async () => {
  const on = propsFor({ fetchesPages: true, privateHosts: ['wiki.example'] })
  await renderInWindow(<WebSettings {...on} />, {})
  const field = page.getByRole('textbox', { name: labels.privateHosts })
  await expect.element(field).toHaveValue('wiki.example')
  await field.fill('wiki.example\n\n localhost:8080 ')
  await userEvent.tab()
  expect(on.change).toHaveBeenCalledWith({ outward: { privateHosts: ['wiki.example', 'localhost:8080'] } })
})

it('tells the saved program a test, and shows what came of it', async () => {
  const notify: NotifyTarget = { kind: 'command', command: ['my-notifier', '--quiet'] }
  const saved = propsFor({ notify })
  const testNotify = vi.fn(() => ({ ok: false, message: 'It did not get through: my-notifier could not be started' }))
  await renderInWindow(<AwaySettings {...saved} />, { 'settings.testNotify': testNotify })
  await expect.element(page.getByRole('textbox', { name: labels.notify })).toHaveValue('my-notifier\n--quiet')
  await page.getByRole('button', { name: labels.test }).click()
  await expect.element(page.getByRole('status')).toHaveTextContent('could not be started')
  expect(testNotify).toHaveBeenCalledWith(notify)
})

it('has no test before something is saved, and keeps nobody when the text is removed', async () => {
  const none = propsFor({})
  await renderInWindow(<AwaySettings {...none} />, {})
  expect(page.getByRole('button', { name: labels.test }).query()).toBeNull()
  await page.getByRole('textbox', { name: labels.notify }).fill('https://push.example/me')
  await userEvent.tab()
  expect(none.change).toHaveBeenCalledWith({ outward: { notify: { kind: 'url', url: 'https://push.example/me' } } })
})

it.each([true, false])('says where spans of what agents do are sent: with texts %s', async (content) => {
  await renderInWindow(<AwaySettings {...propsFor({}, { host: 'otel.example:4318', content })} />, {})
  await expect.element(page.getByText(labels.spans('otel.example:4318', content))).toBeVisible()
})
