import { useState } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { Tabs } from './tabs.tsx'

const names = Array.from({ length: 30 }, (_, index) => `file-number-${index}.ts`)
const labels = { label: 'Main', allLabel: 'All tabs', closeLabel: 'Close', panelId: 'panel' }

beforeEach(() => document.body.append(Object.assign(document.createElement('div'), { id: labels.panelId })))

it('closes a tab by its cross and by Delete, without choosing it', async () => {
  const [onClose, onSelect] = [vi.fn<() => void>(), vi.fn<(id: string) => void>()]
  const items = [
    { id: 'chat', label: 'Chat' },
    { id: 'a', label: 'a.ts', onClose },
  ]
  await render(<Tabs {...labels} items={items} selected="chat" onSelect={onSelect} />)
  const tab = page.getByRole('tab', { name: 'a.ts' })
  await userEvent.click(tab.element().querySelector('[data-close]') ?? tab.element())
  expect(onClose).toHaveBeenCalledTimes(1)
  expect(onSelect).not.toHaveBeenCalled()
  await userEvent.click(page.getByRole('tab', { name: 'Chat' }))
  await userEvent.keyboard('{ArrowRight}{Delete}')
  expect(onClose).toHaveBeenCalledTimes(2)
  expect(page.getByRole('button', { name: 'All tabs' }).elements()).toEqual([])
})

it.each(['Delete', 'the cross'])('gives the focus to the next tab when %s closes the focused one', async (way) => {
  function Closable() {
    const [open, setOpen] = useState(['chat', 'alpha.ts', 'beta.ts'])
    const [selected, setSelected] = useState('alpha.ts')
    const items = open.map((id) => ({ id, label: id, onClose: () => setOpen(open.filter((one) => one !== id)) }))
    return <Tabs {...labels} items={items} selected={selected} onSelect={setSelected} />
  }
  await render(<Closable />)
  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  async function close(name: string): Promise<void> {
    if (way === 'Delete') await userEvent.keyboard('{Delete}')
    else await userEvent.click(tab(name).element().querySelector('[data-close]') ?? tab(name).element())
  }
  await userEvent.click(tab('alpha.ts'))
  await close('alpha.ts')
  await expect.element(tab('beta.ts')).toHaveFocus()
  await expect.element(tab('beta.ts')).toHaveAttribute('aria-selected', 'true')
  await close('beta.ts')
  await expect.element(tab('chat')).toHaveFocus()
  await expect.element(tab('chat')).toHaveAttribute('aria-selected', 'true')
})

it('closes a tab with the middle button, not with the right one', async () => {
  const onClose = vi.fn<() => void>()
  await render(
    <Tabs {...labels} items={[{ id: 'a', label: 'a.ts', onClose }]} selected="a" onSelect={() => undefined} />,
  )
  const tab = page.getByRole('tab', { name: 'a.ts' })
  await userEvent.click(tab, { button: 'right' })
  expect(onClose).not.toHaveBeenCalled()
  await userEvent.click(tab, { button: 'middle' })
  expect(onClose).toHaveBeenCalledTimes(1)
})

it('lists all tabs when they do not fit, and keeps the chosen one in sight', async () => {
  const items = names.map((name) => ({ id: name, label: name, onClose: () => undefined }))
  const last = names.at(-1) ?? ''
  const onSelect = vi.fn<(id: string) => void>()
  await render(<Tabs {...labels} items={items} selected={last} onSelect={onSelect} />)
  await expect.element(page.getByRole('tab', { name: last })).toBeInViewport()
  await userEvent.click(page.getByRole('button', { name: 'All tabs' }))
  await userEvent.click(page.getByRole('menuitem', { name: 'file-number-1.ts', exact: true }))
  expect(onSelect).toHaveBeenCalledWith('file-number-1.ts')
})
