import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { ModeMenu, type OwnModes } from './mode-menu.tsx'

const modes = [
  { id: 'default', name: 'Always ask' },
  { id: 'acceptEdits', name: 'Accept edits' },
]

async function show(own: Partial<OwnModes> | null) {
  const chosen = { ours: vi.fn(), own: vi.fn() }
  const given = own && { agent: 'claude', modes, chosen: null, onChoose: chosen.own, ...own }
  await renderInWindow(<ModeMenu mode="ask" onChoose={chosen.ours} own={given} />, {
    'settings.get': () => ({ commandApproval: null }) as never,
  })
  return chosen
}

const items = () =>
  page
    .getByRole('menuitem')
    .elements()
    .map((one) => one.textContent)

it('has the modes of an external agent below ours, by keyboard', async () => {
  const { own, ours } = await show({})
  page.getByRole('button', { name: 'Approval mode: Ask' }).element().focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('Modes of claude itself')).toBeVisible()
  await userEvent.keyboard('Accept{Enter}')
  expect(own).toHaveBeenCalledExactlyOnceWith('acceptEdits')
  expect(ours).not.toHaveBeenCalled()
})

it('says which one was chosen, also one that is offered no more, and takes it back', async () => {
  const { own } = await show({ chosen: 'docs' })
  await userEvent.click(page.getByRole('button', { name: 'Approval mode: Ask · docs' }))
  await expect.poll(() => items().slice(-3)).toEqual(['Always ask', 'Accept edits', 'docs'])
  await userEvent.click(page.getByRole('menuitem', { name: /^The one that fits/ }))
  expect(own).toHaveBeenCalledExactlyOnceWith(null)
})

it('has none for a model', async () => {
  await show(null)
  await userEvent.click(page.getByRole('button', { name: 'Approval mode: Ask' }))
  await expect.poll(() => items().length).toBe(4)
})
