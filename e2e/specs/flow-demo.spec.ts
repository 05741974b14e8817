import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/coppice.ts'
import { expect, test } from '../support/window.ts'

test('A. On a first run without a key, the demo does the whole job offline', async ({ open }) => {
  const { page } = await open({ folder: null, key: false })
  await expect(page.getByRole('button', { name: 'Open folder' })).toBeVisible()
  await page.getByRole('button', { name: 'Try the demo' }).click()
  await expect(page.getByRole('textbox', { name: 'Message' })).not.toBeEmpty()
  await page.getByRole('button', { name: 'Send' }).click()

  const approval = page.getByRole('group', { name: 'Approval: execute by main' })
  await expect(approval).toContainText('node --test')
  await expect(page.getByRole('region', { name: 'Todo' })).toContainText('Fix the rounding of totals')
  await approval.getByRole('button', { name: 'Keep', exact: true }).click()

  await expect(page.getByRole('region', { name: 'Agents' })).toContainText('docs')
  await expect(page.getByRole('button', { name: 'Review changes' })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('article', { name: 'Done' })).toContainText('3: 1 conflict · 2 merged')
  await expect(page.getByRole('article', { name: 'Done' }).getByRole('button', { name: 'Rewind' })).toBeVisible()
  await page.getByRole('button', { name: 'Review branches' }).click()
  await expect(page.getByRole('tree', { name: 'Branch tree' })).toContainText('format')
  await expect(page.getByLabel('Branch graph')).toBeVisible()

  const readme = page.getByRole('row', { name: '/README.md' })
  await page.getByRole('tree', { name: 'Branch tree' }).getByRole('treeitem', { name: 'docs' }).click()
  await readme.getByRole('button', { name: 'Merge' }).click()
  const conflict = page.getByRole('region', { name: 'Conflict in /README.md' })
  await conflict.getByRole('button', { name: 'Ask the agent to resolve' }).click()
  await conflict.getByRole('button', { name: 'Take the proposal' }).click()
  await conflict.getByRole('button', { name: 'Save result' }).click()
  await expect(conflict).toHaveCount(0)

  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByRole('button', { name: 'Export patch' }).click()
  const dialog = page.getByRole('dialog')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: /^Save/ }).click(),
  ])
  const pristine = mkdtempSync(join(tmpdir(), 'coppice-demo-'))
  execFileSync('cp', ['-r', `${join(root, 'resources/demo/tally')}/.`, pristine])
  execFileSync('git', ['init', '-q'], { cwd: pristine })
  execFileSync('git', ['apply', await download.path()], { cwd: pristine })
  expect(readFileSync(join(pristine, 'src/total.js'), 'utf8')).toContain('Math.round(expense.amount * 100)')
  expect(existsSync(join(pristine, 'test/parse.test.js'))).toBe(true)
  expect(readFileSync(join(pristine, 'README.md'), 'utf8')).toContain('exact to the cent and printed with two decimals')

  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await page.getByRole('button', { name: 'Project menu' }).click()
  await page.getByRole('menuitem', { name: 'Home' }).click()
  await expect(page.getByRole('region', { name: 'Recent' })).toContainText('tally')
})

test('A. A first task without a key keeps its text and offers a key, a base URL and the demo', async ({ open }) => {
  const { page } = await open({ key: false })
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('Describe the accounts')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByLabel('API key')).toBeVisible()
  await expect(page.getByLabel('Base URL')).toBeVisible()
  await expect(message).toHaveValue('Describe the accounts')
  await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
  for (const name of ['Send', 'Try the demo'])
    await expect(page.getByRole('button', { name }), 'one button has this name').toHaveCount(1)
})
