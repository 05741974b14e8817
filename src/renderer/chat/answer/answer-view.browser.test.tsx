import { beforeEach, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { JsonValue } from '#shared/base/json.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { AnswerView } from './answer-view.tsx'

beforeEach(() => localStorage.clear())

const show = (value: JsonValue) => renderInWindow(<AnswerView value={value} />)
const button = (name: string) => page.getByRole('button', { name, exact: true })

it('shows flat records as a table, and the same as a tree', async () => {
  await show({
    findings: [
      { path: '/a.ts', line: 3, open: true },
      { path: '/b.ts', line: 12, note: null },
    ],
  })
  await expect.element(page.getByRole('columnheader', { name: 'line' })).toBeVisible()
  await expect.element(page.getByRole('row', { name: '/a.ts 3 true –' })).toBeVisible()
  await expect.element(page.getByText('findings · 2 rows')).toBeVisible()
  await userEvent.click(button('Tree'))
  await expect.element(page.getByRole('table')).not.toBeInTheDocument()
  await expect.element(page.getByRole('button', { name: 'findings 2 items' })).toBeVisible()
})

it('shows anything else as a tree that folds', async () => {
  await show({ total: 6, parts: [{ name: 'x', tags: ['a'] }], none: [] })
  await expect.element(button('Table')).not.toBeInTheDocument()
  await expect.element(page.getByText('6')).toBeVisible()
  const parts = page.getByRole('button', { name: 'parts 1 item' })
  await expect.element(page.getByText('name')).toBeVisible()
  await userEvent.click(parts)
  await expect.element(parts).toHaveAttribute('aria-expanded', 'false')
  await expect.element(page.getByText('name')).not.toBeInTheDocument()
})

it('shows the beginning of a long table, and all of it on demand', async () => {
  await show(Array.from({ length: 250 }, (_, id) => ({ id })))
  await expect.poll(() => page.getByRole('row').elements().length).toBe(101)
  await userEvent.click(button('Show all 250 rows'))
  await expect.poll(() => page.getByRole('row').elements().length).toBe(251)
})

it('scrolls a wide table inside its own box', async () => {
  await show([Object.fromEntries(Array.from({ length: 40 }, (_, column) => [`column_${column}`, column]))])
  const table = page.getByRole('region', { name: 'Table' })
  await expect.poll(() => table.element().scrollWidth > table.element().clientWidth).toBe(true)
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
})
