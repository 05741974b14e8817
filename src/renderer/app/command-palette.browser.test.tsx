import { type ReactNode, useState } from 'react'
import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { CommandPalette } from './command-palette.tsx'

/** Answers a search for files when the test says so. */
function heldFiles() {
  const answers = new Map<string, (paths: readonly string[]) => void>()
  const find = ({ query }: { readonly query: string }) =>
    new Promise<readonly string[]>((resolve) => {
      answers.set(query, resolve)
    })
  return { find, answers }
}

it('says that nothing was found only when nothing was found', async () => {
  const { find, answers } = heldFiles()
  await renderInWindow(<CommandPalette onlyFiles onClose={() => undefined} />, { 'files.find': find })
  const nothing = page.getByText(/^Nothing found/)
  await userEvent.type(page.getByRole('combobox'), 'guide')
  await expect.poll(() => answers.has('guide')).toBe(true)
  expect(nothing.elements()).toEqual([])
  answers.get('guide')?.(['/docs/guide.md'])
  await expect.element(page.getByRole('option', { name: '/docs/guide.md' })).toBeVisible()
  expect(nothing.elements()).toEqual([])
  await userEvent.type(page.getByRole('combobox'), 'x')
  await expect.poll(() => answers.has('guidex')).toBe(true)
  answers.get('guidex')?.([])
  await expect.element(nothing).toBeVisible()
})

it('opens the first file when Enter comes before the answer', async () => {
  const { find, answers } = heldFiles()
  const onClose = vi.fn<() => void>()
  const { session } = await renderInWindow(<CommandPalette onlyFiles onClose={onClose} />, { 'files.find': find })
  await userEvent.type(page.getByRole('combobox'), 'guide{Enter}')
  await expect.poll(() => answers.has('guide')).toBe(true)
  expect(onClose).not.toHaveBeenCalled()
  answers.get('guide')?.(['/docs/guide.md', '/guide.md'])
  await expect.poll(() => session.store.getState().ui.tab).toEqual({ file: '/docs/guide.md' })
  expect(onClose).toHaveBeenCalledTimes(1)
})

it('takes the focus when it opens, keeps it with Tab, and gives it back when it closes', async () => {
  function Opener(): ReactNode {
    const [open, setOpen] = useState(false)
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          Open
        </button>
        {open && <CommandPalette onlyFiles={false} onClose={() => setOpen(false)} />}
      </>
    )
  }
  await renderInWindow(<Opener />)
  await userEvent.click(page.getByRole('button', { name: 'Open' }))
  await expect.element(page.getByRole('dialog', { name: 'Search or run a command' })).toBeVisible()
  await expect.element(page.getByRole('combobox')).toHaveFocus()
  await userEvent.keyboard('{Tab}{Shift>}{Tab}{/Shift}')
  await expect.element(page.getByRole('combobox')).toHaveFocus()
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  await expect.element(page.getByRole('button', { name: 'Open' })).toHaveFocus()
})
