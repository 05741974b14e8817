import type { Page } from '@playwright/test'
import { type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { beginThread, expect, test } from '../support/window.ts'

const tasks = (count: number) => Array.from({ length: count }, (_, index) => `Translate page ${index}`)

interface BatchOptions {
  readonly down?: ReadonlySet<string>
  readonly hold?: (task: string) => Promise<void> | undefined
}

/** A batch whose tasks write one file each. A task fails while it is in `down`, and waits for the promise of `hold`. */
function batchOf(count: number, { down = new Set(), hold = () => undefined }: BatchOptions = {}): Scenario {
  return (request) => {
    const task = taskOf(request)
    if (!task.startsWith('Translate page'))
      return turnOf(request) === 0
        ? { calls: [{ name: 'batch_task', id: 'batch', input: { tasks: tasks(count) } }] }
        : { text: 'The batch is through.' }
    if (down.has(task)) return { fault: { kind: 'status', status: 400 } }
    const after = hold(task) ?? Promise.resolve()
    const name = task.replaceAll(' ', '-').toLowerCase()
    return turnOf(request) === 0
      ? { calls: [{ name: 'write_file', input: { file_path: `/pages/${name}.txt`, content: task } }], after }
      : { text: `${task}: done.`, after }
  }
}

async function send(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill('Translate all pages')
  await page.getByRole('button', { name: 'Send' }).click()
}

test('L. A batch asks, shows its progress, retries, merges the clean ones and can be stopped', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('L. A batch asks, shows its tasks, retries the failed ones and merges the clean ones', async () => {
    const down = new Set(['Translate page 3', 'Translate page 17'])
    await beginThread(page, model, batchOf(24, { down }))
    await send(page)
    const card = page.getByRole('group', { name: 'Approval: batch_task by main' })
    await expect(card).toContainText('Run 24 tasks')
    await expect(card).toContainText('24 × general-purpose')
    await card.getByRole('button', { name: 'Approve' }).click()
    await expect(page.getByText('The batch is through.')).toBeVisible()

    await page.getByRole('button', { name: 'Open batch' }).click()
    await expect(page.getByRole('heading', { name: 'Batch of 24 tasks' })).toBeVisible()
    await expect(page.getByRole('progressbar', { name: 'Batch progress' })).toHaveAttribute('aria-valuenow', '24')
    const table = page.getByRole('table', { name: 'Tasks' })
    await expect(table).toHaveAttribute('aria-rowcount', '25')
    await page.getByRole('button', { name: 'Unsuccessful' }).click()
    await expect(table.getByRole('row')).toHaveCount(3)
    await expect(table).toContainText('Translate page 17')

    down.delete('Translate page 17')
    await page.getByRole('button', { name: 'Retry failed' }).click()
    await expect(table.getByRole('row')).toHaveCount(2)
    await expect(table).toContainText('Translate page 3')
    await expect(page.getByText('1 failed')).toBeVisible()

    await page.getByRole('button', { name: 'Open results' }).click()
    await expect(page.getByText('results.jsonl').last()).toBeVisible()
    await expect(page.getByText('"description":"Translate page 0"').first()).toBeVisible()
    await page.getByRole('tab', { name: 'Batch' }).click()
    await page.getByRole('button', { name: 'Merge all clean' }).click()
    await expect(page.getByText('Merged 23 branches')).toBeVisible()
    await page.getByRole('tab', { name: 'Changes' }).click()
    await expect(page.getByText('23 files', { exact: false }).first()).toBeVisible()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect(page.getByText('23 files', { exact: false })).toHaveCount(0)
  })

  await test.step('L. A running batch shows its progress and can be stopped', async () => {
    const begun = Promise.withResolvers<void>()
    const never = new Promise<void>(() => {})
    const first = new Set(tasks(10))
    await beginThread(page, model, batchOf(20, { hold: (task) => (first.has(task) ? begun.promise : never) }))
    await send(page)
    await page.getByRole('button', { name: 'Open batch' }).click()
    await expect(page.getByText('10 working')).toBeVisible()
    await expect(page.getByText('10 queued')).toBeVisible()
    begun.resolve()
    await expect(page.getByText('10 done', { exact: true })).toBeVisible({ timeout: 20_000 })
    await expect(page.getByText(/per minute/)).toBeVisible()
    await expect(page).toHaveTitle('10/20 · ledger')
    await page.getByRole('button', { name: 'Stop all' }).click()
    await expect(page.getByText('10 stopped')).toBeVisible()
    await expect(page).toHaveTitle('ledger – Coppice')
    await page.getByRole('tab', { name: 'Chat' }).click()
    await expect(page.getByText('The batch is through.'), 'the agent that started it goes on').toBeVisible()
    await page.getByRole('tab', { name: 'Batch' }).click()
    await expect(page.getByRole('button', { name: 'Retry failed' })).toBeEnabled()
  })
})
