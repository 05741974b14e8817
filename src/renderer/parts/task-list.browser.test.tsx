import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { TaskList } from './task-list.tsx'

it('shows each task to its end in a box that scrolls by keyboard', async () => {
  const lines = Array.from({ length: 60 }, (_, line) => `Line ${line}`)
  await render(<TaskList tasks={[{ name: '', task: [...lines, 'and push it'].join('\n') }]} />)
  const box = page.getByRole('list', { name: 'Tasks' }).element()
  const text = page.getByText('and push it').element()
  expect(text.scrollHeight).toBe(text.clientHeight)
  box.scrollTop = box.scrollHeight
  await expect.element(page.getByText('and push it')).toBeInViewport()
  expect(box.closest('[tabindex="0"]')).not.toBeNull()
})

it('says how many tasks it does not list', async () => {
  await render(<TaskList tasks={Array.from({ length: 203 }, (_, at) => ({ name: '', task: `Task ${at}` }))} />)
  await expect.element(page.getByText('And 3 more tasks, not listed here.')).toBeVisible()
})
