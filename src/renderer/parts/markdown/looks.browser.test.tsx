import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { Markdown } from './markdown.tsx'

const show = (text: string) =>
  renderInWindow(
    <section aria-label="reply" style={{ width: 400 }}>
      <Markdown text={text} />
    </section>,
  )
const styleOf = (element: Element) => getComputedStyle(element)

it('keeps the words of a table whole, lets it scroll and keeps the alignment', async () => {
  const columns = ['Owner', 'Severity', 'Lines', 'Description', 'Assignee', 'Component', 'Reproduction', 'Workaround']
  await show(
    `| ${columns.join(' | ')} |\n| --- | --- | --: |${' --- |'.repeat(5)}\n| ${columns.map((_, at) => `${at}300`).join(' | ')} |`,
  )
  const table = page.getByRole('table')
  await expect.element(table).toBeVisible()
  const box = table.element().parentElement
  if (!box) throw new Error('The table has no box')
  expect(box.scrollWidth).toBeGreaterThan(box.clientWidth)
  expect(box.clientWidth).toBeLessThanOrEqual(400)
  const severity = page.getByText('Severity', { exact: true }).element()
  expect(severity.getBoundingClientRect().height).toBeLessThan(40)
  expect(styleOf(page.getByText('2300', { exact: true }).element()).textAlign).toBe('right')
})

it('shows headings by size, tasks without bullets, and right-to-left text from the right', async () => {
  await show('# One\n\n## Two\n\n### Three\n\n- [ ] task\n- point\n\n\u0645\u0631\u062d\u0628\u0627 bonjour')
  const size = (name: string) => styleOf(page.getByRole('heading', { name }).element()).fontSize
  await expect.element(page.getByRole('heading', { name: 'One' })).toBeVisible()
  expect([size('One'), size('Two'), size('Three')]).toEqual(['20px', '16px', '14px'])
  const [task, point] = page.getByRole('listitem').elements()
  expect([task, point].map((item) => item && styleOf(item).listStyleType)).toEqual(['none', 'disc'])
  expect(styleOf(page.getByText('bonjour').element()).direction).toBe('rtl')
})

it('names the language of code, and colours a diff', async () => {
  await show('```diff\n@@ -1 +1 @@\n-old\n+new\n```')
  await expect.element(page.getByText('diff', { exact: true })).toBeVisible()
  const colours = ['-old', '+new'].map(
    (text) => styleOf(page.getByText(text, { exact: true }).element()).backgroundColor,
  )
  expect(new Set([...colours, 'rgba(0, 0, 0, 0)']).size).toBe(3)
})

it('opens the file that code names, at its line', async () => {
  const { session } = await show('Look at `src/a.ts:12`, not at `npm test`.')
  await userEvent.click(page.getByRole('button', { name: 'src/a.ts:12' }))
  expect(session.store.getState().ui).toMatchObject({ tab: { file: '/src/a.ts' }, fileLine: 12 })
  await expect.element(page.getByRole('button')).toHaveLength(1)
})
