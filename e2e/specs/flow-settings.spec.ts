import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/window.ts'

const commented = '{\n  // mine\n  "model": "claude-sonnet-5-5"\n}\n'

async function openSettings(page: Page, section: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name: section, exact: true }).click()
  await expect(page.getByRole('heading', { name: section, level: 2 })).toBeVisible()
}

/** Replaces the whole text in the editor of the settings file. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'settings.json' }).focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

test('K. Form and file side by side: in step, checked while typing, with comments kept and outside changes noticed', async ({
  open,
  dataFolder,
}) => {
  const file = join(dataFolder, 'settings.json')
  writeFileSync(file, commented)
  const { page } = await open()
  await openSettings(page, 'Models')
  await page.getByRole('button', { name: 'Show the file' }).click()
  const panel = page.getByRole('region', { name: 'Settings file' })
  const save = panel.getByRole('button', { name: 'Save file' })
  await expect(panel).toContainText('// mine')

  await write(page, '{\n  // mine\n  "max_iterations": 0\n}')
  await expect(panel).toContainText('Line 3: max_iterations')
  await expect(save).toBeDisabled()
  await write(page, '{\n  // mine\n  "max_iterations": 7\n}')
  await expect(panel).toContainText('No problems found')
  await save.click()
  const steps = page.getByRole('spinbutton', { name: 'Steps per run' })
  await expect(steps).toHaveValue('7')
  expect(readFileSync(file, 'utf8')).toContain('// mine')

  await steps.fill('9')
  await steps.press('Enter')
  await expect(panel).toContainText('"max_iterations": 9')
  expect(readFileSync(file, 'utf8')).toContain('// mine')

  await write(page, '{ "max_iterations": 11 }')
  writeFileSync(file, '{ "max_iterations": 13 }\n')
  await expect(panel).toContainText('The file was changed elsewhere')
  await expect(steps).toHaveValue('13')
  await panel.getByRole('button', { name: 'Show the file as it is now' }).click()
  await expect(panel).toContainText('"max_iterations": 13')
})

test('K. Settings can be searched; agents, skills and servers are defined by forms, outside the project', async ({
  open,
  dataFolder,
}) => {
  const { page } = await open()
  await openSettings(page, 'Appearance')
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('levels')
  await page.getByRole('button', { name: 'Levels of subagents' }).click()
  await expect(page.getByRole('spinbutton', { name: 'Levels of subagents' })).toBeFocused()

  await page.getByRole('button', { name: 'New type of subagent' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('tester')
  await page.getByRole('textbox', { name: 'Description' }).fill('Runs the tests')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('form', { name: 'New type of subagent' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Types of subagents' })).toContainText('tester')
  await expect(page.getByRole('region', { name: 'Types of subagents' })).toContainText('tokens in each request')

  await page.getByRole('searchbox', { name: 'Search settings' }).fill('')
  await page.getByRole('button', { name: 'Skills', exact: true }).click()
  await page.getByRole('button', { name: 'New skill' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('notes')
  await page.getByRole('textbox', { name: 'Description' }).fill('How to write notes')
  await page.getByRole('textbox', { name: 'What the skill says' }).fill('# Notes')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('form', { name: 'New skill' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Skills' })).toContainText('How to write notes')
  expect(readFileSync(join(dataFolder, 'skills/notes/SKILL.md'), 'utf8')).toContain('# Notes')

  await page.getByRole('button', { name: 'MCP servers', exact: true }).click()
  await page.getByRole('button', { name: 'New server' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('tools')
  await page.getByRole('textbox', { name: 'Command' }).fill('node')
  await page.getByRole('textbox', { name: 'Arguments' }).fill('server.mjs\n--quiet')
  await page.getByRole('button', { name: 'Save server' }).click()
  await expect(page.getByRole('listitem', { name: 'tools' })).toContainText('node server.mjs --quiet')
  await expect(page.getByRole('listitem', { name: 'tools' })).toContainText('Not trusted')
  await page.getByRole('button', { name: 'Remove tools' }).click()
  await expect(page.getByRole('listitem', { name: 'tools' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.getByRole('listitem', { name: 'tools' })).toBeVisible()
})

test("Settings move to another machine as one file; the doctor checks the installation; notifications show the browser's permission", async ({
  open,
  dataFolder,
}) => {
  const file = join(dataFolder, 'settings.json')
  writeFileSync(file, commented)
  const { page } = await open()
  await openSettings(page, 'Import and export')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save settings to a file' }).click(),
  ])
  expect(readFileSync(await download.path(), 'utf8')).toBe(commented)
  const choose = (text: string) =>
    page
      .getByLabel('Choose a settings file')
      .and(page.locator('input'))
      .setInputFiles({ name: 'other.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  await choose('{ "max_iterations": "many" }')
  await expect(page.getByRole('button', { name: 'Import settings' })).toBeDisabled()
  await choose('{ "max_iterations": 5 }')
  await expect(page.getByRole('region', { name: 'What the import changes' }).last()).toContainText(
    '"max_iterations": 5',
  )
  expect(readFileSync(file, 'utf8')).toBe(commented)
  await page.getByRole('button', { name: 'Import settings' }).click()
  await expect.poll(() => readFileSync(file, 'utf8')).toBe('{ "max_iterations": 5 }')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(() => readFileSync(file, 'utf8')).toBe(commented)

  await page.getByRole('button', { name: 'Notifications', exact: true }).click()
  await page.getByRole('switch', { name: 'When a thread has ended' }).check()
  await page.reload()
  await openSettings(page, 'Notifications')
  await expect(page.getByRole('switch', { name: 'When a thread has ended' })).toBeChecked()
  await expect(page.getByText('This browser')).toBeVisible()

  await page.getByRole('button', { name: 'Doctor', exact: true }).click()
  await page.getByRole('button', { name: 'Examine' }).click()
  await expect(page.getByText('Everything Coppice needs is here.')).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('list', { name: 'Result of the examination' })).toContainText('SQLite')
})
