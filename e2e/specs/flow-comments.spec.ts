import type { Page } from '@playwright/test'
import { type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { walkTo } from '../support/walk-to.ts'
import { beginThread, expect, test } from '../support/window.ts'

/** The root agent and a subagent write one file each. The subagent answers later messages. */
const scenario: Scenario = (request) => {
  const task = taskOf(request)
  const turn = turnOf(request)
  const said = JSON.stringify(request.messages.at(-1)?.content ?? '')
  if (said.includes('Review comments on your changes')) return { text: 'I saw your comments.' }
  if (said.includes('go on')) return { calls: [write('/docs/root.md', ['# Root', '', 'A line.'])] }
  if (task.startsWith('helper')) {
    if (turn > 0) return { text: 'helper done' }
    return { calls: [write('/docs/helper.md', ['# Helper', '', 'One.', 'Two.', 'Three.'])] }
  }
  if (turn > 0) return { text: 'Ready for review.' }
  const tasks = [{ task: 'helper please', name: 'helper' }]
  return { calls: [write('/docs/root.md', ['# Root', 'A line.']), { name: 'spawn_subagents', input: { tasks } }] }
}

function write(path: string, lines: readonly string[]) {
  return { name: 'write_file', input: { file_path: path, content: `${lines.join('\n')}\n` } }
}

async function runTask(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill('Write docs')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Ready for review.')).toBeVisible()
}

const comments = (page: Page) => page.getByRole('region', { name: 'Comments' })

test('E. Changes name their author, and comments on them reach the agent: by mouse, by keyboard, after the lines changed', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('The author of a change is named wherever the change is listed', async () => {
    await beginThread(page, model, scenario)
    await runTask(page)
    await page.getByRole('tab', { name: 'Branches' }).click()
    await page.getByRole('treeitem', { name: 'helper' }).click()
    await expect(page.getByRole('row', { name: '/docs/helper.md' })).toContainText('Last changed by helper')
    await page.getByRole('button', { name: 'Merge all clean' }).click()
    await expect(page.getByRole('region', { name: 'History' })).toContainText('You')
    await page.getByRole('tab', { name: 'Changes' }).click()
    await page.getByRole('row', { name: '/docs/helper.md' }).click()
    await expect(page.getByTitle('Last changed by helper').last()).toBeVisible()
    for (const name of ['Export patch', 'Apply to disk']) {
      await page.getByRole('button', { name }).click()
      await expect(page.getByRole('dialog').getByTitle('Last changed by helper')).toBeVisible()
      await expect(page.getByRole('dialog').getByTitle('Last changed by main')).toBeVisible()
      await page.keyboard.press('Escape')
    }
  })

  await test.step('E. Comments on lines of a branch survive a reload and are sent to its agent as one message', async () => {
    await beginThread(page, model, scenario)
    await runTask(page)
    await page.getByRole('tab', { name: 'Branches' }).click()
    await page.getByRole('treeitem', { name: 'helper' }).click()
    await page.getByRole('row', { name: '/docs/helper.md' }).click()
    const diff = page.getByRole('region', { name: /helper\.md/ })

    await diff.locator('[data-line="3"]').first().click()
    await diff
      .locator('[data-line="4"]')
      .first()
      .click({ modifiers: ['Shift'] })
    const form = page.getByRole('group', { name: 'Comment on /docs/helper.md, lines 3-4' })
    await form.getByRole('textbox', { name: 'Comment' }).fill('Count in words.')
    await page.reload()
    await page.getByRole('tab', { name: 'Branches' }).click()
    await page.getByRole('treeitem', { name: 'helper' }).click()
    await page.getByRole('row', { name: '/docs/helper.md' }).click()
    await expect(form.getByRole('textbox', { name: 'Comment' })).toHaveValue('Count in words.')
    await form.getByRole('button', { name: 'Add comment' }).click()
    await expect(comments(page)).toContainText('1 comment for helper, not sent yet')

    await diff.locator('[data-line="1"]').first().click()
    await page.getByRole('textbox', { name: 'Comment' }).fill('Another title.')
    await page.getByRole('button', { name: 'Add comment' }).click()
    await expect(comments(page)).toContainText('2 comments')
    await page.getByRole('button', { name: 'Delete comment on /docs/helper.md, line 1' }).click()
    await expect(comments(page)).toContainText('1 comment for')
    await diff.locator('[data-line="5"]').first().click()
    await page.getByRole('textbox', { name: 'Comment' }).fill('And four?')
    await page.getByRole('button', { name: 'Add comment' }).click()
    await expect(comments(page)).toContainText('2 comments')
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
    await expect(comments(page)).toContainText('3 comments')

    await comments(page).getByRole('button', { name: 'Send to agent' }).click()
    await expect(comments(page)).toHaveCount(0)
    await page.getByRole('button', { name: 'Open chat' }).click()
    const message = page.getByRole('article', { name: 'You' }).last()
    await expect(message).toContainText('3 review comments')
    await expect(message.getByRole('region', { name: 'Lines of the comment' }).nth(1)).toHaveText('One.\nTwo.')
    await expect(message).toContainText('Count in words.')
    await expect(page.getByText('I saw your comments.')).toBeVisible()
  })

  await test.step('E. Comments by keyboard alone: comment on a change of the workspace, narrow the lines, send to the root agent', async () => {
    await beginThread(page, model, scenario)
    await runTask(page)
    await page.getByRole('tab', { name: 'Changes' }).click()
    await walkTo(page, page.getByRole('row', { name: '/docs/root.md' }))
    await page.keyboard.press('j')
    await expect(page.getByRole('group', { name: /^Change 1 of 1/ })).toBeFocused()
    await page.keyboard.press('c')
    await expect(page.getByRole('group', { name: 'Comment on /docs/root.md, lines 1-2' })).toBeVisible()
    await page.keyboard.type('Say which line.')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowUp')
    await expect(page.getByRole('group', { name: 'Comment on /docs/root.md, line 2' })).toBeVisible()
    await page.keyboard.press('Control+Enter')
    await expect(page.getByRole('group', { name: /^Change 1 of 1/ })).toBeFocused()
    await walkTo(page, comments(page).getByRole('button', { name: 'Send to agent' }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await expect(comments(page)).toHaveCount(0)
    await page.getByRole('tab', { name: 'Chat' }).click()
    await expect(page.getByRole('article', { name: 'You' }).last()).toContainText('line 2')
    await expect(page.getByText('I saw your comments.')).toBeVisible()
  })

  await test.step('E. A comment whose line changed before it was sent says so, and still shows the lines that it is about', async () => {
    await beginThread(page, model, scenario)
    await runTask(page)
    await page.getByRole('tab', { name: 'Changes' }).click()
    await page.getByRole('row', { name: '/docs/root.md' }).click()
    const diff = page.getByRole('region', { name: /root\.md/ })
    await diff.locator('[data-line="2"]').first().click()
    await page.getByRole('textbox', { name: 'Comment' }).fill('Say which line.')
    await page.getByRole('button', { name: 'Add comment' }).click()
    await expect(diff).toContainText('Say which line.')
    await expect(diff).not.toContainText('has changed since')

    await page.getByRole('tab', { name: 'Chat' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('go on')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('Ready for review.')).toHaveCount(2)
    await page.getByRole('tab', { name: 'Changes' }).click()
    await page.getByRole('row', { name: '/docs/root.md' }).click()
    await expect(diff).toContainText('This line has changed since. The comment is about:A line.')
    await comments(page).getByRole('button', { name: 'Send to agent' }).click()
    await page.getByRole('tab', { name: 'Chat' }).click()
    const message = page.getByRole('article', { name: 'You' }).last()
    await expect(message.getByRole('region', { name: 'Lines of the comment' })).toHaveText('A line.')
  })
})
