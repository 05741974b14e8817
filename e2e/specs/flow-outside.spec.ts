import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '../support/window.ts'

test('20. What other programs change shows at once: an agent, the branch, a setting; the reference explains each setting', async ({
  open,
  project,
  dataFolder,
}) => {
  project.mayChange()
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(project.folder, path)), { recursive: true })
    writeFileSync(join(project.folder, path), text)
  }
  put('.git/HEAD', 'ref: refs/heads/first\n')
  put('.coppice/agents/reviewer.md', '---\nname: reviewer\ndescription: Reviews changes\n---\nReview.\n')
  const { page } = await open()
  await page.getByRole('button', { name: 'Trust' }).click()
  const menu = page.getByRole('button', { name: 'Project menu' })
  await expect(menu).toContainText('first')
  put('.git/HEAD', 'ref: refs/heads/second\n')
  await expect(menu).toContainText('second')

  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name: 'Agents', exact: true }).click()
  const types = page.getByRole('region', { name: 'Types of subagents' })
  await expect(types).toContainText('Reviews changes')
  put('.coppice/agents/reviewer.md', '---\nname: reviewer\ndescription: Finds mistakes\n---\nReview.\n')
  await expect(types).toContainText('Finds mistakes')
  put('.coppice/agents/tester.md', '---\nname: tester\ndescription: Writes tests\n---\nTest.\n')
  await expect(types).toContainText('Writes tests')

  const depth = page.getByRole('spinbutton', { name: 'Levels of subagents' })
  await expect(depth).toHaveValue('1')
  writeFileSync(join(dataFolder, 'settings.json'), '{ "max_subagent_depth": 3 }')
  await expect(depth).toHaveValue('3')

  await page.getByRole('button', { name: 'Show the file' }).click()
  await page.getByText('All settings').click()
  await expect(page.getByRole('region', { name: 'Settings file' })).toContainText(
    'Levels of subagents below the main agent.',
  )
})
