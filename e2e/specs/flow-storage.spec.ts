import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Scenario, turnOf } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

const failing: Scenario = (request) =>
  turnOf(request) === 0
    ? {
        calls: [
          {
            name: 'run_js_code',
            input: {
              code: 'await fs.write("/lost.txt", Array.from({ length: 20000 }, Math.random).join()); throw new Error("no")',
            },
          },
        ],
      }
    : { text: 'It failed.' }

test('Storage shows what a project keeps, and removes what nothing refers to', async ({ open }) => {
  const opened = await open({ scenario: failing })
  await opened.page.getByRole('textbox', { name: 'Message' }).fill('Write much')
  await opened.page.getByRole('button', { name: 'Send' }).click()
  await expect(opened.page.getByRole('article', { name: 'Done' })).toBeVisible()

  const page = await opened.restart()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Storage' }).click()
  const contents = page.getByRole('row', { name: /File contents/ })
  await expect(contents).toContainText(/up to \d+(\.\d)? KB/)
  await page.getByRole('button', { name: 'Clean up…' }).click()
  await expect(page.getByRole('dialog').getByRole('checkbox', { name: /File contents/ })).toBeChecked()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText(/^Freed \d/)).toBeVisible()
  await expect(contents).not.toContainText('up to')
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(page.getByText('It failed.')).toBeVisible()
})

const installing: Scenario = (request) =>
  turnOf(request) === 0
    ? {
        calls: [
          {
            name: 'execute',
            input: { command: 'mkdir -p "$HOME/.cache"; head -c 50000 /dev/zero > "$HOME/.cache/a"' },
          },
        ],
      }
    : { text: 'Installed.' }

test('Storage shows what the commands of a thread installed, and one press removes it', async ({
  open,
  dataFolder,
}) => {
  const { page } = await open({ scenario: installing })
  await page.getByRole('textbox', { name: 'Message' }).fill('Install it')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Keep', exact: true }).click()
  await expect(page.getByRole('article', { name: 'Done' })).toBeVisible()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Storage' }).click()
  const row = page.getByRole('table', { name: 'Environments' }).getByRole('row', { name: /Install it/ })
  await expect(row).toContainText(/\d+(\.\d)? KB/)
  await row.getByRole('button', { name: 'Clean up the environment of Install it' }).click()
  await expect(page.getByText(/^Freed \d.* The next command of Install it is told\.$/)).toBeVisible()
  await expect(row).toBeHidden()
  const limit = page.getByRole('spinbutton', { name: 'Gigabytes they may take in each project' })
  await expect(limit).toHaveValue('10')
  await limit.fill('2.5')
  await limit.press('Enter')
  const saved = () => expect(readFileSync(join(dataFolder, 'settings.json'), 'utf8')).toContain('"max_gb": 2.5')
  await expect(saved).toPass()
})
