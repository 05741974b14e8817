import type { Page } from '@playwright/test'
import { lastResults, taskOf, turnOf } from '../model-server/scenario.ts'
import { beginThread, expect, test } from '../support/window.ts'

// These are about calls that ask before they run.
test.use({ commands: 'before' })

const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const waiting = (page: Page) => page.getByRole('region', { name: 'Waiting messages' })
const rows = (page: Page) => waiting(page).getByRole('article', { name: 'You' })

async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(message(page)).toHaveValue('')
}

test('C. Queued messages are rewritten, moved, removed and delivered, and a broken reply stays in sight', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('C. Queued messages are rewritten, moved and removed, stay after a stop, and can be delivered; the output stays', async () => {
    await beginThread(page, model, (request) =>
      turnOf(request) === 0
        ? { calls: [{ name: 'execute', id: 'slow', input: { command: 'echo nine lines; sleep 60' } }] }
        : {
            text: `Results: ${[...lastResults(request).values()].join().slice(0, 20)} Heard: ${JSON.stringify(request.messages.at(-1)?.content)}`,
          },
    )
    await say(page, 'Run it')
    const card = page.getByRole('group', { name: 'Approval: execute by main' })
    await expect(card).toBeVisible()
    for (const text of ['first', 'second', 'third']) await say(page, text)
    await expect(rows(page)).toHaveCount(3)
    await waiting(page).getByRole('button', { name: 'Move waiting text 3 up' }).click()
    await expect(rows(page).nth(1)).toContainText('third')
    await waiting(page).getByRole('button', { name: 'Remove waiting text 1' }).click()
    await expect(rows(page)).toHaveCount(2)
    await waiting(page).getByRole('button', { name: 'Rewrite waiting text 2' }).click()
    await waiting(page).getByRole('textbox', { name: 'Waiting text' }).fill('second, but better')
    await page.keyboard.press('Enter')
    await expect(rows(page).nth(1)).toContainText('second, but better')

    await card.getByRole('button', { name: 'Approve' }).click()
    await expect(page.getByText(/^nine lines/).first()).toBeVisible()
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect(page.getByRole('article', { name: 'Stopped' })).toBeVisible()
    await expect(rows(page).first()).toContainText('third')
    await expect(waiting(page)).toContainText('2 messages were not delivered, because the run ended first.')
    await page.getByRole('button', { name: /Ran echo nine lines/ }).click()
    await expect(page.getByText(/It had printed:\s+nine lines/)).toBeVisible()

    await waiting(page).getByRole('button', { name: 'Deliver' }).last().click()
    await expect(page.getByText(/Heard:.*second, but better/)).toBeVisible()
    await expect(waiting(page)).toHaveCount(0)
  })

  await test.step('C. What a broken reply had said stays in sight while it is tried again', async () => {
    const held = Promise.withResolvers<void>()
    await beginThread(page, model, (request, { tries }) =>
      taskOf(request) && tries === 0
        ? {
            text: 'The first half of an answer, and then nothing more came',
            pauseMs: 2,
            fault: { kind: 'cut', afterEvents: 6 },
          }
        : { text: 'The whole answer.', after: held.promise },
    )
    await say(page, 'Answer')
    const broken = page.getByRole('article', { name: 'Broken off' })
    await expect(broken).toContainText('The first')
    held.resolve()
    await expect(page.getByText('The whole answer.')).toBeVisible()
    await expect(broken).toHaveCount(0)
  })
})
