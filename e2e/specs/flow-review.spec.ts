import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { byTask, type Scenario } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

const lines = (count: number, word = 'line') => Array.from({ length: count }, (_, index) => `${word} ${index + 1}\n`)

/** Changes many files by one program; the second message changes one of them again. */
const many: Scenario = byTask({
  main: [
    {
      calls: [
        {
          name: 'run_js_code',
          input: {
            code: `for (let part = 1; part <= 40; part++) {
              const path = '/src/part-' + part + '.txt'
              const text = await fs.read(path)
              await fs.write(path, text.replace('line 9 is old\\n', 'line 9 is new 9\\n').replace('line 16\\n', 'line sixteen\\n'))
            }
            const moved = (await fs.read('/moved.txt')).split('\\n')
            moved.splice(60, 0, ...moved.splice(5, 4))
            const taken = moved.splice(30, 5)
            await fs.write('/taken.txt', taken.join('\\n') + '\\n')
            await fs.write('/moved.txt', moved.join('\\n'))
            await fs.write('/package-lock.json', '{}\\n')
            await fs.write('/wide.js', 'a'.repeat(9000) + '\\n')`,
          },
        },
      ],
    },
    { text: 'Done.' },
    {
      calls: [{ name: 'edit_file', input: { file_path: '/src/part-2.txt', old_string: 'new 9', new_string: 'NEW 9' } }],
    },
    { text: 'Again.' },
  ],
})

async function run(page: Page, task: string, said: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(task)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText(said, { exact: true })).toBeVisible()
}

const file = (page: Page, path: string) => page.getByRole('region', { name: `Changes of ${path}`, exact: true })
const heading = (page: Page, path: string) => page.locator(`[data-heading="${path}"]`)

function writeProject(folder: string): void {
  mkdirSync(join(folder, 'src'), { recursive: true })
  const text = lines(30).join('').replace('line 9\n', 'line 9 is old\n')
  for (let part = 1; part <= 40; part++) writeFileSync(join(folder, `src/part-${part}.txt`), text)
  const movable = lines(80, 'a sentence that can be moved to another place, number')
  writeFileSync(join(folder, 'moved.txt'), movable.join(''))
  writeFileSync(join(folder, 'package-lock.json'), '{ "a": 1 }\n')
}

test('A review of 44 files: keys work at once, marks come and go, hunks are small, words and moved lines stand out', async ({
  open,
  project,
}) => {
  project.mayChange()
  writeProject(project.folder)
  const { page } = await open({ scenario: many })
  await run(page, 'main', 'Done.')
  await page.getByRole('button', { name: 'Review changes' }).click()
  await expect(page.getByText('0/44 viewed')).toBeVisible()
  // Nobody clicked into the list.
  await page.keyboard.press(']')
  await expect(heading(page, '/src/part-1.txt')).toBeFocused()
  await expect(page.getByRole('region', { name: 'Inspector' })).toHaveCount(0)

  // Two changes with six lines between them are two hunks.
  const first = file(page, '/src/part-1.txt')
  await expect(first.getByRole('group', { name: 'Change 1 of 2' }), 'its changes are read').toBeVisible()
  await page.keyboard.press('j')
  await expect(first.getByRole('group', { name: 'Change 1 of 2' })).toBeFocused()
  await expect(first.locator('.diff-word-added').first()).toHaveText('new 9')
  await page.keyboard.press('j')
  await first.getByRole('button', { name: 'Undo change 2 of /src/part-1.txt' }).click()
  await expect(first).toContainText('line 9 is new 9')
  await expect(first).not.toContainText('line sixteen')
  await page.keyboard.press('j')

  // Viewed folds the file; a change of the file takes the mark back.
  await heading(page, '/src/part-1.txt').focus()
  for (const key of [']', ']']) await page.keyboard.press(key)
  await page.keyboard.press('[')
  const path = await page.evaluate(() => document.activeElement?.getAttribute('data-heading'))
  expect(path).toBe('/src/part-10.txt')
  await page
    .getByRole('textbox', { name: 'Filter files' })
    .or(page.getByRole('searchbox', { name: 'Filter files' }))
    .fill('part-2.txt')
  await expect(page.getByRole('status').filter({ hasText: '1 of 44' })).toBeVisible()
  await heading(page, '/src/part-2.txt').focus()
  await page.keyboard.press('v')
  await expect(page.getByText('1/44 viewed')).toBeVisible()
  await expect(file(page, '/src/part-2.txt')).not.toContainText('line 9')
  await page.reload()
  await expect(page.getByText('1/44 viewed')).toBeVisible()
  await page.getByRole('tab', { name: 'Chat' }).click()
  await run(page, 'again', 'Again.')
  await page.getByRole('tab', { name: 'Changes' }).click()
  await expect(page.getByText('0/44 viewed')).toBeVisible()

  await page.getByRole('treeitem', { name: /wide\.js/ }).click()
  await page.getByRole('button', { name: 'Show changes' }).click()
  await expect(heading(page, '/wide.js')).toBeFocused()
  await expect(heading(page, '/wide.js')).toBeInViewport()

  await page.keyboard.press('Control+f')
  await page.getByRole('searchbox', { name: 'Find in all changed lines' }).fill('is NEW')
  await expect(page.getByText('40 lines', { exact: true })).toBeVisible()
  await page.keyboard.press('Shift+Enter')
  await expect(page.getByText('40 of 40 lines')).toBeVisible()
  await expect(file(page, '/src/part-9.txt').locator('.diff-found').first()).toBeInViewport()
  await page.keyboard.press('Escape')

  await page.getByRole('row', { name: '/moved.txt', exact: true }).click()
  const moved = file(page, '/moved.txt')
  await expect(moved).toContainText('Moved to line 56')
  await expect(moved).toContainText('Moved from line 6')
  await expect(moved).toContainText('Moved to /taken.txt:1')
  // In a low window the next file is not rendered.
  await page.getByRole('row', { name: '/taken.txt', exact: true }).click()
  await expect(file(page, '/taken.txt')).toContainText('Moved from /moved.txt:35')
  await page.getByRole('row', { name: '/package-lock.json', exact: true }).click()
  await expect(
    file(page, '/package-lock.json').getByRole('button', { name: 'Unfold /package-lock.json' }),
  ).toBeVisible()
  await page.getByRole('row', { name: '/wide.js', exact: true }).click()
  await expect(file(page, '/wide.js')).toContainText('very long lines')
  await file(page, '/wide.js').getByRole('button', { name: 'Show' }).click()
  await expect(file(page, '/wide.js')).toContainText('aaaaaaaa')
})
