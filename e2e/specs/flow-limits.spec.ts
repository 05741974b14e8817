import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastResults, type Scenario, turnOf } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

const write: Scenario = (request) =>
  turnOf(request) === 0
    ? {
        calls: [{ name: 'run_js_code', id: 'c', input: { code: "await fs.write('/src/account.js', 'changed')" } }],
        usage: { input_tokens: 100_000, output_tokens: 10_000 },
      }
    : { text: `Results: ${[...lastResults(request).values()].join(' ')}` }

test('1. A setting that names no tool is said, the thread does not start, and the text stays', async ({
  open,
  dataFolder,
}) => {
  const { page } = await open({ scenario: write })
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ interrupt_on: { wrte_file: true } }))
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('Change it')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText(/There is no tool "wrte_file". Did you mean write_file\?/)).toBeVisible()
  await expect(message).toHaveValue('Change it')
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ interrupt_on: { write_file: true } }))
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('group', { name: 'Approval: run_js_code by main' })).toBeVisible()
})

test('2. A card of code shows what the code changed; 3. words go with Keep; 5. the price is unknown', async ({
  open,
  dataFolder,
}) => {
  const { page } = await open({ scenario: write })
  writeFileSync(
    join(dataFolder, 'settings.json'),
    JSON.stringify({ model: 'own-model', interrupt_on: { edit_file: true } }),
  )
  const status = page.getByRole('region', { name: 'Status' })
  await expect(status, 'said before the run').toContainText('Limit $5.00 a run · price unknown')
  await page.getByRole('textbox', { name: 'Message' }).fill('Change it')
  await page.getByRole('button', { name: 'Send' }).click()
  const card = page.getByRole('group', { name: 'Approval: run_js_code by main' })
  await expect(card).toContainText('/src/account.js')
  await expect(card).toContainText('ran JavaScript – look at what it did')
  await expect(status).toContainText(
    'about $0.45 this thread · about $0.45 this run (limit $5.00 a run) · price unknown',
  )
  await card.getByRole('textbox', { name: 'words to the agent' }).fill('Keep the old name next time')
  await card.getByRole('button', { name: 'Keep', exact: true }).click()
  await expect(page.getByText(/Results:/)).toContainText('approved this call and wrote: Keep the old name next time')
})
