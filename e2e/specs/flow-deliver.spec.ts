import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { byTask } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

const sh = (script: string, cwd: string) => execFileSync('bash', ['-ec', script], { cwd, encoding: 'utf8' })
const begin =
  'git init -q -b main .; git config user.name n; git config user.email e@e; git add -A; git commit -qm first'

const works = byTask({
  main: [
    {
      calls: [
        { name: 'edit_file', input: { file_path: '/README.md', old_string: '# Ledger', new_string: '# Accounts' } },
        { name: 'write_file', input: { file_path: '/lib/new.ts', content: 'export {}\n' } },
      ],
    },
    { text: 'Done.' },
  ],
})

test('Two repositories get their commits with one press, after a conflict in one of them was decided', async ({
  open,
  project,
  dataFolder,
}) => {
  // It becomes a repository. What git says of it is compared below.
  project.mayChange()
  const folder = realpathSync(project.folder)
  const library = join(dirname(folder), 'library')
  mkdirSync(library)
  writeFileSync(join(library, 'add.ts'), 'export const add = 1\n')
  for (const one of [folder, library]) sh(begin, one)
  sh(
    'git checkout -qb work; sed -i "s/^# Ledger/# Theirs/" README.md; git commit -qam theirs; git checkout -q main',
    folder,
  )
  const folders = { projects: { [folder]: { lib: { path: library, access: 'write' } } } }
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ folders }))
  const { page } = await open({ scenario: works })
  await page.getByRole('textbox', { name: 'Message' }).fill('main')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Done.', { exact: true })).toBeVisible()

  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByRole('button', { name: 'Deliver' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Branch' }).fill('work')
  await dialog.getByRole('button', { name: 'Take the thread’s version of /README.md' }).click()
  await dialog.getByRole('button', { name: /^Deliver \d commits?$/ }).click()
  await expect(dialog.getByText('work has 2 new commits in 2 repositories').first()).toBeVisible()
  expect(sh('git show work:README.md | head -1; git log --format=%s -1 work~1; git status --short', folder)).toBe(
    '# Accounts\ntheirs\n',
  )
  expect(sh('git show work:new.ts; git status --short', library)).toBe('export {}\n')
})
