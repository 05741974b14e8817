import type { Page } from '@playwright/test'
import { type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { violationsAtNight } from '../support/axe.ts'
import { beginThread, expect, test } from '../support/window.ts'

const lines = (word: string) =>
  Array.from({ length: 60 }, (_, at) => ([9, 39].includes(at) ? `${word} ${at}` : `line ${at}`)).join('\n')

/** What a proposal waits for before it ends. */
let proposed = Promise.resolve()

/** The main agent and a subagent write the same two files differently, and one of them deletes a third. */
const twoSides: Scenario = (request) => {
  const main = taskOf(request) !== 'helper please'
  const turn = turnOf(request)
  const write = (path: string, content: string) => ({ name: 'write_file', input: { file_path: path, content } })
  if (taskOf(request).startsWith('Resolve a conflict in /docs/list.md'))
    return turn === 0
      ? { calls: [write('/docs/list.md', lines('both'))] }
      : { text: 'Kept both words.', after: proposed }
  const remove = { name: 'delete', input: { path: '/docs/guide.md' } }
  if (!main) return turn === 0 ? { calls: [write('/docs/list.md', lines('helper')), remove] } : { text: 'Helped.' }
  if (turn === 0) return { calls: [write('/docs/list.md', lines('base'))] }
  if (turn === 1)
    return { calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'helper please', name: 'helper' }] } }] }
  if (turn === 2)
    return { calls: [write('/docs/list.md', lines('workspace')), write('/docs/guide.md', '# Another guide\n')] }
  return { text: 'All written.' }
}

async function openConflict(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill('Write')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('All written.')).toBeVisible()
  await page.getByRole('tab', { name: 'Branches' }).click()
  await page.getByRole('row', { name: '/docs/list.md' }).getByRole('button', { name: 'Merge' }).click()
}

test('E. A conflict is decided: by a side, by keys and typing, by the proposal of an agent', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('E. A file that one side deleted is deleted or kept where the conflict is shown', async () => {
    await beginThread(page, model, twoSides)
    await openConflict(page)
    const row = page.getByRole('row', { name: '/docs/guide.md' })
    await row.getByRole('button', { name: 'Merge' }).click()
    const editor = page.getByRole('region', { name: 'Conflict in /docs/guide.md' })
    await editor.getByRole('button', { name: 'Delete the file' }).click()
    await expect(row).not.toContainText('conflict')
    await expect(page.getByText('Took the branch’s version of /docs/guide.md')).toBeVisible()
    await page.getByRole('region', { name: 'History' }).getByRole('button', { name: 'Undo' }).click()
    await expect(row).toContainText('conflict')
    await row.getByRole('button', { name: 'Merge' }).click()
    await editor.getByRole('button', { name: 'Keep the file' }).click()
    await expect(row).not.toContainText('conflict')
    await page.getByRole('tab', { name: 'Changes' }).click()
    await expect(page.getByText('Another guide').first()).toBeVisible()
  })

  await test.step('E. A conflict is decided by keys, edited, and kept as a draft over tabs and reloads', async () => {
    await beginThread(page, model, twoSides)
    await openConflict(page)
    const editor = page.getByRole('region', { name: 'Conflict in /docs/list.md' })
    const save = editor.getByRole('button', { name: 'Save result' })
    const result = editor.getByRole('textbox', { name: 'Result' })
    await expect(editor.getByRole('status')).toHaveText('0 of 2 decided')
    await expect(save).toBeDisabled()
    expect(await violationsAtNight(page), 'the conflict editor is accessible').toEqual([])

    await page.keyboard.press('2')
    await page.keyboard.press('n')
    await page.keyboard.press('1')
    await expect(editor.getByRole('status')).toHaveText('2 of 2 decided')
    await expect(save).toBeEnabled()
    await result.getByText('line 3', { exact: true }).click()
    await page.keyboard.press('End')
    await page.keyboard.type(' TYPED')
    await editor.getByRole('button', { name: 'Both', exact: true }).last().click()
    await expect(result).toContainText('line 3 TYPED')

    await page.getByRole('tab', { name: 'Chat' }).click()
    await page.getByRole('tab', { name: 'Branches' }).click()
    await expect(result).toContainText('line 3 TYPED')
    await page.reload()
    await expect(result).toContainText('line 3 TYPED')

    // A conflict has the room that there is.
    const widthOf = async (): Promise<number> => (await editor.boundingBox())?.width ?? 0
    await page.setViewportSize({ width: 1280, height: 800 })
    await expect(page.getByRole('region', { name: 'Inspector' })).toHaveCount(0)
    await expect.poll(widthOf).toBeGreaterThan(600)
    await page.setViewportSize({ width: 640, height: 800 })
    await expect.poll(widthOf).toBeGreaterThan(600)
    await page.getByRole('button', { name: 'All branches' }).click()
    await expect(page.getByRole('treeitem', { name: 'helper', exact: true })).toBeFocused()
    await expect(page.getByLabel('Branch graph')).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('row', { name: '/docs/guide.md' })).toBeFocused()
    await page.keyboard.press(']')
    await expect(result).toContainText('line 3 TYPED')
    await page.setViewportSize({ width: 1440, height: 900 })

    await save.click()
    const row = page.getByRole('row', { name: '/docs/list.md' })
    await expect(row).not.toContainText('conflict')
    await page.getByRole('tab', { name: 'Changes' }).click()
    await page.getByText('/docs/list.md').first().click()
    await expect(page.getByText('line 3 TYPED').first()).toBeVisible()
  })

  await test.step('E. An agent proposes a result, which is stopped, left or taken, and never saved by itself', async () => {
    let release = (): void => undefined
    proposed = new Promise((resolve) => {
      release = resolve
    })
    await beginThread(page, model, twoSides)
    await openConflict(page)
    const editor = page.getByRole('region', { name: 'Conflict in /docs/list.md' })
    const proposal = editor.getByRole('region', { name: 'Proposal' })
    const ask = proposal.getByRole('button', { name: 'Ask the agent to resolve' })
    await ask.click()
    await proposal.getByRole('button', { name: 'End this agent' }).click()
    await expect(proposal).toContainText('could not finish')
    release()
    await proposal.getByRole('button', { name: 'Ask again' }).click()
    await expect(proposal).toContainText('Kept both words.')
    await page.reload()
    await expect(proposal).toContainText('Kept both words.')
    await expect(proposal.getByText('both 9', { exact: true })).toBeVisible()
    expect(await violationsAtNight(page), 'a proposal is accessible').toEqual([])
    await proposal.getByRole('button', { name: 'Leave it' }).click()
    await ask.click()

    const result = editor.getByRole('textbox', { name: 'Result' })
    const save = editor.getByRole('button', { name: 'Save result' })
    await result.getByText('line 3', { exact: true }).click()
    await page.keyboard.press('End')
    await page.keyboard.type(' TYPED')
    await proposal.getByRole('button', { name: 'Take the proposal' }).click()
    await expect(editor).toContainText('This replaces everything that you typed.')
    await expect(result).toContainText('TYPED')
    await editor.getByRole('button', { name: 'Replace it' }).click()
    await expect(result).toContainText('both 9')
    await expect(ask).toBeVisible()
    await expect(page.getByRole('row', { name: '/docs/list.md' }), 'nothing was saved').toContainText('conflict')
    await save.click()
    await expect(page.getByRole('row', { name: '/docs/list.md' })).not.toContainText('conflict')
  })
})
