import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { byTask, lastResults, type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { keyboardOf } from '../support/keyboard.ts'
import { beginThread, expect, test } from '../support/window.ts'

// These are about calls that ask before they run.
test.use({ commands: 'before' })

const three: Scenario = (request) => {
  if (turnOf(request) > 0)
    return { text: `Results: ${[...lastResults(request).values()].join(' | ').replaceAll('\n', ' ')}` }
  return {
    calls: [
      { name: 'execute', id: 'one', input: { command: 'echo one >> one.txt' } },
      { name: 'execute', id: 'two', input: { command: 'echo two > two.txt' } },
      { name: 'execute', id: 'three', input: { command: 'echo \u202ethree > three.txt' } },
    ],
  }
}

const asks = (name: string) => ({
  calls: [{ name: 'execute', id: name, input: { command: `echo ${name} > ${name}.txt` } }],
})
const spawns = (...names: readonly string[]) => ({
  calls: [{ name: 'spawn_subagents', input: { tasks: names.map((name) => ({ task: `${name} task`, name })) } }],
})
const family = byTask({
  main: [spawns('firmware', 'rounding'), { text: 'All in.' }],
  firmware: [asks('firmware'), { text: 'Done.' }],
  rounding: [spawns('nested'), { text: 'Done.' }],
  nested: [asks('nested'), { text: 'Done.' }],
})

test('D. F8 walks the waiting calls of all agents at any depth, each with the focus, and Y brings up the next', async ({
  dataFolder,
  open,
}) => {
  writeFileSync(
    join(dataFolder, 'settings.json'),
    JSON.stringify({ max_subagent_depth: 2, approvals: { commands: 'before' } }),
  )
  const { page } = await open({
    scenario: (request, seen) => (taskOf(request).startsWith('other') ? asks('other') : family(request, seen)),
  })
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('other task')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('group', { name: 'Approval: execute by main' })).toBeVisible()
  await page.getByRole('button', { name: 'New thread' }).first().click()
  await message.fill('main task')
  await page.getByRole('button', { name: 'Send' }).click()
  const card = (name: string) => page.getByRole('group', { name: `Approval: execute by ${name}` })
  const inbox = page.getByRole('region', { name: 'Approvals' })
  await expect(inbox.getByRole('listitem')).toHaveCount(3)
  const focused = page.locator('fieldset:focus')
  const order: string[] = []
  for (const place of ['2 of 3', '3 of 3', '1 of 3']) {
    await page.keyboard.press('F8')
    await expect(focused).toContainText(place)
    order.push((await focused.getAttribute('aria-label')) ?? '')
  }
  expect(order, 'the shown family comes first').toEqual(
    ['firmware', 'nested', 'main'].map((name) => `Approval: execute by ${name}`),
  )
  await page.keyboard.press('Shift+F8')
  await expect(focused).toHaveAccessibleName(order[1] ?? '')
  await page.keyboard.press('Shift+F8')
  await expect(focused).toHaveAccessibleName(order[0] ?? '')

  await inbox.getByRole('button', { name: 'Approve 3 low-risk' }).click()
  const dialog = page.getByRole('dialog', { name: 'Approve 3 calls of low risk?' })
  await expect(dialog).toContainText('echo nested > nested.txt')
  await expect(dialog).toContainText('sandboxed and offline')
  await dialog.getByRole('button', { name: 'Cancel' }).first().click()

  await page.keyboard.press('F8')
  await page.keyboard.press('Shift+F8')
  await expect(focused).toHaveAccessibleName(order[0] ?? '')
  for (const name of ['firmware', 'nested']) {
    await expect(card(name)).toBeFocused()
    await expect(card(name).getByRole('button', { name: 'Approve' })).toBeEnabled()
    await page.keyboard.press('y')
    await expect(card(name)).toHaveCount(0)
  }
  await expect(inbox.getByRole('listitem')).toHaveCount(1)
  await page.keyboard.press('F8')
  await expect(card('main')).toBeFocused()
})

test('I. After a kill with SIGKILL while an approval waits, it is there again, and the call runs once', async ({
  open,
}) => {
  const opened = await open({ scenario: three })
  await opened.page.getByRole('textbox', { name: 'Message' }).fill('Make files')
  await opened.page.getByRole('button', { name: 'Send' }).click()
  await expect(opened.page.getByRole('group', { name: 'Approval: execute by main' })).toHaveCount(3)

  const page = await opened.restart()
  await page
    .getByRole('navigation', { name: 'Threads' })
    .getByRole('button', { name: 'Make files', exact: true })
    .click()
  const cards = page.getByRole('group', { name: 'Approval: execute by main' })
  await expect(cards).toHaveCount(3)
  for (const left of [2, 1, 0]) {
    await cards.first().getByRole('button', { name: 'Approve' }).click()
    await expect(cards).toHaveCount(left)
  }
  await expect(page.getByText(/Results:/)).toBeVisible()
  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByText('/one.txt').first().click()
  await expect(page.getByText('+1').first()).toBeVisible()
})

const endless: Scenario = (request) =>
  turnOf(request) > 0
    ? { text: `Results: ${[...lastResults(request).values()].join(' | ')}` }
    : { calls: [{ name: 'execute', id: 'cut', input: { command: 'echo begun; sleep 20' } }] }

test('I. After a kill with SIGKILL while a command runs, the person is asked how it ended, and answers by keyboard alone', async ({
  open,
}) => {
  const opened = await open({ scenario: endless })
  await opened.page.getByRole('textbox', { name: 'Message' }).fill('Run it')
  await opened.page.getByRole('button', { name: 'Send' }).click()
  const name = 'Approval: execute by main'
  await opened.page.getByRole('group', { name }).getByRole('button', { name: 'Approve' }).click()
  await expect(opened.page.getByText(/^begun/).first()).toBeVisible()

  const page = await opened.restart()
  const keyboard = await keyboardOf(page)
  const card = page.getByRole('group', { name })
  await expect(card).toContainText('echo begun; sleep 20')
  await expect(card.getByRole('button')).toHaveText(['Run again', 'Mark done', 'Skip'])
  await keyboard.press('F8')
  await expect(card).toBeFocused()
  await keyboard.use(card.getByRole('button', { name: 'Mark done' }))
  await expect(card).toHaveCount(0)
  await expect(page.getByText(/Results:.*The user says that it was done/)).toBeVisible()
  keyboard.expectNothingPointed()
  await page.mouse.click(5, 5)
  await expect(() => expect(() => keyboard.expectNothingPointed(), 'the guard hears a pointer').toThrow()).toPass()
})

test('D. Calls are decided: by keyboard alone, each by itself, several of low risk together, a question', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('D. Approvals work by keyboard alone', async () => {
    await beginThread(page, model, three)
    await page.getByRole('textbox', { name: 'Message' }).focus()
    await page.keyboard.type('Make files')
    await page.keyboard.press('Enter')
    const cards = page.getByRole('group', { name: 'Approval: execute by main' })
    await expect(cards).toHaveCount(3)
    for (let left = 3; left > 0; left -= 1) {
      if (left === 3) await page.keyboard.press('F8')
      await expect(cards.first(), 'the next one comes up by itself').toBeFocused()
      await expect(cards.first().getByRole('button', { name: left === 1 ? 'Reject' : 'Approve' })).toBeEnabled()
      await page.keyboard.press(left === 1 ? 'n' : 'y')
      if (left === 1) await page.keyboard.press('Enter')
      await expect(cards).toHaveCount(left - 1)
    }
    await expect(page.getByRole('tabpanel', { name: 'Chat' }), 'the focus stays near the card').toBeFocused()
    await expect(page.getByText(/Results:/)).toBeVisible()
  })

  await test.step('D. Approve, edit and reject, each call separately', async () => {
    await beginThread(page, model, three)
    await page.getByRole('textbox', { name: 'Message' }).fill('Make files')
    await page.getByRole('button', { name: 'Send' }).click()
    const cards = page.getByRole('group', { name: 'Approval: execute by main' })
    await expect(cards).toHaveCount(3)
    await expect(page, 'the title counts what the inspector lists').toHaveTitle('(3) ledger – Coppice')
    await expect(cards.nth(2), 'a character that reverses the text is shown as an escape').toContainText('\\u202e')

    await cards.nth(1).getByRole('button', { name: 'Edit' }).click()
    await cards.nth(1).getByRole('textbox').first().fill('echo edited > edited.txt')
    await cards.nth(1).getByRole('textbox').first().press('ControlOrMeta+Enter')
    await expect(cards).toHaveCount(2)
    await cards.nth(1).getByRole('textbox', { name: 'Reason' }).fill('no tricks')
    await cards.nth(1).getByRole('button', { name: 'Reject' }).click()
    await expect(cards).toHaveCount(1)
    await cards.first().getByRole('button', { name: 'Approve' }).click()

    await expect(page.getByText(/Results:/)).toContainText('no tricks')
    await expect(page.getByText(/Results:/)).toContainText('edited the arguments')
    await page.getByRole('tab', { name: 'Changes' }).click()
    await expect(page.getByText('/one.txt').first()).toBeVisible()
    await expect(page.getByText('/edited.txt').first()).toBeVisible()
    await expect(page.getByText('/three.txt')).toHaveCount(0)
  })

  await test.step('D. Calls of low risk are approved together after a look, over all agents', async () => {
    await beginThread(
      page,
      model,
      byTask({
        main: [spawns('alpha', 'beta', 'gamma'), { text: 'All in.' }],
        alpha: [asks('alpha'), { text: 'Done.' }],
        beta: [asks('beta'), { text: 'Done.' }],
        gamma: [
          { calls: [{ name: 'execute', id: 'gamma', input: { command: 'git push origin main' } }] },
          { text: 'Done.' },
        ],
      }),
    )
    await page.getByRole('textbox', { name: 'Message' }).fill('main task')
    await page.getByRole('button', { name: 'Send' }).click()
    const risky = page.getByRole('group', { name: 'Approval: execute by gamma' })
    await expect(risky).toContainText('High risk: it changes something outside: git push')
    await page.getByRole('button', { name: 'Approve 2 low-risk' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve 2 calls of low risk?' })
    await expect(dialog).toContainText('echo beta > beta.txt')
    await dialog.getByRole('button', { name: 'Approve these 2' }).click()
    await expect(page.getByRole('group', { name: /^Approval: execute by/ })).toHaveCount(1)
    await risky.getByRole('button', { name: 'Reject' }).click()
    await expect(page.getByText('All in.')).toBeVisible()
  })

  await test.step('D. The person answers a question of the agent in its card', async () => {
    const scenario: Scenario = (request) =>
      turnOf(request) > 0
        ? { text: `You chose ${[...lastResults(request).values()].join()}.` }
        : { calls: [{ name: 'ask_user', input: { question: 'Which **database**?', options: ['SQLite', 'Postgres'] } }] }
    await beginThread(page, model, scenario)
    await page.getByRole('textbox', { name: 'Message' }).fill('Set up storage')
    await page.getByRole('button', { name: 'Send' }).click()
    const card = page.getByRole('group', { name: 'Approval: ask_user by main' })
    await expect(card, 'without the marks of Markdown').toContainText('Which database?')
    await expect(page.getByRole('region', { name: 'Approvals' })).toContainText('ask_user Which database?')
    await card.getByRole('button', { name: 'SQLite' }).click()
    await expect(page.getByText('You chose SQLite.')).toBeVisible()
  })

  await test.step('E. A plan in the mode Plan is commented on, approved, and carried out in the mode on the button', async () => {
    const plan = '# Round half up\n\n1. Write the file\n2. Say so'
    const scenario: Scenario = (request) => {
      const turn = turnOf(request)
      if (turn === 0) return { calls: [{ name: 'present_plan', id: 'plan', input: { plan } }] }
      if (turn === 1) return { calls: [{ name: 'write_file', input: { file_path: '/rounded.ts', content: 'x' } }] }
      return { text: 'Carried out.' }
    }
    await beginThread(page, model, scenario)
    await page.getByRole('button', { name: /^Approval mode/ }).click()
    await page.getByRole('menuitem', { name: /^Plan/ }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('Plan the rounding')
    await page.getByRole('button', { name: 'Send' }).click()
    const card = page.getByRole('group', { name: 'Approval: present_plan by main' })
    await expect(card.getByRole('heading', { name: 'Round half up' })).toBeVisible()
    await card.getByRole('textbox', { name: 'Notes to the agent (optional)' }).fill('Mind the tests.')
    await card.getByRole('button', { name: 'Approve with notes · Auto-edit' }).click()
    await expect(page.getByText('Carried out.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Approval mode: Auto-edit' })).toBeVisible()
    expect(JSON.stringify(model.requests.at(-1))).toContain('Mind the tests.')
  })
})
