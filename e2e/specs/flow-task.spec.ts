import type { Scenario } from '../model-server/scenario.ts'
import { turnOf } from '../model-server/scenario.ts'
import { beginThread, expect, test } from '../support/window.ts'

test('C. A task from its first message to its end: plan, tools, code, Markdown, a stop, a limit', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('C. Runs a task: todos fill, tool rows fold, the answer streams, and an end card sums up', async () => {
    const scenario: Scenario = (request) => {
      switch (turnOf(request)) {
        case 0:
          return {
            text: 'I make a **plan**.',
            calls: [
              {
                name: 'write_todos',
                input: {
                  todos: [
                    { content: 'Read the code', status: 'in_progress' },
                    { content: 'Add fees', status: 'pending' },
                  ],
                },
              },
            ],
          }
        case 1:
          return {
            calls: ['/src/account.js', '/README.md', '/docs/guide.md'].map((file_path) => ({
              name: 'read_file',
              input: { file_path },
            })),
          }
        case 2:
          return {
            calls: [{ name: 'write_file', input: { file_path: '/src/fees.js', content: 'export const fee = 1\n' } }],
          }
        default:
          return {
            text: '| a | b |\n|---|---|\n| 1 | 2 |\n\nFees are in `src/fees.js`. <img src=x onerror=alert(1)>',
            pauseMs: 5,
          }
      }
    }
    await beginThread(page, model, scenario)
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await page.getByRole('textbox', { name: 'Message' }).fill('Add fees')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await expect(page.getByRole('region', { name: 'Todo' })).toContainText('Read the code')
    await expect(page.getByText('Read 3 files')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Review changes' })).toBeVisible()
    await expect(page.getByRole('cell', { name: '2' })).toBeVisible()
    await expect(page.locator('img[src="x"]')).toHaveCount(0)
    expect(dialogs).toEqual([])
    await page.getByRole('button', { name: 'Review changes' }).click()
    await expect(page.getByRole('tab', { name: 'Changes' })).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByText('/src/fees.js').first()).toBeVisible()
  })

  await test.step('C. Code has the colours of its language, and is copied exactly as written', async () => {
    const code = 'export const fee = 1 // cent\n'
    await beginThread(page, model, () => ({ text: `So:\n\n\`\`\`ts\n${code}\`\`\`` }))
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('textbox', { name: 'Message' }).fill('Show me')
    await page.getByRole('button', { name: 'Send' }).click()
    const reply = page.getByRole('article', { name: 'main' })
    await expect(reply.locator('.text-code-keyword')).toHaveText(['export', 'const'])
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await reply.getByRole('button', { name: 'Copy code' }).click()
    await expect.poll(copied).toBe(code.trimEnd())
    await reply.getByRole('button', { name: 'Copy reply' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(copied).toContain('```ts')
  })

  await test.step('C. A reply is Markdown while it streams, and also when it is very long', async () => {
    await beginThread(page, model, (request) =>
      turnOf(request) === 0
        ? { text: `A **plan**.\n\n${'More of it. '.repeat(40)}`, pauseMs: 50 }
        : { text: `## Report\n\n${'A sentence. '.repeat(2_000)}` },
    )
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.fill('Plan')
    await message.press('Enter')
    await expect(page.locator('article[aria-busy] strong')).toHaveText('plan')
    await expect(page.locator('article[aria-busy]')).toHaveCount(0)
    await message.fill('Report')
    await message.press('Enter')
    await expect(page.getByText('Done').first()).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Report' })).toBeAttached()
  })

  await test.step('C. Stop ends a streaming reply at once, and the thread goes on afterwards', async () => {
    const endless = 'word '.repeat(50_000)
    await beginThread(page, model, () => ({ text: endless, pauseMs: 20 }))
    await page.getByRole('textbox', { name: 'Message' }).fill('Talk')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('word word').first()).toBeVisible()
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect(page.getByText('Stopped').first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Stop' }), 'no other button has this name').toHaveCount(0)
    model.use(() => ({ text: 'Quiet now.' }))
    await page.getByRole('textbox', { name: 'Message' }).fill('Be brief')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('Quiet now.')).toBeVisible()
  })

  await test.step('C. A rate limit is shown with its waiting time, then the task is done', async () => {
    const limited: Scenario = (_, { tries }) =>
      tries === 0
        ? { fault: { kind: 'status', status: 429, headers: { 'retry-after': '2' } } }
        : { text: 'Here it is.' }
    await beginThread(page, model, limited)
    await page.getByRole('textbox', { name: 'Message' }).fill('Go')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText(/Trying again in/).first()).toBeVisible()
    await expect(page.getByText('Here it is.')).toBeVisible()
  })
})
