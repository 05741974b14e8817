import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../support/window.ts'

test('B. Opens a folder given on the command line, asks for trust, shows its files', async ({ open }) => {
  const { page } = await open()
  await expect(page.getByText('AGENTS.md').first()).toBeVisible()
  await page.getByRole('button', { name: 'Open without them' }).click()
  await expect(page.getByRole('button', { name: 'Open without them' })).toBeHidden()
  await page.getByRole('treeitem', { name: /README\.md/ }).click()
  await expect(page.getByText('A small service that keeps accounts.')).toBeVisible()
})

test('B. Wrong folders are named with what to do, and what was typed stays', async ({ open, dataFolder, project }) => {
  const { page } = await open({ folder: null })
  const file = join(dataFolder, 'a-file')
  mkdirSync(dataFolder, { recursive: true })
  writeFileSync(file, '')
  await page.getByRole('button', { name: 'Open folder' }).click()
  const path = page.getByRole('textbox', { name: /path/i })
  for (const [wrong, message] of [
    ['/does/not/exist', 'There is no folder'],
    [file, 'is a file'],
  ] as const) {
    await path.fill(wrong)
    await path.press('Enter')
    await expect(page.getByText(message).first()).toBeVisible()
    await expect(path).toHaveValue(wrong)
  }
  await path.fill(project.folder)
  await path.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: /^Open/ }).click()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
})
