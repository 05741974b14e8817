import { type Scenario, turnOf } from '../model-server/scenario.ts'
import { examine } from '../support/axe.ts'
import { beginThread, expect, test } from '../support/window.ts'

const scenario: Scenario = (request) => {
  const turns = [
    { calls: [{ name: 'ls', input: { path: '/' } }] },
    {
      calls: ['/a.txt', '/b.txt'].map((file_path) => ({ name: 'write_file', input: { file_path, content: 'x\n' } })),
    },
    { calls: [{ name: 'read_file', input: { file_path: '/a.txt' } }] },
  ]
  return turns[turnOf(request)] ?? { text: 'All is written.' }
}

test('18: A run in steps pauses after every turn, goes on step by step, and then to its end', async ({
  open,
  model,
}) => {
  const { page, restart } = await open({ scenario })
  const field = page.getByRole('textbox', { name: 'Message' })
  await expect(page.getByRole('button', { name: 'Step', exact: true })).toBeDisabled()
  await field.fill('Write two files')
  await page.getByRole('button', { name: 'Step', exact: true }).click()

  const pause = (step: number) => page.getByRole('article', { name: `Paused after step ${step}` })
  await expect(pause(1)).toContainText('Listed /')
  expect(model.requests).toHaveLength(1)
  await expect(page.getByRole('button', { name: 'Stop' })).toHaveCount(0)
  const { violations } = await examine(page)
  expect(violations.map(({ id }) => id)).toEqual([])

  await pause(1).getByRole('button', { name: 'Next step' }).click()
  await expect(pause(2)).toContainText('Wrote 2 files')
  await expect(pause(1)).toHaveCount(0)
  await pause(2).getByRole('button', { name: 'Review changes' }).click()
  await expect(page.getByText('/a.txt').first()).toBeVisible()
  await page.getByRole('tab', { name: 'Chat' }).click()

  // The pause is stored: it is there after a crash, and the keyboard goes on from it.
  const again = await restart()
  await expect(again.getByRole('article', { name: 'Paused after step 2' })).toBeVisible()
  await again.getByRole('textbox', { name: 'Message' }).press('Alt+Enter')
  await expect(again.getByRole('article', { name: 'Paused after step 3' })).toContainText('Read /a.txt')
  await again.getByRole('button', { name: 'Continue' }).click()
  await expect(again.getByText('All is written.')).toBeVisible()
  await expect(again.getByRole('article', { name: 'Done' })).toBeVisible()
  expect(model.requests).toHaveLength(4)

  await test.step('18: Esc stops a step, and the next task runs without pauses', async () => {
    const gate = Promise.withResolvers<void>()
    await beginThread(again, model, () => ({ text: 'Late.', after: gate.promise }))
    const field = again.getByRole('textbox', { name: 'Message' })
    await field.fill('Wait')
    await field.press('Alt+Enter')
    await expect(again.getByRole('button', { name: 'Stop' })).toBeVisible()
    await field.press('Escape')
    await expect(again.getByRole('article', { name: 'Stopped' })).toBeVisible()
    gate.resolve()
    model.use((request) =>
      turnOf(request) < 2 ? { calls: [{ name: 'ls', input: { path: '/' } }] } : { text: 'No pause.' },
    )
    await field.fill('Now all at once')
    await field.press('Enter')
    await expect(again.getByText('No pause.')).toBeVisible()
  })
})
