import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { folderHash } from '../support/folder-hash.ts'
import { walkTo } from '../support/walk-to.ts'
import { beginThread, expect, test } from '../support/window.ts'

/** The text of the fixture's source, which contains a template literal of its own. */
const amount = '\x24{cents / 100}'

/** Two subagents change the same line and add one file each. The agent merges nothing. */
const twoBranches: Scenario = (request) => {
  const task = taskOf(request)
  const turn = turnOf(request)
  const name = ['euros', 'dollars'].find((one) => task.startsWith(one))
  if (!name)
    return turn === 0
      ? {
          calls: [
            {
              name: 'spawn_subagents',
              input: { tasks: ['euros', 'dollars'].map((one) => ({ task: `${one} please`, name: one })) },
            },
          ],
        }
      : { text: 'Both are ready for review.' }
  if (turn > 0) return { text: `${name} done` }
  return {
    calls: [
      {
        name: 'edit_file',
        input: {
          file_path: '/src/format.js',
          old_string: `\`${amount}\``,
          new_string: `\`${amount} ${name}\``,
        },
      },
      { name: 'write_file', input: { file_path: `/docs/${name}.md`, content: `# ${name}\n` } },
    ],
  }
}

async function runTwoBranches(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill('Add currencies')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Both are ready for review.')).toBeVisible()
  await page.getByRole('tab', { name: 'Branches' }).click()
}

const rowOf = (page: Page, path: string) => page.getByRole('row', { name: path })

test('G and H. Export a patch, apply to disk, undo the apply', async ({ open, project }) => {
  const pristine = mkdtempSync(join(tmpdir(), 'coppice-pristine-'))
  cpSync(project.folder, pristine, { recursive: true, preserveTimestamps: true })
  const before = folderHash(project.folder, { times: false })
  const { page } = await open({ scenario: twoBranches })
  await runTwoBranches(page)
  await page.getByRole('button', { name: 'Merge all clean' }).click()
  await page.getByRole('tab', { name: 'Changes' }).click()

  await page.getByRole('button', { name: 'Export patch' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('diff --git')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: /^Save/ }).click(),
  ])
  execFileSync('git', ['init', '-q'], { cwd: pristine })
  execFileSync('git', ['apply', await download.path()], { cwd: pristine })
  rmSync(join(pristine, '.git'), { recursive: true })
  await page.keyboard.press('Escape')
  expect(folderHash(project.folder, { times: false }), 'nothing is written before Apply').toBe(before)

  project.mayChange()
  await page.getByRole('button', { name: 'Apply to disk' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Apply \d/ })
    .click()
  await expect(page.getByRole('button', { name: 'Undo apply' })).toBeVisible()
  expect(folderHash(project.folder, { times: false })).toBe(folderHash(pristine, { times: false }))
  expect(readFileSync(join(project.folder, 'docs/euros.md'), 'utf8')).toBe('# euros\n')

  await page.getByRole('button', { name: 'Undo apply' }).click()
  await expect(page.getByText('Apply undone').first()).toBeVisible()
  expect(folderHash(project.folder, { times: false })).toBe(before)
})

test('H. A file changed outside is not overwritten: it is joined, or decided line by line, and then applied', async ({
  open,
  project,
}) => {
  const scenario: Scenario = (request) =>
    turnOf(request) === 0
      ? {
          calls: [
            {
              name: 'edit_file',
              input: { file_path: '/docs/guide.md', old_string: '# Guide', new_string: '# Manual' },
            },
            { name: 'edit_file', input: { file_path: '/README.md', old_string: '# Ledger', new_string: '# Accounts' } },
          ],
        }
      : { text: 'Renamed.' }
  const { page } = await open({ scenario })
  await page.getByRole('textbox', { name: 'Message' }).fill('Rename')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Renamed.')).toBeVisible()
  project.mayChange()
  const [guide, readme] = ['docs/guide.md', 'README.md'].map((name) => join(project.folder, name)) as [string, string]
  writeFileSync(guide, readFileSync(guide, 'utf8').replace('Not described yet.', 'Described here.'))
  writeFileSync(readme, readFileSync(readme, 'utf8').replace('# Ledger', '# Books'))

  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByRole('button', { name: 'Apply to disk' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Join /docs/guide.md with the disk' }).click()
  await expect(dialog.getByRole('button', { name: 'Join /docs/guide.md with the disk' })).toBeHidden()
  await dialog.getByRole('button', { name: 'Join /README.md with the disk' }).click()
  await expect(dialog.getByText('Incoming (on disk)')).toBeVisible()
  await dialog.getByRole('button', { name: 'Both' }).first().click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: /^Apply 2/ }).click()
  await expect(page.getByRole('button', { name: 'Undo apply' }).first()).toBeVisible()
  expect(readFileSync(guide, 'utf8')).toMatch(/^# Manual[\s\S]*Described here\./)
  expect(readFileSync(readme, 'utf8')).toMatch(/^# Accounts\n# Books\n/)
})

test('E. Branches of parallel subagents: ended, reviewed by mouse and by keyboard, merged as a list, compared in the graph', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('E. All subagents are ended at once, and the agent that started them goes on with what there is', async () => {
    await beginThread(page, model, (request) => {
      if (taskOf(request) !== 'Split') return { text: 'slow '.repeat(20_000), pauseMs: 30 }
      if (turnOf(request) > 0) return { text: 'I go on alone.' }
      return { calls: [{ name: 'spawn_subagents', input: { tasks: ['one', 'two', 'three'] } }] }
    })
    await page.getByRole('textbox', { name: 'Message' }).fill('Split')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: '3 at work' }).click()
    await page.getByRole('menuitem', { name: 'Stop all 3' }).click()
    await expect(page.getByText('I go on alone.')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Agents' }).getByText('Stopped')).toHaveCount(3)
  })

  await test.step('E. Review of parallel subagents: merge per file, conflict, force, undo, discard', async () => {
    await beginThread(page, model, twoBranches)
    await runTwoBranches(page)
    const tree = page.getByRole('tree', { name: 'Branch tree' })
    const item = (name: string) => tree.getByRole('treeitem', { name, exact: true })
    await expect(item('euros')).toContainText('+2 −1')
    await item('euros').click()
    await expect(rowOf(page, '/src/format.js')).toContainText('clean')
    await rowOf(page, '/src/format.js').getByRole('button', { name: 'Merge' }).click()
    await expect(rowOf(page, '/src/format.js')).toContainText('Merged')
    await expect(item('workspace')).toContainText('+1 −1')
    await expect(item('euros')).toContainText('+2 −1')
    await expect(page.getByText('Workspace: 1 file changed').first()).toBeVisible()

    await item('dollars').click()
    await expect(rowOf(page, '/src/format.js')).toContainText('conflict')
    await expect(rowOf(page, '/docs/dollars.md')).toContainText('clean')
    await rowOf(page, '/src/format.js').getByRole('button', { name: 'Merge' }).click()
    await expect(page.getByText('cents / 100} euros').first()).toBeVisible()
    await rowOf(page, '/src/format.js').getByRole('button', { name: 'Force' }).click()
    const confirm = page.getByRole('button', { name: /^Force(?!$)|Replace/ })
    if (await confirm.isVisible().catch(() => false)) await confirm.click()
    await expect(rowOf(page, '/src/format.js')).toContainText('Merged')
    await page.getByRole('region', { name: 'History' }).getByRole('button', { name: 'Undo' }).click()
    await expect(rowOf(page, '/src/format.js')).toContainText('conflict')

    await rowOf(page, '/docs/dollars.md').getByRole('button', { name: 'Discard' }).click()
    await expect(rowOf(page, '/docs/dollars.md')).toHaveCount(0)
    await expect(item('dollars')).toContainText('+1 −1')
  })

  await test.step('E. Review by keyboard alone: merge, undo, force a conflict, discard', async () => {
    await beginThread(page, model, twoBranches)
    await walkTo(page, page.getByRole('textbox', { name: 'Message' }))
    await page.keyboard.type('Add currencies')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Both are ready for review.')).toBeVisible()
    await walkTo(page, page.getByRole('tab', { name: 'Chat' }), 'Shift+Tab')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('tab', { name: 'Branches' })).toHaveAttribute('aria-selected', 'true')

    await walkTo(page, page.getByRole('treeitem', { name: 'euros' }))
    const row = (path: string) => rowOf(page, path)
    await walkTo(page, row('/docs/euros.md'))
    await page.keyboard.press(']')
    await expect(row('/src/format.js')).toBeFocused()
    await page.keyboard.press('m')
    await expect(row('/src/format.js')).toContainText('Merged')

    await walkTo(page, page.getByRole('treeitem', { name: 'euros' }), 'Shift+Tab')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect(page.getByRole('treeitem', { name: 'dollars' })).toBeFocused()
    await expect(row('/src/format.js')).toContainText('conflict')
    await walkTo(page, row('/docs/dollars.md'))
    await page.keyboard.press(']')
    await page.keyboard.press('Shift+F')
    await expect(row('/src/format.js')).toContainText('Merged')

    const undo = page.getByRole('region', { name: 'History' }).getByRole('button', { name: 'Undo' })
    await walkTo(page, undo)
    await page.keyboard.press('Enter')
    await expect(row('/src/format.js')).toContainText('conflict')

    await walkTo(page, row('/src/format.js'), 'Shift+Tab')
    await page.keyboard.press('[')
    await expect(row('/docs/dollars.md')).toBeFocused()
    await page.keyboard.press('Delete')
    await expect(row('/docs/dollars.md')).toHaveCount(0)
    await expect(page.locator(':focus'), 'the focus stays when the row goes away').not.toHaveJSProperty(
      'tagName',
      'BODY',
    )
  })

  await test.step('E. Branches are a list of work: grouped, with conflict partners while agents run, and merged together', async () => {
    const names = ['euros', 'dollars', 'alpha', 'beta', 'gamma']
    let finish = (): void => undefined
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    await beginThread(page, model, (request, attempt) => {
      const name = names.find((one) => taskOf(request).startsWith(one))
      const turn = turnOf(request)
      if (!name) {
        const tasks = names.map((one) => ({ task: `${one} please. And more.`, name: one }))
        return turn === 0 ? { calls: [{ name: 'spawn_subagents', input: { tasks } }] } : { text: 'All are ready.' }
      }
      if (turn > 0) return { text: `${name} done`, after: held }
      if (name === 'euros' || name === 'dollars') return twoBranches(request, attempt)
      return { calls: [{ name: 'write_file', input: { file_path: `/docs/${name}.md`, content: `# ${name}\n` } }] }
    })
    await page.getByRole('textbox', { name: 'Message' }).fill('Add currencies')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('tab', { name: 'Branches' }).click()
    const tree = page.getByRole('tree', { name: 'Branch tree' })
    const item = (name: string) => tree.getByRole('treeitem', { name, exact: true })
    await expect(tree.getByRole('treeitem', { name: /^Working, / })).toBeVisible()
    await expect(item('euros')).toContainText('Clean now · will conflict with dollars in 1 file')
    finish()
    await expect(item('Will conflict, 2 branches')).toBeVisible()
    await expect(item('Clean, 3 branches')).toBeVisible()
    await expect(item('beta')).toContainText('beta please.')
    await expect(item('beta')).not.toContainText('And more')

    await item('beta').click()
    await page.keyboard.press('x')
    await expect(item('beta')).toHaveAttribute('aria-checked', 'true')
    await page.getByRole('button', { name: 'Merge 1 selected' }).click()
    await expect(item('Merged, 1 branch')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Review of gamma' }), 'the next branch is opened').toBeVisible()
    await page.getByRole('button', { name: 'Merge 2 clean' }).click()
    await expect(item('Merged, 3 branches')).toBeVisible()
    await expect(page.getByText('Merged 2 branches')).toBeVisible()

    await item('euros').click()
    const mergeAll = page.getByRole('button', { name: 'Merge all clean' })
    await expect(page.getByRole('region', { name: 'Review of euros' })).toContainText(
      'will conflict with dollars in 1 file',
    )
    await expect(rowOf(page, '/src/format.js')).toContainText('Will conflict with dollars once')
    await expect(mergeAll).toHaveAttribute('title', /will conflict with dollars in 1 file/)
    await mergeAll.click()
    await expect(page.getByRole('region', { name: 'Review of dollars' })).toBeVisible()
    await expect(item('dollars')).toContainText('conflict with euros: format.js')
    await item('euros').click()
    const merged = rowOf(page, '/src/format.js')
    await expect(merged).toContainText(/Merged\s*by You/)
    await merged.getByRole('button', { name: 'Undo' }).click()
    await expect(merged).toContainText('clean')
    await page.getByRole('region', { name: 'Agents' }).getByRole('button', { name: 'Review branch of gamma' }).click()
    await expect(item('gamma')).toHaveAttribute('aria-selected', 'true')
    await expect(item('gamma')).toBeInViewport()
  })

  await test.step('E. The graph: step from event to event by keyboard, compare any two states, and trace a change to its call', async () => {
    await beginThread(page, model, twoBranches)
    await runTwoBranches(page)
    const graph = page.getByRole('region', { name: 'Branch graph' })
    const height = async (): Promise<number> => (await graph.boundingBox())?.height ?? 0
    await page.getByRole('treeitem', { name: 'euros', exact: true }).focus()
    const low = await height()
    await page.keyboard.press('Shift+G')
    await expect.poll(height).toBeGreaterThan(2 * low)
    await page.keyboard.press('Shift+G')
    await expect.poll(height).toBe(low)
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.getByRole('button', { name: 'Fit all' }).click()
    await expect(page.getByRole('button', { name: 'Fit all' })).toBeDisabled()
    await page.setViewportSize({ width: 900, height: 800 })
    await expect(graph.getByRole('button', { name: /^workspace: Started/ })).toBeInViewport()
    await graph.getByRole('button', { name: /^euros: Worked 2/ }).click()
    const details = page.getByRole('region', { name: 'Details of the event' })
    await expect(details).toContainText('2 calls')

    await page.keyboard.press('ArrowUp')
    await expect(page.locator(':focus')).toHaveAccessibleName(/^workspace:/)
    await page.keyboard.press('ArrowDown')
    await expect(page.locator(':focus')).toHaveAccessibleName(/^euros:/)
    await page.keyboard.press('End')
    await expect(page.locator(':focus')).toHaveAccessibleName(/^euros: Worked 2/)

    await details.getByRole('button', { name: 'Compare with before' }).click()
    const comparison = page.getByRole('region', { name: 'Comparison' })
    await expect(comparison.getByRole('heading', { level: 2 })).toHaveText('From euros (Forked) to euros (Worked 2)')
    await expect(comparison.getByRole('button', { name: '/docs/euros.md' })).toBeVisible()
    await comparison.getByRole('button', { name: 'Close comparison' }).click()

    await details.getByRole('button', { name: 'Compare with…' }).click()
    await graph.getByRole('button', { name: /^dollars: Worked 2/ }).click()
    await expect(comparison.getByRole('heading', { level: 2 })).toHaveText(
      'From euros (Worked 2) to dollars (Worked 2)',
    )
    await comparison.getByRole('button', { name: '/src/format.js' }).click()
    await expect(comparison.getByText(`${amount} dollars`)).toBeVisible()
    await comparison.getByRole('button', { name: 'Swap sides' }).click()
    await expect(comparison.getByRole('heading', { level: 2 })).toHaveText(
      'From dollars (Worked 2) to euros (Worked 2)',
    )

    await comparison.getByRole('button', { name: 'Close comparison' }).click()
    await details.getByRole('button', { name: 'Compare with…' }).click()
    await graph.getByRole('button', { name: /^dollars: Worked 2/ }).focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect(page.locator(':focus')).toHaveAccessibleName(/^workspace:/)
    await expect(comparison).toHaveCount(0)
    await page.keyboard.press('Enter')
    await expect(comparison.getByRole('heading', { level: 2 })).toHaveText(/^From dollars \(Worked 2\) to workspace/)
    await comparison.getByRole('button', { name: 'Close comparison' }).click()
    await graph.getByRole('button', { name: /^dollars: Worked 2/ }).click()

    await details.getByRole('button', { name: 'Show write_file in the chat' }).click()
    await expect(page.getByRole('tab', { name: 'Chat' })).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByText('dollars done')).toBeVisible()
  })
})
