import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../support/window.ts'

test('B. Opens a folder given on the command line, asks for trust, shows its files', async ({ open }) => {
  const { page } = await open()
  await page.getByRole('button', { name: 'Review…' }).click()
  await expect(page.getByRole('region', { name: 'Trust this folder?' })).toContainText('AGENTS.md')
  await page.getByRole('button', { name: 'Open without them' }).click()
  await expect(page.getByRole('button', { name: 'Open without them' })).toBeHidden()
  await page.getByRole('treeitem', { name: /README\.md/ }).click()
  await expect(page.getByText('A small service that keeps accounts.')).toBeVisible()
})

test('B. For a wrong folder, the error says what to do and the typed path stays', async ({
  open,
  dataFolder,
  project,
}) => {
  const { page } = await open({ folder: null })
  const other = join(project.folder, '../other')
  mkdirSync(other)
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
  const message = page.getByRole('textbox', { name: 'Message' })
  await expect(message).toBeVisible()

  await message.fill('not sent yet')
  await page.keyboard.press('ControlOrMeta+O')
  await path.fill(other)
  await path.press('Escape')
  await expect(message, 'the project stays open until another one is').toHaveValue('not sent yet')
  await page.keyboard.press('ControlOrMeta+O')
  await path.fill(other)
  await path.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: /^Open/ }).click()
  await expect(message).toHaveValue('')
})

test('B. A folder of thousands of files renders only the rows in sight, and the keyboard reaches all of them', async ({
  open,
  project,
}) => {
  project.mayChange()
  const files = 3_000
  mkdirSync(join(project.folder, 'a-many'))
  for (let file = 0; file < files; file += 1) writeFileSync(join(project.folder, `a-many/file-${1_000 + file}.txt`), '')
  const { page } = await open()
  const tree = page.getByRole('tree', { name: 'Project files' })
  const named = (name: string) => tree.getByRole('treeitem', { name })
  await named('a-many').focus()
  await page.keyboard.press('ArrowRight')
  await expect(named('file-1000.txt')).toHaveAttribute('aria-setsize', String(files))
  expect(await tree.getByRole('treeitem').count()).toBeLessThan(200)
  await page.keyboard.press('ArrowRight')
  await expect(named('file-1000.txt')).toBeFocused()
  await page.keyboard.press('End')
  await expect(named('README.md')).toBeFocused()
  await page.keyboard.press('Home')
  await expect(named('a-many')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(named('file-1001.txt')).toBeFocused()
  await expect(named('file-1001.txt')).toHaveAttribute('aria-posinset', '2')
  await expect(named('file-1001.txt')).toHaveAttribute('aria-level', '2')
  await page.keyboard.press('ArrowLeft')
  await expect(named('a-many')).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(named('file-1000.txt')).toHaveCount(0)
  await expect(named('a-many')).toHaveAttribute('aria-expanded', 'false')
})
