import { ORPCError } from '@orpc/client'
import { beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { AppInfo, ModelChoice } from '#shared/contract/views/app.ts'
import type { ModelsView, ModelTest, PresetView, ProfileView } from '#shared/contract/views/models.ts'
import type { SettingsView } from '#shared/contract/views/settings.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { ModelSettings } from '../model-settings.tsx'

const ollama: PresetView = {
  ...{ id: 'ollama', name: 'Ollama', kind: 'anthropic', address: 'http://127.0.0.1:11434', scheme: 'none', env: null },
  ...{ local: true, page: 'https://ollama.example' },
}
const gatePreset: PresetView = {
  ...{ id: 'openrouter', name: 'OpenRouter', kind: 'anthropic', address: 'https://router.example', scheme: 'bearer' },
  ...{ env: 'ROUTER_KEY', local: false, page: 'https://router.example/keys' },
}
const anthropic: ProfileView = {
  ...{ name: 'anthropic', kind: 'anthropic', preset: 'anthropic', address: 'https://api.anthropic.com' },
  ...{ scheme: 'x-api-key', secret: 'environment', secretPlace: null, needsSecret: true, usual: true, builtIn: true },
  ...{ concurrency: 10, own: {}, models: [{ id: 'claude', name: 'Claude', refused: [] }] },
}
const gate: ProfileView = {
  ...{ name: 'gate', kind: 'openai', preset: null, address: 'https://gate.example/v1', scheme: 'bearer' },
  ...{ secret: 'stored', secretPlace: null, needsSecret: true, usual: false, builtIn: false, concurrency: 4 },
  own: { kind: 'openai', address: 'https://gate.example/v1', headers: { 'X-Team': 'core' } },
  models: [
    { id: 'gate/m1', name: 'M One', refused: ['caching', 'images'] },
    { id: 'gate/m2', name: 'gate/m2', refused: [], edited: true },
  ],
}
const view: ModelsView = {
  ...{ profiles: [anthropic, gate], presets: [gatePreset, ollama], problems: [] },
  ...{ subagentModel: null, summaryModel: 'gate/m1', fallback: ['gate/m1', 'gate/gone'] },
}
const choice = (id: string, name = id): ModelChoice => ({
  ...{ id, name, contextWindow: 32_000, maxOutput: null, price: null, profile: 'gate', provider: 'gate' },
  can: {
    ...{ tools: true, images: true, thinking: 'none', efforts: [], caching: false, temperature: true, schemas: false },
  },
})
const works: ModelTest = {
  ...{ model: 'gate/m1', ok: true, message: 'M One answers.', firstMs: 420, cost: 0.002, models: [] },
  abilities: [
    { ability: 'reply', state: 'works', detail: '' },
    { ability: 'tools', state: 'refused', detail: 'It answered in words.' },
    { ability: 'caching', state: 'unknown', detail: 'Short requests are not cached.' },
  ],
}

const host = {
  'models.get': vi.fn<(input: unknown) => ModelsView>(),
  'models.save': vi.fn<(input: unknown) => ModelsView>(),
  'models.remove': vi.fn<(input: unknown) => ModelsView>(),
  'models.choose': vi.fn<(input: unknown) => ModelsView>(),
  'models.setModel': vi.fn<(input: unknown) => ModelsView>(),
  'models.forget': vi.fn<(input: unknown) => ModelsView>(),
  'models.test': vi.fn<(input: unknown) => ModelTest | Promise<ModelTest>>(),
  'models.findLocal': vi.fn<(input: unknown) => unknown[]>(),
  'settings.get': () => ({ keyStorage: 'plain', model: 'claude' }) as SettingsView,
  'app.info': () => info,
}
const info = {
  provider: { model: 'claude', models: [choice('gate/m1', 'M One'), choice('gate/m2')], baseUrl: null },
} as unknown as AppInfo

beforeEach(() => {
  localStorage.clear()
  for (const name of ['get', 'save', 'remove', 'choose', 'setModel', 'forget'] as const)
    host[`models.${name}`].mockReset().mockReturnValue(view)
  host['models.test'].mockReset().mockReturnValue(works)
  host['models.findLocal'].mockReset().mockReturnValue([])
})

async function show(): Promise<void> {
  const settings = { model: 'claude', keyStorage: 'plain', maxIterations: 5, systemPrompt: null } as SettingsView
  const { session } = await renderInWindow(
    <ModelSettings
      settings={settings}
      text=""
      command={{ busy: false, refusal: null, run: async () => true, clear: () => undefined }}
      change={async () => true}
      reload={() => undefined}
    />,
    host as object,
  )
  session.store.setState({ info })
  await expect.element(row('gate')).toBeVisible()
}

const row = (name: string) => page.getByRole('listitem', { name, exact: true })
const form = page.getByRole('form', { name: 'New profile' })

it('lists profiles with who answers, where their key comes from, and the usual one', async () => {
  await show()
  await expect.element(row('anthropic')).toHaveTextContent(/usual.*Not tested.*api\.anthropic\.com · key from the env/)
  await expect
    .element(row('gate'))
    .toHaveTextContent(/OpenAI Chat Completions · https:\/\/gate.example\/v1 · key stored/)
})

it('tests a profile and says what works, ability by ability, and how the test ended from then on', async () => {
  await show()
  await userEvent.click(page.getByRole('button', { name: 'Test gate' }))
  const result = page.getByRole('region', { name: 'Test of gate' })
  await expect
    .element(result)
    .toHaveTextContent(/M One answers\..*gate\/m1 · first words after 420 ms · cost < \$0\.01/)
  await expect
    .element(result)
    .toHaveTextContent(/Reply.*Works.*Tools.*Does not work.*It answered in words\..*Not known/)
  expect(host['models.test'].mock.calls.map(([input]) => input)).toEqual([{ profile: 'gate' }])
  await expect.element(row('gate')).toHaveTextContent(/Works/)
  await userEvent.fill(result.getByRole('combobox', { name: 'Model to test' }), 'm2')
  await userEvent.click(result.getByRole('button', { name: 'Test again' }))
  await expect.poll(() => host['models.test'].mock.lastCall?.[0]).toEqual({ profile: 'gate', model: 'm2' })
})

it('shows for how long a test runs, and the words of a server that refuses', async () => {
  let answer: (test: ModelTest) => void = () => undefined
  host['models.test'].mockReturnValue(
    new Promise((resolve) => {
      answer = resolve
    }),
  )
  await show()
  await userEvent.click(page.getByRole('button', { name: 'Test gate' }))
  await expect.element(page.getByText(/Asking for a reply and for one tool call… 0:0/)).toBeVisible()
  answer({ ...works, ok: false, abilities: [], cost: null, message: 'The server answered with a web page.' })
  await expect.element(page.getByRole('alert')).toHaveTextContent('The server answered with a web page.')
  await expect.element(row('gate')).toHaveTextContent(/Failed/)
})

it('adds a profile from a preset with a typed key, and takes the box about the file as the consent', async () => {
  await show()
  await userEvent.click(page.getByRole('button', { name: 'Add profile' }))
  await userEvent.selectOptions(form.getByRole('combobox', { name: 'Server' }), 'OpenRouter')
  await expect.element(form.getByLabelText('Name of the profile')).toHaveValue('openrouter')
  const key = form.getByLabelText('Key', { exact: true })
  await expect.element(key).toHaveAttribute('type', 'password')
  await expect.element(key).toHaveAttribute('autocomplete', 'off')
  await userEvent.fill(key, 'sk-1')
  await expect.element(form.getByText('The key is used until Coppice ends, and kept nowhere.')).toBeVisible()
  await userEvent.click(form.getByRole('checkbox', { name: /only your account can read/ }))
  await userEvent.click(form.getByRole('button', { name: 'Save profile' }))
  await expect
    .poll(() => host['models.save'].mock.lastCall?.[0])
    .toEqual({
      draft: { name: 'openrouter', preset: 'openrouter' },
      replaces: null,
      key: { key: 'sk-1', remember: true, consent: true },
    })
  await expect.element(form).not.toBeInTheDocument()
})

it('keeps what was typed when it is wrong or refused, and says why', async () => {
  host['models.save'].mockImplementation(() => {
    throw new ORPCError('REFUSED', { message: 'The key store is locked.' })
  })
  await show()
  await userEvent.click(page.getByRole('button', { name: 'Add profile' }))
  await userEvent.fill(form.getByLabelText('Name of the profile'), 'gate')
  await userEvent.fill(form.getByLabelText('Address'), 'localhost:11434')
  const save = form.getByRole('button', { name: 'Save profile' })
  await userEvent.click(save)
  await expect.element(form.getByText('There is a profile gate already. Choose another name.')).toBeVisible()
  await expect.element(form.getByLabelText('Name of the profile')).toHaveFocus()
  await expect.element(form.getByText('This is not an address. It begins with http:// or https://.')).toBeVisible()
  expect(host['models.save']).not.toHaveBeenCalled()
  await userEvent.fill(form.getByLabelText('Name of the profile'), 'mine')
  await userEvent.fill(form.getByLabelText('Address'), 'http://localhost:11434')
  await userEvent.fill(form.getByLabelText('Key', { exact: true }), 'sk-2')
  await userEvent.click(save)
  await expect.element(form.getByText('The key store is locked.')).toBeVisible()
  await expect.element(form.getByLabelText('Key', { exact: true })).toHaveValue('sk-2')
  await expect.element(form.getByLabelText('Name of the profile')).toHaveValue('mine')
})

it('tests a draft before it is saved', async () => {
  await show()
  await userEvent.click(page.getByRole('button', { name: 'Add profile' }))
  await userEvent.fill(form.getByLabelText('Name of the profile'), 'mine')
  await userEvent.fill(form.getByLabelText('Address'), 'http://localhost:1')
  await userEvent.click(form.getByRole('radio', { name: /^An environment variable/ }))
  await userEvent.fill(form.getByLabelText('Variable', { exact: true }), 'MY_KEY')
  await userEvent.click(form.getByRole('button', { name: 'Test', exact: true }))
  await expect.element(form.getByText('M One answers.')).toBeVisible()
  expect(host['models.test'].mock.lastCall?.[0]).toEqual({
    profile: { name: 'mine', kind: 'anthropic', baseUrl: 'http://localhost:1', env: 'MY_KEY' },
  })
  expect(host['models.save']).not.toHaveBeenCalled()
})

it('edits a profile under its name, with its own settings and without its key', async () => {
  await show()
  await userEvent.click(page.getByRole('button', { name: 'Edit gate', exact: true }))
  const editor = page.getByRole('form', { name: 'Edit gate' })
  await expect.element(editor.getByLabelText('Key', { exact: true })).toHaveValue('')
  await userEvent.fill(editor.getByLabelText('Address'), 'https://gate.example/v2')
  await userEvent.click(editor.getByRole('button', { name: 'Save profile' }))
  await expect
    .poll(() => host['models.save'].mock.lastCall?.[0])
    .toEqual({
      draft: { name: 'gate', kind: 'openai', baseUrl: 'https://gate.example/v2', headers: { 'X-Team': 'core' } },
      replaces: 'gate',
    })
})

it('asks before it removes a profile, because its key cannot come back', async () => {
  await show()
  await userEvent.click(page.getByRole('button', { name: 'More about gate' }))
  await userEvent.click(page.getByRole('menuitem', { name: 'Remove…' }))
  await expect.element(page.getByRole('dialog', { name: 'Remove gate?' })).toBeVisible()
  expect(host['models.remove']).not.toHaveBeenCalled()
  await userEvent.click(page.getByRole('button', { name: 'Remove profile' }))
  await expect.poll(() => host['models.remove'].mock.lastCall?.[0]).toEqual({ profile: 'gate' })
})

it('makes another profile the usual one', async () => {
  await show()
  await userEvent.click(page.getByRole('button', { name: 'More about gate' }))
  await userEvent.click(page.getByRole('menuitem', { name: /^Use as usual profile/ }))
  await expect.poll(() => host['models.choose'].mock.lastCall?.[0]).toEqual({ usual: 'gate' })
})

it('says which servers were asked when none answers on this machine, and adds one that does', async () => {
  await show()
  const find = page.getByRole('button', { name: 'Find servers on this machine' })
  expect(host['models.findLocal']).not.toHaveBeenCalled()
  await userEvent.click(find)
  await expect.element(page.getByText(/^Asked at their usual addresses: Ollama\./)).toBeVisible()
  const server = { preset: 'ollama', name: 'Ollama', address: 'http://127.0.0.1:11434', models: ['qwen3:8b'] }
  host['models.findLocal'].mockReturnValue([server])
  await userEvent.click(find)
  await userEvent.click(page.getByRole('button', { name: 'Add Ollama' }))
  await expect
    .poll(() => host['models.save'].mock.lastCall?.[0])
    .toEqual({
      draft: { name: 'ollama', preset: 'ollama' },
      replaces: null,
    })
})

it('shows what a server refused, and tries it again when asked', async () => {
  await show()
  await userEvent.click(page.getByRole('button', { name: 'Models of gate: 2' }))
  await expect
    .element(row('M One'))
    .toHaveTextContent(/gate\/m1 · 32K context · Price unknown.*its server refused: cache marks, images/)
  await userEvent.click(page.getByRole('button', { name: 'Try what M One refused again' }))
  await expect.poll(() => host['models.forget'].mock.lastCall?.[0]).toEqual({ profile: 'gate', model: 'm1' })
})

it('changes what is known of a model, and goes back to it', async () => {
  await show()
  await userEvent.click(page.getByRole('button', { name: 'Models of gate: 2' }))
  await userEvent.click(page.getByRole('button', { name: 'Edit gate/m2' }))
  const editor = page.getByRole('form', { name: 'Edit gate/m2' })
  await userEvent.fill(editor.getByLabelText('Input'), '2,5')
  await userEvent.click(editor.getByRole('button', { name: 'Save model' }))
  await expect.element(editor.getByText(/^Enter dollars such as 2 or 2\.50/)).toBeVisible()
  await expect.element(editor.getByLabelText('Input')).toHaveFocus()
  expect(host['models.setModel']).not.toHaveBeenCalled()
  await userEvent.fill(editor.getByLabelText('Input'), '2.5')
  await userEvent.fill(editor.getByLabelText('Output'), '10')
  await userEvent.click(editor.getByRole('checkbox', { name: 'Sees images' }))
  await userEvent.click(editor.getByRole('button', { name: 'Save model' }))
  await expect
    .poll(() => host['models.setModel'].mock.lastCall?.[0])
    .toEqual({
      profile: 'gate',
      model: 'm2',
      draft: { prices: { input: 2.5, output: 10 }, images: false },
    })
  await userEvent.click(page.getByRole('button', { name: 'Edit gate/m2' }))
  await userEvent.click(page.getByRole('button', { name: 'Use what is known again' }))
  await expect.poll(() => host['models.setModel'].mock.lastCall?.[0]).toMatchObject({ draft: { prices: null } })
})

it('orders the models that stand in by keyboard, and says when one is gone', async () => {
  await show()
  await expect.element(page.getByText('No profile lists this model')).toBeVisible()
  const down = page.getByRole('button', { name: 'Move M One down' })
  down.element().focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => host['models.choose'].mock.lastCall?.[0]).toEqual({ fallback: ['gate/gone', 'gate/m1'] })
  await userEvent.click(page.getByRole('button', { name: 'Remove gate/gone' }))
  await expect.poll(() => host['models.choose'].mock.lastCall?.[0]).toEqual({ fallback: ['gate/m1'] })
})

it('chooses the model of subagents in the same search, or none of their own', async () => {
  await show()
  await userEvent.click(page.getByRole('button', { name: 'Subagents: As the agent that starts them' }))
  await userEvent.keyboard('one{Enter}')
  await expect.poll(() => host['models.choose'].mock.lastCall?.[0]).toEqual({ subagentModel: 'gate/m1' })
  await userEvent.click(page.getByRole('button', { name: 'Summaries: M One' }))
  await userEvent.click(page.getByRole('option', { name: /As the thread/ }))
  await expect.poll(() => host['models.choose'].mock.lastCall?.[0]).toEqual({ summaryModel: null })
})
