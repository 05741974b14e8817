import type { Page } from '@playwright/test'
import { byTask } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

const write = (file_path: string, content: string) => ({ name: 'write_file', input: { file_path, content } })
const script = byTask({
  main: [
    { calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'helper', name: 'helper' }] } }] },
    { calls: [write('/notes.txt', 'mine\n'), write('/memories/style.md', 'tabs\n')] },
    { calls: [{ name: 'discard_subagent', input: { handle: 'subagent_0', paths: ['/other.txt'] } }] },
    { calls: [{ name: 'execute', input: { command: 'rm -rf build' } }] },
    { text: 'Finished' },
  ],
  helper: [{ calls: [write('/notes.txt', 'theirs\n'), write('/other.txt', 'x\n')] }, { text: 'Wrote them' }],
})

const acts = (page: Page) => page.getByRole('list', { name: 'What was taken away' })
const line = (page: Page, text: string) => acts(page).getByRole('listitem').filter({ hasText: text })

async function openHistory(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Project menu/ }).click()
  await page.getByRole('menuitem', { name: 'History' }).click()
}

async function undo(page: Page, text: string): Promise<void> {
  await line(page, text).getByRole('button', { name: /^Undo/ }).click()
  await expect(line(page, text)).toContainText('Taken back')
}

test('Every destructive action is in the history, with its author, time and undo', async ({ open, project }) => {
  project.mayChange()
  const { page, restart } = await open({ scenario: script })
  await page.getByRole('textbox', { name: 'Message' }).fill('main')
  await page.getByRole('button', { name: 'Send' }).click()
  const card = page.getByRole('group', { name: 'Approval: execute by main' })
  await card.getByRole('button', { name: 'Drop' }).click()
  await expect(page.getByText('Finished', { exact: true })).toBeVisible()

  await page.getByRole('tab', { name: 'Branches' }).click()
  await page.getByRole('row', { name: '/notes.txt' }).getByRole('button', { name: 'Force' }).click()
  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByRole('button', { name: 'Apply to disk' }).click()
  await page.getByRole('button', { name: /^Apply \d/ }).click()
  await expect(page.getByRole('button', { name: 'Undo apply' })).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Memory' }).click()
  await page.getByRole('button', { name: 'Delete style.md' }).click()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Actions for main' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(page.getByText('This thread was deleted').or(page.getByText('No threads yet'))).toBeVisible()

  await openHistory(page)
  await expect(acts(page).getByRole('listitem')).toHaveText([
    /Deleted the thread.*You · /s,
    /Deleted the memory style.md.*You · /s,
    /Applied 1 file to disk.*You · /s,
    /Forced 1 file of helper.*notes\.txt.*You · /s,
    /Rejected execute.*You · /s,
    /Discarded 1 file of helper.*other\.txt.*main · /s,
  ])
  await expect(line(page, 'Rejected').getByRole('button', { name: 'Rewind…' })).toBeVisible()
  for (const text of ['Deleted the thread', 'Deleted the memory', 'Applied', 'Forced', 'Discarded'])
    await undo(page, text)

  const again = await restart()
  await openHistory(again)
  await expect(line(again, 'Took back an apply')).toContainText('You · ')
  await expect(line(again, 'Forced')).toContainText('Taken back')
  await again.getByRole('button', { name: 'Open the thread main' }).first().click()
  await expect(again.getByText('Finished', { exact: true })).toBeVisible()
})
