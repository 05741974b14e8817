import type { Page } from '@playwright/test'
import type { EntryBody } from '#shared/model/entry.ts'
import type { MessageId } from '#shared/model/ids.ts'
import { ownBranch, storeThreads } from '../support/stored-threads.ts'
import { secondTab } from '../support/tabs.ts'
import { expect, test } from '../support/window.ts'

const turns = 1_500

/** Fills a thread with `turns` messages and answers: more than a page reads before it shows something. */
function fill(dataFolder: string, folder: string): void {
  const story = Array.from({ length: turns }, (_, number) => turnOf(number)).flat()
  storeThreads(dataFolder, folder, [{ title: 'Long', bodies: [{ type: 'thread.titled', title: 'Longer' }, ...story] }])
}

/** Begins with a thread of its own, which a page does not read before somebody opens it. */
function fillWithOld(dataFolder: string, folder: string): void {
  const discarded = { type: 'branch.discarded', branchId: ownBranch, patch: [], whole: false, by: 'person' } as const
  storeThreads(dataFolder, folder, [{ title: 'Old', bodies: [...turnOf(1_000_000), discarded] }])
  fill(dataFolder, folder)
}

function turnOf(number: number): readonly EntryBody[] {
  const said = { role: 'user', messageId: `q${number}` as MessageId, origin: 'person' } as const
  const replied = { role: 'assistant', messageId: `a${number}` as MessageId, stopReason: 'end_turn' } as const
  const text = (words: string) => [{ type: 'text', text: `${words} ${number} of the story` }] as const
  return [
    { type: 'message', message: { ...said, content: text('Question') } },
    { type: 'run.started' },
    { type: 'message', message: { ...replied, content: text('Answer') } },
    { type: 'run.ended', status: 'done', reason: 'completed', message: '' },
  ]
}

const reading = (page: Page) => page.getByRole('progressbar', { name: 'Reading threads' })

test('B. A thread of thousands of messages shows its end first, and then the whole conversation, in every window', async ({
  open,
  project,
  dataFolder,
}) => {
  fill(dataFolder, project.folder)
  const first = (await open()).page
  for (const page of [first, await secondTab(first)]) {
    await expect(page.getByText(`Answer ${turns - 1} of the story`)).toBeVisible()
    await expect(reading(page)).toHaveCount(0)
    await expect(page.getByText(`Answer ${turns - 1} of the story`)).toBeVisible()
    await page.getByRole('searchbox', { name: /search/i }).fill('question 0 story')
    await page.getByRole('button', { name: /Question 0 of the story/ }).click()
    await expect(page.getByRole('article').getByText('Question 0 of the story')).toBeVisible()
  }
})

test('F. A thread of thousands of messages is rewound, goes on, and is the same after a restart', async ({
  open,
  project,
  dataFolder,
}) => {
  fill(dataFolder, project.folder)
  const { page, restart } = await open({ scenario: () => ({ text: 'Told anew.' }) })
  await expect(page.getByText(`Answer ${turns - 1} of the story`)).toBeVisible()
  await expect(reading(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Rewind' }).last().click()
  const dialog = page.getByRole('dialog', { name: 'Rewind' })
  await expect(dialog.getByRole('radio', { name: new RegExp(`Before “Question ${turns - 1} of`) })).toBeChecked()
  await dialog.getByRole('button', { name: 'Rewind' }).click()
  await expect(page.getByText(`Answer ${turns - 1} of the story`)).toHaveCount(0)
  await expect(page.getByText(`Answer ${turns - 2} of the story`)).toBeVisible()
  await page.getByRole('textbox', { name: 'Message' }).fill('Go on')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Told anew.')).toBeVisible()
  const again = await restart()
  await expect(again.getByText('Told anew.')).toBeVisible()
  await expect(reading(again)).toHaveCount(0)
  await expect(again.getByText('Told anew.')).toBeVisible()
  await expect(again.getByText(`Answer ${turns - 1} of the story`)).toHaveCount(0)
})

test('A thread that the window has not read is listed, found, opened and continued', async ({
  open,
  project,
  dataFolder,
}) => {
  fillWithOld(dataFolder, project.folder)
  const { page, restart } = await open({ scenario: () => ({ text: 'Continued.' }) })
  await expect(page.getByText(`Answer ${turns - 1} of the story`)).toBeVisible()
  await expect(reading(page)).toHaveCount(0)
  await page.getByRole('button', { name: /^Project menu/ }).click()
  await page.getByRole('menuitem', { name: 'History' }).click()
  await expect(page.getByText('1 thread is not in this list yet')).toBeVisible()
  await page.getByRole('button', { name: 'Read them' }).click()
  await expect(page.getByRole('list', { name: 'What was taken away' }).getByRole('listitem')).toHaveCount(1)
  await expect(page.getByText('1 thread is not in this list yet')).toHaveCount(0)

  const again = await restart()
  await again.getByRole('searchbox', { name: /search/i }).fill('question 1000000 story')
  await again.getByRole('button', { name: /Question 1000000 of the story/ }).click()
  await expect(again.getByRole('article').getByText('Question 1000000 of the story')).toBeVisible()
  await again.getByRole('textbox', { name: 'Message' }).fill('Go on')
  await again.getByRole('button', { name: 'Send' }).click()
  await expect(again.getByText('Continued.')).toBeVisible()
  await expect(again.getByText('Answer 1000000 of the story')).toBeVisible()
})
