import type { Page } from '@playwright/test'
import { taskOf, turnOf } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

// These are about calls that ask before they run.
test.use({ commands: 'before' })

const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })

async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(message(page)).toHaveValue('')
}

test('C. Nothing that was typed or attached is lost by a reload or in another thread', async ({ open, model }) => {
  const { page } = await open({
    scenario: (request) =>
      turnOf(request) === 0 && !taskOf(request).startsWith('Other')
        ? {
            calls: [
              { name: 'execute', id: 'one', input: { command: 'echo one' } },
              { name: 'ask_user', id: 'two', input: { question: 'Which rounding?' } },
            ],
          }
        : { text: 'Understood.' },
  })
  await say(page, 'Other work')
  await expect(page.getByText('Understood.')).toBeVisible()
  await page.getByRole('button', { name: 'New thread' }).first().click()
  await say(page, 'Run it')
  const card = page.getByRole('group', { name: 'Approval: execute by main' })
  const question = page.getByRole('group', { name: 'Approval: ask_user by main' })
  const waiting = page.getByRole('region', { name: 'Waiting messages' })
  const attached = page.getByRole('list', { name: 'Attached files' })
  await card.getByRole('button', { name: 'Edit' }).click()
  await card.getByRole('textbox', { name: 'Command' }).fill('echo edited')
  await question.getByRole('textbox', { name: 'Your answer' }).fill('half up, please')
  await say(page, 'first')
  await waiting.getByRole('button', { name: 'Rewrite waiting text 1' }).click()
  await waiting.getByRole('textbox', { name: 'Waiting text' }).fill('first, but better')
  await page
    .locator('input[type=file]')
    .setInputFiles([{ name: 'data.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') }])
  await expect(attached).toContainText('data.csv')
  await message(page).fill('use the table')

  async function expectAll(): Promise<void> {
    await expect(message(page)).toHaveValue('use the table')
    await expect(attached).toContainText('data.csv')
    await expect(card.getByRole('textbox', { name: 'Command' })).toHaveValue('echo edited')
    await expect(question.getByRole('textbox', { name: 'Your answer' })).toHaveValue('half up, please')
    await expect(waiting.getByRole('textbox', { name: 'Waiting text' })).toHaveValue('first, but better')
  }
  await page.getByRole('navigation').getByText('Other work').click()
  await expect(waiting).toHaveCount(0)
  await expect(attached).toHaveCount(0)
  await page.getByRole('navigation').getByText('Run it').click()
  await expectAll()
  await page.reload()
  await expectAll()

  await waiting.getByRole('button', { name: 'Save' }).click()
  await expect(waiting.getByRole('article', { name: 'You' })).toContainText('first, but better')
  await question.getByRole('button', { name: 'Answer', exact: true }).click()
  await card.getByRole('button', { name: 'Approve' }).click()
  await expect(card).toHaveCount(0)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(attached).toHaveCount(0)
  await expect.poll(() => JSON.stringify(model.requests.at(-1))).toContain('/inputs/data.csv')
  await page.reload()
  await expect(page.getByText('Understood.').first()).toBeVisible()
  await expect(attached).toHaveCount(0)
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('coppice-typed'))),
    'what was sent is forgotten',
  ).toEqual([])
})
