import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { AriaElement } from '../react/elements.tsx'
import { Menu } from './menu.tsx'

const trigger = <button type="button">More</button>
const button = page.getByRole('button', { name: 'More' })
const item = page.getByRole('menuitem', { name: 'Rename' })

async function show(): Promise<() => void> {
  const onSelect = vi.fn<() => void>()
  await render(<Menu trigger={trigger} choices={[{ id: 'rename', label: 'Rename', onSelect }]} />)
  return onSelect
}

it('says that the button has a closed menu before anybody reached it', async () => {
  await show()
  await expect.element(button).toHaveAttribute('aria-haspopup', 'menu')
  await expect.element(button).toHaveAttribute('aria-expanded', 'false')
})

it('opens with the first click, and the button stays the same element', async () => {
  const onSelect = await show()
  const before = button.element()
  await userEvent.click(button)
  await expect.element(item).toBeVisible()
  expect(before.getAttribute('aria-expanded')).toBe('true')
  await userEvent.click(item)
  expect(onSelect).toHaveBeenCalledOnce()
  await expect.element(button).toHaveFocus()
  expect(button.element()).toBe(before)
  await expect.element(button).toHaveAttribute('aria-expanded', 'false')
})

it.each(['{Enter}', ' ', '{ArrowDown}'])('opens with the key %s, and gives the focus back', async (key) => {
  await show()
  await userEvent.keyboard('{Tab}')
  await expect.element(button).toHaveFocus()
  await userEvent.keyboard(key)
  await expect.element(item).toHaveFocus()
  await userEvent.keyboard('{Escape}')
  await expect.element(item).not.toBeInTheDocument()
  await expect.element(button).toHaveFocus()
})

it('opens at its first choice when it is pressed by a program, without pointer and focus', async () => {
  const presses = vi.fn<() => void>()
  await render(
    <AriaElement role="group" onClick={presses}>
      <Menu trigger={trigger} choices={[{ id: 'rename', label: 'Rename', onSelect: vi.fn() }]} />
    </AriaElement>,
  )
  const press = (): boolean => button.element().dispatchEvent(new MouseEvent('click', { bubbles: true }))
  for (let count = 1; count <= 2; count += 1) {
    press()
    await expect.element(item).toHaveFocus()
    expect(presses).toHaveBeenCalledTimes(count)
    await userEvent.keyboard('{Escape}')
    await expect.element(item).not.toBeInTheDocument()
  }
})
