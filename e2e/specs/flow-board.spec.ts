import { byTask, type Scenario } from '../model-server/scenario.ts'
import { violationsAtNight } from '../support/axe.ts'
import { settled } from '../support/settled.ts'
import { beginThread, expect, test } from '../support/window.ts'

const todos = ['Write the tests', 'Write the docs', 'Remove the cookie'].map((content) => ({
  content,
  status: 'pending',
}))

const plan = { calls: [{ name: 'write_todos', input: { todos } }] }
const delegate = {
  calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'tests', name: 'tester', todo_index: 0 }] } }],
}
const scenario: Scenario = byTask({
  'Add JWT': [plan, delegate, { text: 'The plan is made.' }],
  tests: [
    { calls: [{ name: 'write_file', input: { file_path: '/tests/jwt.test.js', content: 'test()\n' } }] },
    { text: '## Result\nAdded tests for expired tokens.' },
  ],
})

test('19: A person works on a board of the plan, which stays after a reload and fits every screen', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('19: A person moves, edits, reorders and removes cards of the plan on a board', async () => {
    await beginThread(page, model, scenario)
    await page.getByRole('tab', { name: 'Board' }).click()
    await expect(page.getByRole('button', { name: 'Describe a task' })).toBeVisible()
    await page.getByRole('button', { name: 'Describe a task' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('Add JWT')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await expect(page.getByText('The plan is made.')).toBeVisible()
    await page.getByRole('region', { name: 'Todo' }).getByRole('button', { name: 'Open the board' }).click()

    const column = (name: string) => page.getByRole('region', { name: new RegExp(`^${name}, `) })
    const card = (content: string) => page.getByRole('group', { name: new RegExp(`^${content}, `) })
    await expect(column('Completed')).toContainText('Added tests for expired tokens.')

    // A forbidden column refuses the card in words, and nothing changes.
    await card('Write the docs').dragTo(column('Completed'))
    await expect(page.getByRole('alert')).toContainText('cannot go from Pending to Completed.')
    await expect(column('Pending')).toContainText('Write the docs')

    await card('Write the docs').dragTo(column('In progress'))
    await expect(column('In progress')).toContainText('Write the docs')
    await card('Write the docs').dragTo(column('Completed'))
    await expect(column('Completed')).toContainText('Write the docs')

    await card('Remove the cookie').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type(' from every route')
    await page.keyboard.press('Enter')
    await expect(card('Remove the cookie from every route')).toBeFocused()
    await page.getByRole('textbox', { name: 'Add a todo', exact: true }).fill('Tell the users')
    await page.keyboard.press('Enter')
    await card('Tell the users').focus()
    await page.keyboard.press('Alt+ArrowUp')
    await expect(column('Pending')).toContainText(/Tell the users.*Remove the cookie from every route/)

    await page.keyboard.press('Delete')
    await expect(card('Tell the users')).toHaveCount(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(card('Tell the users')).toBeVisible()

    // A subagent's card leads to its branch.
    await page.getByRole('button', { name: 'Show the branch of tester' }).click()
    await expect(page.getByRole('tab', { name: 'Branches' })).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('row', { name: '/tests/jwt.test.js' })).toBeVisible()

    // The agent reads only the latest list.
    await page.getByRole('tab', { name: 'Chat' }).click()
    model.use(() => ({ text: 'I see the new plan.' }))
    await page.getByRole('textbox', { name: 'Message' }).fill('Go on')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await expect(page.getByText('I see the new plan.')).toBeVisible()
    const sent = JSON.stringify(model.requests.at(-1)?.messages)
    expect(sent.split('The user changed the todo list.')).toHaveLength(2)
    expect(sent).toContain('[pending] Remove the cookie from every route')
  })

  await test.step('19: The board stays after a reload, fits 320 pixels, and axe finds nothing in both themes', async () => {
    await beginThread(page, model, scenario)
    await page.getByRole('textbox', { name: 'Message' }).fill('Add JWT')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await expect(page.getByText('The plan is made.')).toBeVisible()
    await page.getByRole('tab', { name: 'Board' }).click()
    await page.reload()
    await expect(page.getByRole('region', { name: /^Completed, 1 todo/ })).toBeVisible()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [1440, 320]) {
        await page.setViewportSize({ width, height: 800 })
        await expect(page.getByRole('group', { name: /^Write the docs/ })).toBeVisible()
        await settled(page)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
        const violations = await violationsAtNight(page)
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
      }
    }
  })
})
