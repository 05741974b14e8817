import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { byTask } from '../model-server/scenario.ts'
import { walk, walkTimeout } from '../support/looks.ts'
import { expect, test } from '../support/window.ts'

const usage = { input_tokens: 100_000, output_tokens: 1_000 }
const scenario = byTask({
  'Count the files': [
    { calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'help', name: 'helper' }] } }], usage },
    { text: 'Counted.', usage },
  ],
  help: [{ text: 'Helped.', usage }],
})

/** A task whose subagent asks another model, which has no price. */
async function useTwoModels(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill('Count the files')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Counted.')).toBeVisible()
}

async function openUsage(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name: 'Usage', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Totals' })).toBeVisible()
}

test.beforeEach(({ dataFolder, model }) => {
  const gate = { kind: 'openai', base_url: `${model.url}/v1`, auth: { env: 'ANTHROPIC_API_KEY' } }
  const settings = { providers: { gate }, subagent_model: 'gate/m1' }
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify(settings))
})

test('Usage shows what two models cost, by every group, for all projects, and as CSV', async ({ open }) => {
  const { page } = await open({ scenario })
  await useTwoModels(page)
  await openUsage(page)
  const totals = page.getByRole('region', { name: 'Totals' })
  await expect(totals).toContainText('at least $')
  await expect(totals).toContainText('The price of 101K tokens is unknown.')
  const table = page.getByRole('table', { name: 'Usage in detail' })
  await expect(table.getByRole('row')).toHaveCount(2)
  await expect(table).toContainText('Count the files')
  const rows = { Agent: 'helper', Branch: 'helper', Run: 'helper, run 1', Model: 'gate/m1', Batch: 'Outside batches' }
  for (const [by, text] of Object.entries(rows)) {
    await page.getByLabel('Group by').selectOption(by)
    await expect(table).toContainText(text)
  }
  await page.getByLabel('Time').selectOption('The open thread')
  await expect(totals).toContainText('303K')
  await page.getByRole('button', { name: 'Agent type' }).click()
  await expect(page.getByRole('region', { name: 'Usage by day' })).toContainText('general-purpose')

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^coppice-usage-\d{4}-\d\d-\d\d\.csv$/)
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines.find((line) => line.includes('helper'))).toMatch(/,gate\/m1,reply,1,100000,0,0,1000,,0,101000$/)

  await page.getByRole('button', { name: 'All projects' }).click()
  await expect(table).toContainText('ledger')
  await expect(table).toContainText('at least $')
})

test('Usage grows while an agent works', async ({ open }) => {
  let go: () => void = () => undefined
  const after = new Promise<void>((resolve) => {
    go = resolve
  })
  const { page } = await open({
    scenario: byTask({
      two: [
        { calls: [{ name: 'ls', input: { path: '/' } }], usage },
        { text: 'Late.', usage, after },
      ],
    }),
  })
  await page.getByRole('textbox', { name: 'Message' }).fill('two')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('list', { name: 'Conversation' }).getByRole('button', { name: /^ok / })).toBeVisible()
  await openUsage(page)
  const calls = page.getByRole('region', { name: 'Totals' }).locator('div', { hasText: 'Model calls' })
  await expect(calls.first()).toContainText('1')
  go()
  await expect(calls.first()).toContainText('2')
})

test('axe finds nothing serious on a full Usage view', { tag: '@nightly' }, async ({ open, project }) => {
  test.setTimeout(walkTimeout)
  const { page } = await open({ scenario })
  await useTwoModels(page)
  await openUsage(page)
  const found = await walk(
    page,
    [
      ['usage', () => page.getByRole('region', { name: 'Totals' }).waitFor()],
      ['usage by run', () => page.getByLabel('Group by').selectOption('Run')],
      ['usage of all projects', () => page.getByRole('button', { name: 'All projects' }).click()],
    ],
    project.folder,
  )
  expect(found).toEqual([])
})
