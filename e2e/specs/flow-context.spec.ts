import type { Scenario } from '../model-server/scenario.ts'
import { examine, seriousIn } from '../support/axe.ts'
import { expect, test } from '../support/window.ts'

test('M. Context shows by parts what the model sees, and the exact request', async ({ open }) => {
  const scenario: Scenario = () => ({ text: 'Read.', usage: { input_tokens: 12_000 } })
  const { page } = await open({ scenario })
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('Tell me about CANARY-TASK')
  await message.press('Enter')
  await page.getByRole('button', { name: /^Context .* show what the model sees/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Context of main' })
  await expect(dialog).toContainText('12K of')
  await expect(dialog.getByRole('row', { name: /Tools/ }).first()).toBeVisible()
  await expect(dialog.getByRole('row', { name: /^main .* 1 12K 0 / })).toBeVisible()
  const request = JSON.parse(
    (await dialog.getByRole('region', { name: 'Exact request' }).locator('pre').textContent()) ?? '',
  )
  expect(JSON.stringify(request.messages)).toContain('CANARY-TASK')
  expect(request.tools.map(({ name }: { name: string }) => name)).toContain('edit_file')
  const found = await examine(page, (axe) => axe.include('[role=dialog]'))
  expect(seriousIn(found)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})
