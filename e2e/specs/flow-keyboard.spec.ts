import { type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { keyboardOf } from '../support/keyboard.ts'
import { expect, test } from '../support/window.ts'

// These are about calls that ask before they run.
test.use({ commands: 'before' })

test('A, D, E, F and G without a mouse: the demo from Home to its patch, a conflict and a rewind', {
  tag: '@nightly',
}, async ({ open }) => {
  const { page } = await open({ folder: null, key: false })
  const keyboard = await keyboardOf(page)
  await keyboard.use(page.getByRole('button', { name: 'Try the demo' }))
  const message = page.getByRole('textbox', { name: 'Message' })
  await expect(message).not.toBeEmpty()
  await keyboard.to(message)
  await keyboard.press('Enter')

  const card = page.getByRole('group', { name: 'Approval: execute by main' })
  await expect(card).toBeVisible()
  await keyboard.press('F8')
  await expect(card).toBeFocused()
  await expect(card.getByRole('button', { name: 'Approve' })).toBeEnabled()
  await keyboard.press('y')
  const review = page.getByRole('button', { name: 'Review branches' })
  await expect(review).toBeVisible({ timeout: 30_000 })
  await keyboard.use(review)

  const tree = page.getByRole('tree', { name: 'Branch tree' })
  await keyboard.to(tree.getByRole('treeitem', { selected: true }))
  // Agents stand in the order in which they ended, so the wanted one may be above.
  await keyboard.press('Home')
  await keyboard.to(tree.getByRole('treeitem', { name: 'docs', exact: true }), 'ArrowDown')
  await keyboard.to(page.locator('[role=row][tabindex="0"]'))
  await keyboard.to(page.getByRole('row', { name: '/README.md' }), ']')
  await keyboard.press('m')
  const conflict = page.getByRole('region', { name: 'Conflict in /README.md' })
  await expect(conflict.getByRole('status')).toHaveText(/^0 of \d decided/)
  await keyboard.press('2')
  await keyboard.use(conflict.getByRole('button', { name: 'Save result' }))
  await expect(conflict).toHaveCount(0)

  await keyboard.to(page.getByRole('tab', { name: 'Branches' }), 'Shift+Tab')
  await keyboard.press('ArrowLeft', 'Enter')
  await keyboard.use(page.getByRole('button', { name: 'Export patch' }))
  const exporting = page.getByRole('dialog', { name: 'Export patch' })
  await expect(exporting).toContainText('diff --git')
  const save = exporting.getByRole('button', { name: /^Save/ })
  await keyboard.to(save)
  await Promise.all([page.waitForEvent('download'), keyboard.press('Enter')])
  await keyboard.press('Escape')
  await expect(exporting).toHaveCount(0)

  await keyboard.to(page.getByRole('tab', { name: 'Changes' }), 'Shift+Tab')
  await keyboard.press('ArrowLeft', 'Enter')
  await keyboard.to(message)
  await keyboard.press('Escape', 'Escape')
  const rewinding = page.getByRole('dialog', { name: 'Rewind' })
  await keyboard.use(rewinding.getByRole('button', { name: 'Rewind' }))
  await expect(page.getByText('Rewound files and conversation')).toBeVisible()
  await keyboard.use(page.getByRole('button', { name: 'Redo rewind' }))
  await expect(page.getByRole('article', { name: 'Done' })).toBeVisible()
  keyboard.expectNothingPointed()
})

const tasks = Array.from({ length: 20 }, (_, index) => `Translate page ${index}`)

/** The first message asks for two calls, the second for a batch. Whoever is asked anything else answers in words. */
const scenario: Scenario = (request) => {
  const task = taskOf(request)
  const said = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
  if (tasks.includes(task))
    return turnOf(request) === 0
      ? { calls: [{ name: 'write_file', input: { file_path: `/pages/${tasks.indexOf(task)}.txt`, content: task } }] }
      : { text: 'Translated.' }
  if (said.includes('Make files'))
    return {
      calls: ['one', 'two'].map((name) => ({
        name: 'execute',
        id: name,
        input: { command: `echo ${name} > ${name}.txt` },
      })),
    }
  if (said.includes('Translate all')) return { calls: [{ name: 'batch_task', id: 'batch', input: { tasks } }] }
  if (said.includes('Talk')) return { text: 'word '.repeat(50_000), pauseMs: 20 }
  return { text: 'All done.' }
}

test('B, C, D, H, J, K, L and M without a mouse: a folder, two calls, a batch, an apply, memory and settings', {
  tag: '@nightly',
}, async ({ open, project }) => {
  test.slow()
  project.mayChange()
  const { page } = await open({ folder: null, scenario })
  const keyboard = await keyboardOf(page)
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
  await keyboard.use(button('Open folder'))
  await keyboard.fill(page.getByRole('textbox', { name: 'Folder path' }), project.folder)
  await keyboard.use(button('Open this folder'))
  await keyboard.use(button('Open without them'))

  const message = page.getByRole('textbox', { name: 'Message' })
  await keyboard.to(message)
  await keyboard.type('Make files as in @format')
  await expect(page.getByRole('option', { name: /src\/format\.js File/ })).toBeVisible()
  await keyboard.press('Enter')
  await expect(message).toHaveValue('Make files as in @src/format.js ')
  await keyboard.press('Enter')
  const cards = page.getByRole('group', { name: 'Approval: execute by main' })
  await expect(cards).toHaveCount(2)
  await keyboard.press('F8')
  await expect(cards.first().getByRole('button', { name: 'Edit' })).toBeEnabled()
  await keyboard.press('e')
  const edited = cards.first().getByRole('textbox').first()
  await expect(edited).toBeFocused()
  await keyboard.fill(edited, 'echo edited > one.txt')
  await keyboard.press('ControlOrMeta+Enter')
  await expect(cards).toHaveCount(1)
  await expect(cards.first()).toBeFocused()
  await expect(cards.first().getByRole('button', { name: 'Reject' })).toBeEnabled()
  await keyboard.press('n')
  await keyboard.type('not this one')
  await keyboard.press('Enter')
  await expect(page.getByText('All done.', { exact: true })).toBeVisible()

  await keyboard.to(message)
  await keyboard.type('Talk')
  await keyboard.press('Enter')
  await expect(page.getByText('word word').first()).toBeVisible()
  await keyboard.press('Escape')
  await expect(page.getByRole('article', { name: 'Stopped' })).toBeVisible()

  await keyboard.to(message)
  await keyboard.type('Translate all')
  await keyboard.press('Enter')
  await keyboard.use(button('Open batch').first())
  await expect(page.getByText('20 done')).toBeVisible({ timeout: 60_000 })
  await keyboard.use(button('Merge all clean'))
  await expect(page.getByText('Merged 20 branches').first()).toBeVisible()

  await keyboard.to(page.getByRole('tab', { name: 'Batch' }), 'Shift+Tab')
  await keyboard.to(page.getByRole('tab', { name: 'Changes' }), 'ArrowLeft')
  await keyboard.press('Enter')
  await keyboard.use(button('Apply to disk'))
  const applying = page.getByRole('dialog', { name: 'Apply to disk' })
  await keyboard.use(applying.getByRole('button', { name: /^Apply 21 files/ }))
  await keyboard.use(applying.getByRole('button', { name: 'Undo apply' }))
  await keyboard.press('Escape')

  await keyboard.to(page.getByRole('tab', { name: 'Changes' }), 'Shift+Tab')
  await keyboard.to(page.getByRole('tab', { name: 'Chat' }), 'ArrowLeft')
  await keyboard.press('Enter')
  await keyboard.use(button(/^Context .* show what the model sees/))
  await expect(page.getByRole('region', { name: 'Exact request' })).toBeVisible()
  await keyboard.press('Escape')

  await keyboard.use(button('Settings'))
  await keyboard.use(button('MCP servers'))
  await keyboard.use(button('New server'))
  await keyboard.use(button('Agents'), 'Shift+Tab')
  await expect(page.getByRole('region', { name: 'Types of subagents' })).toBeVisible()
  await keyboard.use(button('Memory'))
  await keyboard.use(button('New note'))
  await keyboard.fill(page.getByRole('textbox', { name: 'Name' }), 'tests.md')
  await keyboard.fill(page.getByRole('textbox', { name: 'Text' }), 'Run the tests twice')
  await keyboard.use(button('Save'))
  // The note is first in the page. Shift+Tab goes through it to the end of the page.
  await expect(page.getByText('Saved as version 1')).toBeVisible()
  await keyboard.to(button('Back'), 'Shift+Tab')
  await keyboard.press('Shift+Tab')
  await keyboard.use(button('All memories'), 'Shift+Tab')
  await expect(page.getByRole('list', { name: 'Memories' })).toContainText('Run the tests twice')
  await keyboard.use(button('Delete tests.md'))
  await expect(page.getByRole('list', { name: 'Memories' })).toHaveCount(0)
  keyboard.expectNothingPointed()
})
