import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ConnectionTest } from '#shared/contract/views/app.ts'
import type { SettingsView } from '#shared/contract/views/settings.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { KeyForm } from './key-form.tsx'

const view = (changes: Partial<SettingsView>): SettingsView =>
  ({ model: 'claude', baseUrl: null, keySource: null, keyStorage: 'plain', ...changes }) as SettingsView
const onReady = vi.fn<() => void>()
const setKey = vi.fn<(input: unknown) => SettingsView>(() => view({}))
const update = vi.fn<(input: unknown) => SettingsView>(() => view({}))
const key = page.getByLabelText('API key')
const save = page.getByRole('button', { name: 'Save and run' })

async function show(changes: Partial<SettingsView> = {}, tested?: ConnectionTest): Promise<void> {
  for (const mock of [onReady, setKey, update]) mock.mockClear()
  const answers = {
    'settings.get': () => view(changes),
    'settings.setKey': setKey,
    'settings.update': update,
    'settings.test': () => tested,
    'app.info': () => null,
  }
  await renderInWindow(<KeyForm onReady={onReady} />, answers as object)
}

it('saves a key for this session without asking for consent, on a machine without a key store', async () => {
  await show()
  const file = page.getByRole('checkbox', { name: /Save it in a file that only your account can read/ })
  await expect.element(file).not.toBeChecked()
  await userEvent.fill(key, 'sk-1')
  await expect.element(page.getByText('The key is used until Coppice ends, and kept nowhere.')).toBeVisible()
  await expect.element(save).toBeEnabled()
  await userEvent.click(save)
  await expect.poll(() => setKey.mock.calls[0]?.[0]).toEqual({ key: 'sk-1', remember: false, consent: false })
})

it('takes the box about the file as the consent', async () => {
  await show()
  await userEvent.fill(key, 'sk-1')
  await userEvent.click(page.getByRole('checkbox'))
  await userEvent.click(save)
  await expect.poll(() => setKey.mock.calls[0]?.[0]).toEqual({ key: 'sk-1', remember: true, consent: true })
})

it('keeps the button on and says what is missing', async () => {
  await show()
  await expect.element(save).toBeEnabled()
  await userEvent.click(save)
  await expect.element(page.getByText('Paste a key first')).toBeVisible()
  expect(onReady).not.toHaveBeenCalled()
})

it('chooses a model that the tested server has', async () => {
  const models = [
    { id: 'llama', name: 'Llama' },
    { id: 'qwen', name: 'Qwen' },
  ]
  await show({ keyStorage: 'system' }, {
    ok: true,
    message: 'Connected: 2 models.',
    models,
  } as unknown as ConnectionTest)
  await userEvent.fill(page.getByLabelText('Base URL'), 'http://localhost:11434')
  await userEvent.click(page.getByRole('button', { name: 'Test' }))
  await expect.element(page.getByLabelText('Model')).toHaveValue('llama')
  await userEvent.click(save)
  await expect.poll(() => update.mock.calls.map(([input]) => input)).toContainEqual({ model: 'llama' })
})
