import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { AppInfo } from '#shared/contract/views/app.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { ReadyList } from './ready-list.tsx'

const form = (onReady: () => void): ReactNode => (
  <button type="button" onClick={onReady}>
    the form
  </button>
)

async function showReady(info: {
  readonly sandbox?: Partial<AppInfo['sandbox']>
  readonly provider?: Partial<AppInfo['provider']>
}) {
  const shown = await renderInWindow(<ReadyList keyForm={form} />)
  const provider = {
    model: 'm',
    baseUrl: null,
    keySource: null,
    canAsk: false,
    models: [],
    runLimit: null,
    assumedPrice: null,
  }
  const sandbox = { state: 'on', reason: 'It was tried.', command: null } as const
  const known: Partial<AppInfo> = {
    provider: { ...provider, ...info.provider },
    sandbox: { ...sandbox, ...info.sandbox },
  }
  shown.session.store.setState({ info: known as AppInfo })
  return shown
}
const button = (name: string) => page.getByRole('button', { name, exact: true })

it('names the one command that turns the sandbox on, and why it is off', async () => {
  const command = 'sudo apt install bubblewrap socat'
  await showReady({ sandbox: { state: 'off', reason: 'bubblewrap is not installed.', command } })
  await expect.element(page.getByText('Each asks you first: there is no sandbox')).toBeVisible()
  await expect.element(page.getByText(command)).toBeVisible()
  await expect.element(button('Copy the command')).toBeVisible()
  await button('Details').click()
  await expect.element(page.getByText('bubblewrap is not installed.')).toBeVisible()
})

it('asks for a key once: the form opens in place and closes when it is done', async () => {
  await showReady({})
  await button('Add a key or a local model').click()
  await button('the form').click()
  expect(button('the form').elements()).toEqual([])
})

it('asks for nothing when a key or a server of one’s own is there', async () => {
  await showReady({ provider: { baseUrl: 'http://localhost:11434', canAsk: true } })
  await expect.element(page.getByText('Answers from http://localhost:11434')).toBeVisible()
  expect(button('Add a key or a local model').elements()).toEqual([])
  await expect.element(button('Change')).toBeVisible()
})

it('says which profile answers, and leads to the settings when that one has no key', async () => {
  const models = [{ id: 'gate/m1', name: 'M One', contextWindow: 1000, profile: 'gate' }]
  const { session } = await showReady({ provider: { model: 'gate/m1', models, canAsk: true } })
  await expect.element(page.getByText('Answers through the profile gate')).toBeVisible()
  const provider = { ...session.store.getState().info?.provider, canAsk: false } as AppInfo['provider']
  session.store.setState(({ info }) => ({ info: { ...info, provider } as AppInfo }))
  await expect.element(page.getByText(/^The profile gate has no key yet\./)).toBeVisible()
  expect(button('Add a key or a local model').elements()).toEqual([])
  await button('Set it up').click()
  expect(session.store.getState().ui).toMatchObject({ route: 'settings', settingsSection: 'models' })
})
