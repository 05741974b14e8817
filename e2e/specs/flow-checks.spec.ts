import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { type Screen, walk, walkTimeout } from '../support/looks.ts'
import { expect, test } from '../support/window.ts'

/** Green while each name that a file uses is defined. */
const script = `for name in $(cat src/*.use); do
  grep -qx "$name" src/names || { echo "unknown name: $name"; exit 1; }
done
echo "all names are known"
`

const work: Readonly<Record<string, readonly { readonly name: string; readonly input: object }[]>> = {
  rename: [
    { name: 'edit_file', input: { file_path: '/src/names', old_string: 'area', new_string: 'size' } },
    { name: 'edit_file', input: { file_path: '/src/one.use', old_string: 'area', new_string: 'size' } },
  ],
  caller: [{ name: 'write_file', input: { file_path: '/src/two.use', content: 'area\n' } }],
  broken: [{ name: 'write_file', input: { file_path: '/src/three.use', content: 'volume\n' } }],
}

/** One subagent renames a name, one uses the old one, and one uses a name that is not there. */
const threeBranches: Scenario = (request) => {
  const task = taskOf(request)
  const name = Object.keys(work).find((one) => task.startsWith(one))
  const asked = JSON.stringify(request.messages.at(-1))
  if (asked.includes('Break it'))
    return { calls: [{ name: 'write_file', input: { file_path: '/src/four.use', content: 'depth\n' } }] }
  if (!name) {
    const tasks = Object.keys(work).map((one) => ({ task: `${one} please`, name: one }))
    return turnOf(request) === 0
      ? { calls: [{ name: 'spawn_subagents', input: { tasks } }] }
      : { text: 'All are ready for review.' }
  }
  if (asked.includes('unknown name: area')) return { text: 'I use the new name now.' }
  return turnOf(request) === 0 ? { calls: [...(work[name] ?? [])] } : { text: `${name} done` }
}

function writeProject(folder: string): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { test: 'sh test.sh' } }))
  writeFileSync(join(folder, 'test.sh'), script)
  chmodSync(join(folder, 'test.sh'), 0o755)
  writeFileSync(join(folder, 'src/names'), 'area\n')
  writeFileSync(join(folder, 'src/one.use'), 'area\n')
}

const item = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true })

/** Opens the output of a branch's checks by its key, and runs them. */
async function runChecks(page: Page, name: string, outcome: string, output: string): Promise<void> {
  await item(page, name).focus()
  await page.keyboard.press('o')
  const dialog = page.getByRole('dialog', { name: `Checks of ${name}` })
  await dialog.getByRole('button', { name: 'Run checks' }).click()
  await expect(dialog.getByRole('region', { name: 'Output: test' })).toContainText(output)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(item(page, name)).toContainText(outcome)
}

async function mergeWhenGreen(page: Page, name: string): Promise<void> {
  await item(page, name).click()
  const review = page.getByRole('region', { name: `Review of ${name}` })
  await review.getByRole('button', { name: 'Merge when green' }).click()
}

/** The agent of the thread stops while a check is red, is sent back once, and stops again. */
async function missGoal(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Change names' }).first().click()
  await page.getByRole('button', { name: 'Add to the message' }).click()
  await page.getByRole('menuitem', { name: 'Done means: checks are green' }).click()
  await page.getByRole('button', { name: 'Goal: checks are green, 3 attempts' }).click()
  await page.getByRole('menuitem', { name: 'Send it back 1 time at most' }).click()
  await expect(page.getByRole('button', { name: 'Goal: checks are green, 1 attempt' })).toBeVisible()
  await page.getByRole('textbox', { name: 'Message' }).fill('Break it')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Checks are red: test. Sent back (1 of 1)')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  await page.getByRole('button', { name: 'Accept as it is' }).click()
  await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden()
  await expect(page.getByLabel('Status', { exact: true })).toContainText('Done')
}

test('Checks: proposed ones are taken, branches are green and red, and a merge waits for green', async ({
  open,
  project,
}) => {
  project.mayChange()
  test.setTimeout(walkTimeout)
  writeProject(project.folder)
  const { page } = await open({ scenario: threeBranches })
  const card = page.getByRole('region', { name: 'Check this project’s branches?' })
  await expect(card).toContainText('npm test from /package.json')
  await card.getByRole('button', { name: 'Edit checks' }).click()
  await card.getByRole('textbox', { name: 'Command of test' }).fill('sh test.sh')
  await card.getByRole('button', { name: 'Use this check' }).click()
  await expect(card).toBeHidden()

  await page.getByRole('textbox', { name: 'Message' }).fill('Change names')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('All are ready for review.')).toBeVisible()
  await page.getByRole('tab', { name: 'Branches' }).click()
  await expect(item(page, 'rename')).toContainText('Not run')
  await runChecks(page, 'rename', 'Green', 'all names are known')
  await runChecks(page, 'broken', 'Red', 'unknown name: volume')

  const queue = page.getByRole('region', { name: 'Merges when green' })
  await mergeWhenGreen(page, 'rename')
  await expect(queue).toContainText('1 of 1 merged')
  await mergeWhenGreen(page, 'caller')
  await expect(queue).toContainText('Green alone, red together: test')
  await page.reload()
  await page.getByRole('tab', { name: 'Branches' }).click()
  await expect(queue, 'the host remembers the queue').toContainText('Green alone, red together: test')

  const screens: readonly Screen[] = [
    ['queue', () => queue.waitFor()],
    [
      'semantic conflict',
      async () => {
        await queue.getByRole('button', { name: 'Show why caller was not merged' }).click()
        const dialog = page.getByRole('dialog', { name: 'caller was not merged' })
        await expect(dialog).toContainText('unknown name: area')
        await expect(dialog.getByRole('region', { name: 'What caller changed' })).toContainText('/src/two.use')
        await expect(dialog.getByRole('region', { name: 'What the workspace got since' })).toContainText('/src/names')
      },
      '[role="dialog"]',
    ],
  ]
  expect(await walk(page, screens, project.folder)).toEqual([])
  await page.getByRole('button', { name: 'Ask the agent to fix it' }).click()
  await expect(page.getByText('Sent the output to caller')).toBeVisible()
  await item(page, 'caller').click()
  await page.getByRole('region', { name: 'Review of caller' }).getByRole('button', { name: 'Open chat' }).click()
  await expect(page.getByText('I use the new name now.')).toBeVisible()
  await missGoal(page)
})
