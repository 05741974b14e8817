import { type ReactNode, useRef, useState } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { AppInfo, ModelChoice } from '#shared/contract/views/app.ts'
import type { ModelsView, ProfileView } from '#shared/contract/views/models.ts'
import type { ModelAbilities } from '#shared/model/models/model-facts.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { ModelPicker } from './model-picker.tsx'

const can: ModelAbilities = {
  ...{ tools: true, images: true, thinking: 'adaptive', efforts: [], caching: true, temperature: true, schemas: true },
}
const price = { input: 2, output: 0.5, cacheRead: 0.2, cacheWrite: 2.5 }
const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const models: readonly ModelChoice[] = [
  { id: 'claude', name: 'Claude', contextWindow: 200_000, provider: 'Anthropic', profile: 'anthropic', price, can },
  { id: 'gate/m1', name: 'M One', contextWindow: 32_000, provider: 'gate', profile: 'gate', price: null },
  { id: 'local/tiny', name: 'local/tiny', contextWindow: 8_000, provider: 'local', profile: 'local', price: free },
]
const profile = (name: string, secret: ProfileView['secret'], needsSecret: boolean) =>
  ({ name, secret, needsSecret }) as ProfileView
const view = {
  profiles: [profile('anthropic', 'stored', true), profile('gate', null, true), profile('local', null, false)],
} as unknown as ModelsView

const onChoose = vi.fn<(model: string | null) => void>()
const search = page.getByRole('combobox', { name: 'Search models' })

function Opened({ none }: { none?: { label: string; hint: string } }): ReactNode {
  const anchor = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(true)
  return (
    <>
      <button ref={anchor} type="button" onClick={() => setOpen(true)}>
        open
      </button>
      {isOpen && (
        <ModelPicker
          anchor={anchor}
          chosen={none ? null : 'claude'}
          {...(none && { none })}
          onChoose={onChoose}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

async function show(element = <Opened />, listed = models): Promise<Awaited<ReturnType<typeof renderInWindow>>> {
  const shown = await renderInWindow(element, { 'models.get': () => view })
  const provider = { model: 'claude', models: listed } as unknown as AppInfo['provider']
  shown.session.store.setState({ info: { provider } as unknown as AppInfo })
  return shown
}

/** The line that Enter would choose. */
function active(): string {
  const id = search.element().getAttribute('aria-activedescendant') ?? ''
  return document.getElementById(id)?.textContent ?? ''
}

beforeEach(() => {
  localStorage.clear()
  onChoose.mockClear()
})

it('groups models by who answers, with window, price, abilities and the default', async () => {
  await show()
  const claude = page.getByRole('group', { name: 'Anthropic' }).getByRole('option')
  await expect
    .element(claude)
    .toHaveTextContent(/Claude ?default.*200K context.*\$2 \/ \$0\.5.*Calls tools.*Sees images.*Thinks/)
  await expect.element(claude).toHaveAttribute('aria-selected', 'true')
  await expect.element(page.getByRole('group', { name: 'gate' })).toHaveTextContent(/gate\/m1.*Price unknown/)
  await expect.element(page.getByRole('group', { name: 'local' })).toHaveTextContent(/Free/)
})

it('is driven by the keyboard alone: type, arrows, Enter, and the focus goes back', async () => {
  await show()
  await expect.element(search).toHaveFocus()
  await expect.poll(active).toMatch(/^Claude/)
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}')
  await expect.poll(active).toMatch(/^Claude/)
  await userEvent.keyboard('{ArrowUp}')
  await expect.poll(active).toMatch(/^local\/tiny/)
  await userEvent.keyboard('tin{Enter}')
  expect(onChoose).toHaveBeenCalledExactlyOnceWith('local/tiny')
  await expect.element(page.getByRole('button', { name: 'open' })).toHaveFocus()
})

it('closes with Escape and chooses nothing', async () => {
  await show()
  await expect.element(search).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}{Escape}')
  await expect.element(search).not.toBeInTheDocument()
  expect(onChoose).not.toHaveBeenCalled()
})

it('puts the models that were used last first', async () => {
  await show()
  await userEvent.fill(search, 'tiny')
  await userEvent.keyboard('{Enter}')
  await userEvent.click(page.getByRole('button', { name: 'open' }))
  await expect
    .element(page.getByRole('group', { name: 'Last used' }).getByRole('option'))
    .toHaveTextContent('local/tiny')
})

it('takes a name that no list has, as it was typed', async () => {
  await show()
  await userEvent.fill(search, 'gate/new:8b')
  await userEvent.keyboard('{Enter}')
  expect(onChoose).toHaveBeenCalledWith('gate/new:8b')
})

it('says why a model cannot be asked, and leads to the settings', async () => {
  const { session } = await show()
  const option = page.getByRole('group', { name: 'gate' }).getByRole('option')
  await expect.element(option).toHaveTextContent('no key')
  await userEvent.fill(search, 'm one')
  await expect.element(page.getByText(/^There is no key for gate yet\./)).toBeVisible()
  await userEvent.keyboard('{Enter}')
  expect(onChoose).not.toHaveBeenCalled()
  expect(session.store.getState().ui).toMatchObject({ route: 'settings', settingsSection: 'models' })
})

it('offers no model of its own as the first line', async () => {
  await show(<Opened none={{ label: 'As its parent', hint: 'The model of the thread' }} />)
  const first = page.getByRole('option', { name: /As its parent/ })
  await expect.element(first).toHaveAttribute('aria-selected', 'true')
  await userEvent.keyboard('{Enter}')
  expect(onChoose).toHaveBeenCalledExactlyOnceWith(null)
})

it('draws and searches two thousand models without all of them in the list', async () => {
  const many = Array.from({ length: 2000 }, (_, index): ModelChoice => {
    const name = `gate/model-${index}`
    return { id: name, name, contextWindow: 1000, provider: 'gate', profile: 'gate', can, price }
  })
  await show(<Opened />, many)
  await expect.element(page.getByText('1,960 more. Type to find one.')).toBeVisible()
  expect(page.getByRole('option').elements().length).toBeLessThan(60)
  await userEvent.keyboard('model-1999')
  await expect.element(page.getByRole('option', { name: 'gate/model-1999' }).first()).toBeVisible()
})
