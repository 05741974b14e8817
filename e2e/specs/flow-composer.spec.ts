import type { Page } from '@playwright/test'
import { type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { beginThread, expect, test } from '../support/window.ts'

const scenario: Scenario = (request) => {
  if (taskOf(request).startsWith('look'))
    return turnOf(request) === 0
      ? { calls: [{ name: 'write_file', input: { file_path: '/src/euros.js', content: 'export const euros = 1\n' } }] }
      : { text: 'Euros are exact now.' }
  return turnOf(request) === 0
    ? {
        calls: [
          { name: 'write_file', input: { file_path: '/plan.md', content: 'First the euros.\n' } },
          { name: 'spawn_subagents', input: { tasks: [{ task: 'look around', name: 'euros' }] } },
        ],
      }
    : { text: 'All done.' }
}

const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const list = (page: Page) => page.getByRole('listbox', { name: 'Suggestions' })

test('C. The message box completes names, brings back messages, runs commands, and has the focus of a new thread', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('C. @ completes files, folders and branches; Up brings back sent messages', async () => {
    await beginThread(page, model, scenario)
    await message(page).fill('Split the work')
    await message(page).press('Enter')
    await expect(page.getByText('All done.')).toBeVisible()

    await message(page).pressSequentially('see @src')
    await expect(list(page).getByRole('option', { name: 'src/ Folder' })).toBeVisible()
    await message(page).press('Enter')
    await expect(message(page)).toHaveValue('see @src/ ')
    await message(page).pressSequentially('and @format')
    await expect(list(page).getByRole('option', { name: /src\/format\.js File/ })).toBeVisible()
    await message(page).press('Tab')
    await message(page).pressSequentially('on @euro')
    await expect(list(page).getByRole('option', { name: /^euros .*Branch$/ })).toBeVisible()
    await message(page).press('Enter')
    await message(page).pressSequentially('by @agent:')
    await expect(list(page).getByRole('option', { name: /^euros .* Agent$/ })).toBeVisible()
    await message(page).press('Enter')
    await message(page).pressSequentially('with @diff')
    await expect(list(page).getByRole('option', { name: /^diff Everything .* Diff$/ })).toBeVisible()
    await message(page).press('Enter')
    await expect(message(page)).toHaveValue('see @src/ and @src/format.js on @branch:euros by @agent:euros with @diff ')
    await message(page).press('Enter')
    // The agent gets what is named: the files of the folder, the changes of the branch and the report of the agent.
    await expect.poll(() => JSON.stringify(model.requests.at(-1))).toContain('by @agent:euros')
    const request = JSON.stringify(model.requests.at(-1))
    for (const part of [
      '/inputs/folder-src.txt',
      '> /src/format.js',
      '> - create /src/euros.js (+1 -0)',
      '> +First the euros.',
    ])
      expect(request).toContain(part)
    expect(request).toMatch(/report-euros\.md.*> Euros are exact now\./)
    await expect(page.getByRole('list', { name: 'Input files' })).toContainText('/inputs/branch-euros.txt')

    await message(page).press('ArrowUp')
    await expect(message(page)).toHaveValue(/see @src/)
    await message(page).press('ArrowUp')
    await expect(message(page)).toHaveValue('Split the work')
    await message(page).press('ArrowDown')
    await message(page).press('ArrowDown')
    await expect(message(page)).toHaveValue('')
  })

  await test.step('C. / runs commands from the message box', async () => {
    await beginThread(page, model, scenario)
    await message(page).fill('Split the work')
    await message(page).press('Enter')
    await expect(page.getByText('All done.')).toBeVisible()

    await message(page).pressSequentially('/')
    await expect(list(page).getByRole('option')).toHaveCount(15)
    await message(page).pressSequentially('he')
    await message(page).press('Enter')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(message(page)).toHaveValue('')
    for (const [command, dialog] of [
      ['/rewind', 'Rewind'],
      ['/apply', 'Apply to disk'],
    ] as const) {
      await message(page).fill(command)
      await message(page).press('Enter')
      await expect(page.getByRole('dialog', { name: dialog })).toBeVisible()
      await page.keyboard.press('Escape')
      await page.getByRole('tab', { name: 'Chat' }).click()
    }
  })

  await test.step('A new thread has the focus in its message box, however it is started', async () => {
    await beginThread(page, model, () => ({ text: 'Done.' }))
    await message(page).fill('First')
    await message(page).press('Enter')
    await expect(page.getByText('Done.')).toBeVisible()

    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').getByRole('combobox').fill('new thread')
    await page.keyboard.press('Enter')
    await expect(message(page)).toBeFocused()
    await page.keyboard.type('Really?')
    await expect(message(page)).toHaveValue('Really?')

    await page.getByRole('navigation', { name: 'Threads' }).getByRole('button', { name: 'First', exact: true }).click()
    await page.getByRole('button', { name: 'New thread' }).first().click()
    await expect(message(page)).toBeFocused()
    await expect(message(page), 'the draft of the new thread').toHaveValue('Really?')
    await message(page).fill('')
  })

  await test.step('The palette has every action, and the title counts the waiting decisions', async () => {
    await beginThread(page, model, () => ({ calls: [{ name: 'execute', input: { command: 'true' } }] }))
    await expect(page).toHaveTitle('ledger – Coppice')
    await message(page).fill('Run it')
    await message(page).press('Enter')
    await expect(page).toHaveTitle('(1) ledger – Coppice')
    await page.keyboard.press('ControlOrMeta+k')
    const palette = page.getByRole('dialog')
    await palette.getByRole('combobox').fill('permissions')
    await palette.getByRole('option', { name: 'Settings: Permissions' }).click()
    await expect(page.getByRole('heading', { name: 'Permissions' })).toBeVisible()
  })
})

test('C. A message that is edited or rewritten completes names, and the agent gets what they name', async ({
  open,
  model,
}) => {
  const { page } = await open({
    scenario: (request) =>
      taskOf(request).includes('@src/') && turnOf(request) === 0
        ? { calls: [{ name: 'execute', input: { command: 'true' } }] }
        : { text: 'Understood.' },
  })
  await message(page).fill('Look around')
  await message(page).press('Enter')
  await expect(page.getByText('Understood.')).toBeVisible()
  await page.getByRole('button', { name: 'Actions for “Look around”' }).click()
  await page.getByRole('menuitem', { name: 'Edit and send again' }).click()
  const edited = page.getByRole('textbox', { name: 'Edited message' })
  await expect(edited).toBeFocused()
  await edited.press('End')
  await edited.pressSequentially(' in @src')
  const folder = list(page).getByRole('option', { name: 'src/ Folder' })
  await expect(folder).toBeInViewport({ ratio: 1 })
  await edited.press('Enter')
  await expect(edited).toHaveValue('Look around in @src/ ')
  await edited.press('ControlOrMeta+Enter')
  const card = page.getByRole('group', { name: 'Approval: execute by main' })
  await expect(card).toBeVisible()
  expect(JSON.stringify(model.requests.at(-1))).toContain('/inputs/folder-src.txt')

  await message(page).fill('and then')
  await message(page).press('Enter')
  await page.getByRole('button', { name: 'Rewrite waiting text 1' }).click()
  const waiting = page.getByRole('textbox', { name: 'Waiting text' })
  await waiting.press('End')
  await waiting.pressSequentially(' read @tests')
  await expect(list(page).getByRole('option', { name: 'tests/ Folder' })).toBeInViewport({ ratio: 1 })
  await waiting.press('Enter')
  await waiting.press('Enter')
  await expect(waiting).toHaveCount(0)
  await card.getByRole('button', { name: 'Keep', exact: true }).click()
  await expect.poll(() => JSON.stringify(model.requests.at(-1))).toContain('/inputs/folder-tests.txt')
})
