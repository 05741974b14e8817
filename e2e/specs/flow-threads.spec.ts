import type { Page } from '@playwright/test'
import { type Scenario, taskOf } from '../model-server/scenario.ts'
import { secondTab } from '../support/tabs.ts'
import { expect, test } from '../support/window.ts'

/** Repeats each message. One task asks a question, so that its thread waits. */
const echo: Scenario = (request) =>
  taskOf(request) === 'ask me'
    ? { calls: [{ name: 'ask_user', input: { question: 'Which?' } }] }
    : { text: `${'Filler. '.repeat(40)}\n\n${'line\n\n'.repeat(30)}Answer to ${taskOf(request)}` }

const threads = (page: Page) => page.getByRole('navigation', { name: 'Threads' })
const row = (page: Page, title: string) => threads(page).getByRole('button', { name: title, exact: true })
const box = (page: Page) => page.getByRole('searchbox', { name: 'Search threads' })

async function start(page: Page, task: string): Promise<void> {
  await page.getByRole('button', { name: 'New thread' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill(task)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(row(page, task)).toBeVisible()
}

test('Threads are grouped by status; rename, pin, archive and delete work by keyboard, menu and mouse', async ({
  open,
}) => {
  const { page, restart } = await open({ scenario: echo })
  for (const task of ['first task', 'second task', 'ask me']) await start(page, task)
  await expect(threads(page).locator('summary', { hasText: 'Needs you' })).toBeVisible()
  await expect(threads(page).locator('summary', { hasText: 'Done2' })).toBeVisible()

  await row(page, 'first task').click()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'New title of first task' }).fill('Renamed')
  await page.keyboard.press('Enter')
  await expect(row(page, 'Renamed')).toBeFocused()
  await page.keyboard.press('F2')
  await expect(page.getByRole('textbox', { name: 'New title of Renamed' })).toBeFocused()
  await page.keyboard.type('not kept')
  await page.keyboard.press('Escape')
  await expect(row(page, 'Renamed')).toBeFocused()

  await page.keyboard.press('Home')
  await expect(threads(page).locator('summary', { hasText: 'Needs you' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(row(page, 'ask me')).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(row(page, 'ask me')).toBeVisible()
  await page.keyboard.press('End')
  await expect(row(page, 'Renamed')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(row(page, 'second task')).toBeFocused()

  await row(page, 'Renamed').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Pin' }).click()
  await expect(threads(page).locator('summary', { hasText: 'Pinned1' })).toBeVisible()

  const other = await secondTab(page)
  await expect(threads(other).locator('summary', { hasText: 'Pinned1' })).toBeVisible()
  await row(other, 'ask me').click()
  await row(page, 'ask me').focus()
  await page.keyboard.press('Delete')
  await expect(row(page, 'ask me')).toHaveCount(0)
  await expect(other.getByText('This thread was deleted')).toBeVisible()
  await expect(other.getByRole('textbox', { name: 'Message' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Approvals' })).not.toContainText('Which?')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'ask me')).toBeVisible()
  await expect(other.getByRole('group', { name: /Approval: ask_user/ })).toBeVisible()
  await other.close()

  await page.getByRole('button', { name: 'Actions for second task' }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await expect(row(page, 'second task')).toHaveCount(0)
  await row(page, 'ask me').focus()
  await page.keyboard.press('Delete')
  await expect(row(page, 'ask me')).toHaveCount(0)
  const again = await restart()
  await again.getByRole('button', { name: 'Which threads are listed' }).click()
  await again.getByRole('menuitem', { name: 'Archived threads' }).click()
  await expect(threads(again).getByRole('button', { name: /^second task/ })).toBeVisible()
  await again.getByRole('button', { name: 'Which threads are listed' }).click()
  await again.getByRole('menuitem', { name: 'Deleted threads' }).click()
  await threads(again).getByRole('button', { name: 'ask me 6 days left' }).click()
  await again.getByRole('button', { name: 'Restore' }).click()
  await expect(again.getByRole('group', { name: /Approval: ask_user/ })).toBeVisible()
})

test('A search finds messages in all threads, and Enter opens the thread at the found message', async ({ open }) => {
  const { page } = await open({ scenario: echo })
  for (const task of ['needle in the first', 'something else']) {
    await start(page, task)
    await expect(page.getByText(`Answer to ${task}`)).toBeVisible()
  }
  await box(page).fill('NEEDLE fir')
  const hits = threads(page).getByRole('list', { name: 'Threads' })
  await expect(hits.getByRole('button')).toHaveText([/needle in the firstDone/, '', /main: .*needle/, /You: needle/])
  await expect(hits.locator('mark').first()).toHaveText('needle')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  const found = page.getByRole('group', { name: 'Found message' })
  await expect(found).toBeFocused()
  await expect(found).toContainText('needle in the first')
  await expect(found).toBeInViewport()
  await box(page).fill('nowhere')
  await expect(page.getByText('Nothing contains “nowhere”')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(row(page, 'something else')).toBeVisible()
})
