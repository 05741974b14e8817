import type { Locator, Page } from '@playwright/test'
import { byTask, type Scenario } from '../model-server/scenario.ts'
import { beginThread, expect, test } from '../support/window.ts'

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

const refused = (status: number, type: string, message: string) => ({
  fault: { kind: 'status', status, body: JSON.stringify({ type: 'error', error: { type, message } }) } as const,
})

test('C. What went wrong is said with what to do now: a limit, a refused key, no credit, parallel work', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('C. A rate limit counts down, and is tried again at once on request', async () => {
    const limited: Scenario = (_, { tries }) =>
      tries === 0
        ? { fault: { kind: 'status', status: 529, headers: { 'retry-after': '60' } } }
        : { text: 'Here it is.' }
    await beginThread(page, model, limited)
    await say(page, 'Go')
    const card = page.getByRole('region', { name: 'Trying again' })
    await expect(card.getByText('The provider is overloaded', { exact: true })).toBeVisible()
    await expect(card).toContainText(/Trying again in [45]\d s \(try 2\)|Trying again in [1-3]?\d s/)
    await card.getByRole('button', { name: 'Retry now' }).click()
    await expect(page.getByText('Here it is.')).toBeVisible()
  })

  await test.step('C. A refused key offers the key first, and a lack of credit shows where to add some', async () => {
    await beginThread(page, model, (request) =>
      JSON.stringify(request.messages).includes('poor')
        ? refused(400, 'invalid_request_error', 'Your credit balance is too low. See https://pay.example.com/plans.')
        : refused(401, 'authentication_error', 'invalid x-api-key'),
    )
    await say(page, 'Go')
    const failed = page.getByRole('article', { name: 'Failed' })
    await expect(failed).toContainText('The key was refused')
    await expect(failed.getByRole('button', { name: /^(Edit key|Continue|Retry)/ }).first()).toHaveText('Edit key')
    await say(page, 'poor')
    await expect(failed.last()).toContainText('The credit of this key is used up')
    const add = failed.last().getByRole('button', { name: 'Add credit at pay.example.com' })
    await expect(add).toBeVisible()
    await expect(failed.last()).toContainText('Your message and all work so far are kept.')
    const colour = (button: Locator) => button.evaluate((element) => getComputedStyle(element).backgroundColor)
    const others = await failed
      .last()
      .getByRole('button', { name: /^(Continue|Edit key)$/ })
      .all()
    for (const other of others) expect(await colour(other), 'one primary button').not.toBe(await colour(add))
  })

  await test.step('E. The end of parallel work says what became of it, and what to do now', async () => {
    const write = (name: string) => [
      { calls: [{ name: 'write_file', input: { file_path: `/src/${name}.js`, content: 'export const a = 1\n' } }] },
      { text: 'Done.' },
    ]
    let broken = true
    const script = byTask({
      main: [
        {
          calls: [
            {
              name: 'spawn_subagents',
              input: { tasks: ['alpha', 'beta', 'gamma'].map((name) => ({ task: name, name })) },
            },
          ],
        },
        { text: 'All in.' },
        { text: 'Just an answer.' },
      ],
      alpha: write('alpha'),
      beta: write('beta'),
    })
    await beginThread(page, model, (request, seen) =>
      JSON.stringify(request.messages[0]).includes('gamma')
        ? broken
          ? refused(400, 'invalid_request_error', 'messages.4: wrong')
          : { text: 'Done after all.' }
        : script(request, seen),
    )
    await say(page, 'main task')
    const done = page.getByRole('article', { name: 'Done' })
    await expect(done).toContainText('3: 2 clean · 1 failed')
    await expect(done).toContainText('incl. subagents')
    await expect(done).toContainText('gamma failed. The provider refused the request.')
    await expect(done.getByText('messages.4: wrong')).toBeHidden()
    broken = false
    await done.getByRole('button', { name: 'Retry gamma' }).click()
    await expect(done.getByText('gamma failed.')).toHaveCount(0)
    const strip = page.getByRole('region', { name: 'Branches that wait' })
    await strip.getByRole('button', { name: 'Merge 2 clean' }).click()
    await expect(page.getByText('Merged 2 branches')).toBeVisible()
    await expect(strip).toHaveCount(0)
    await expect(done).toContainText('2 merged')
  })
})
