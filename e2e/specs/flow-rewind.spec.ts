import type { Page } from '@playwright/test'
import { type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { beginThread, expect, test } from '../support/window.ts'

/** Each task of the person writes one file. In the second, a subagent writes another file and the agent merges it. */
const twoTasks: Scenario = (request) => {
  const task = taskOf(request)
  const turn = turnOf(request)
  if (task.startsWith('helper')) return turn === 0 ? { calls: [write('/helper.txt', 'helped')] } : { text: 'helped' }
  const said = JSON.stringify(request.messages.filter(({ role }) => role === 'user').at(-1))
  if (said.includes('"first')) return { calls: [write('/first.txt', 'one')] }
  if (said.includes('"second'))
    return { calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'helper', name: 'helper' }] } }] }
  if (said.includes('"instead')) return { calls: [write('/instead.txt', 'other')] }
  if (said.includes('helped') && !said.includes('merged'))
    return { calls: [{ name: 'merge_subagent', input: { handle: 'subagent_0' } }] }
  return { text: `Finished reply ${turn}` }
}

function write(path: string, content: string) {
  return { name: 'write_file', input: { file_path: path, content: `${content}\n` } }
}

async function say(page: Page, text: string, answer: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText(answer, { exact: true })).toBeVisible()
}

const conversation = (page: Page) => page.getByRole('list', { name: 'Conversation' })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Rewind' })
const files = (page: Page, count: number) =>
  expect(
    page.getByText(count === 0 ? 'No changes' : `Workspace: ${count} file${count === 1 ? '' : 's'} changed`).first(),
  ).toBeVisible()

test('F. Rewind files and conversation, preview the changes, redo', async ({ open }) => {
  const { page, restart } = await open({ scenario: twoTasks })
  await say(page, 'first thing', 'Finished reply 1')
  await say(page, 'second thing', 'Finished reply 4')
  await files(page, 2)

  await page.getByRole('button', { name: 'Rewind' }).last().click()
  // On a busy machine the last button may still be that of the first message.
  await dialog(page)
    .getByRole('radio', { name: /Before “second thing”/ })
    .check()
  const preview = dialog(page).getByRole('region', { name: 'What would change' })
  await expect(preview).toContainText('4 messages would leave the conversation')
  await expect(preview).toContainText('helper')
  await preview
    .getByRole('button', { name: /helper\.txt/ })
    .first()
    .click()
  await expect(preview.getByText('helped').first()).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Rewind' }).click()
  await expect(page.getByText('second thing', { exact: true })).toHaveCount(0)
  await expect(page.getByText('Rewound files and conversation')).toBeVisible()
  await files(page, 1)

  await page.getByRole('tab', { name: 'Branches' }).click()
  await expect(page.getByText('No branches yet')).toBeVisible()
  await page.getByRole('tab', { name: 'Chat' }).click()

  const again = await restart()
  await files(again, 1)
  await again.getByRole('button', { name: 'Redo rewind' }).click()
  await expect(again.getByText('Finished reply 4', { exact: true })).toBeVisible()
  await files(again, 2)
  await again.getByRole('tab', { name: 'Branches' }).click()
  await expect(again.getByLabel('Branch graph').getByText('Rewound').first()).toBeVisible()
})

test('F. Esc Esc opens the list of a rewind, which can be undone, and is readable for very many files', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('F. Esc Esc opens the list; the toast undoes a rewind; an edited message keeps the files', async () => {
    await beginThread(page, model, twoTasks)
    await say(page, 'first thing', 'Finished reply 1')
    await page.getByRole('textbox', { name: 'Message' }).focus()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await dialog(page).getByRole('radio', { name: 'Files only' }).check()
    await dialog(page).getByRole('button', { name: 'Rewind' }).click()
    await expect(page.getByText('Rewound the files')).toBeVisible()
    await expect(conversation(page).getByText('first thing', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    await files(page, 1)

    await page.getByRole('button', { name: 'Actions for “first thing”' }).click()
    await page.getByRole('menuitem', { name: 'Edit and send again' }).click()
    await page.getByRole('textbox', { name: 'Edited message' }).fill('instead of it')
    await page.getByRole('button', { name: 'Send again' }).click()
    await expect(page.getByText('Finished reply 1', { exact: true })).toBeVisible()
    await expect(conversation(page).getByText('first thing', { exact: true })).toHaveCount(0)
    await files(page, 2)

    await page.getByRole('button', { name: 'Actions for “instead of it”' }).click()
    await page.getByRole('menuitem', { name: 'Fork from here' }).click()
    await expect(page.getByText('first thing (fork)').first()).toBeVisible()
  })

  await test.step('F. A rewind of very many files shows a readable list', async () => {
    const code = 'for (let file = 0; file < 210; file += 1) await fs.write("/many/" + file, "x")'
    await beginThread(page, model, (request) =>
      turnOf(request) === 0 ? { calls: [{ name: 'run_js_code', input: { code } }] } : { text: 'Wrote them' },
    )
    await say(page, 'many files', 'Wrote them')
    await page.getByRole('button', { name: 'Rewind' }).last().click()
    await expect(dialog(page).getByText('Workspace · 210 files')).toBeVisible()
    await expect(dialog(page).getByRole('button', { name: /^Deleted/ })).toHaveCount(200)
    await dialog(page).getByRole('button', { name: '10 more files' }).click()
    await expect(dialog(page).getByRole('button', { name: /^Deleted/ })).toHaveCount(210)
  })
})
