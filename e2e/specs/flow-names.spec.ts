import type { Locator, Page } from '@playwright/test'
import { byTask, type Scenario, turnOf } from '../model-server/scenario.ts'
import { beginThread, expect, test } from '../support/window.ts'

// These are about calls that ask before they run.
test.use({ commands: 'before' })

/**
 * Expects one element for each name, even where the name is only a part of another. Tests and screen readers find
 * controls by these names.
 */
async function expectOne(...locators: readonly Locator[]): Promise<void> {
  for (const locator of locators) await expect(locator, String(locator)).toHaveCount(1)
  for (const locator of locators) await expect(locator, String(locator)).toBeVisible()
}

const button = (page: Page, name: string) => page.getByRole('button', { name })
const tabs = (page: Page) => ['Chat', 'Changes', 'Branches'].map((name) => page.getByRole('tab', { name }))
const regions = (page: Page) => ['Todo', 'Agents', 'Approvals'].map((name) => page.getByRole('region', { name }))
const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })

test('A run with subagents that wait, then branches and changes', async ({ open }) => {
  const child = (name: string) => [
    {
      calls: [
        { name: 'write_file', input: { file_path: `/src/${name}.js`, content: `export const ${name} = 1\n` } },
        { name: 'execute', id: name, input: { command: `echo ${name}` } },
      ],
    },
    { text: 'Done.' },
  ]
  const script = byTask({
    main: [
      {
        calls: [{ name: 'spawn_subagents', input: { tasks: ['alpha', 'beta'].map((task) => ({ task, name: task })) } }],
      },
      { text: 'All in.' },
    ],
    alpha: child('alpha'),
    beta: child('beta'),
  })
  const { page } = await open({ scenario: script })
  await expectOne(message(page), button(page, 'Send'), ...tabs(page), ...regions(page))
  await message(page).fill('main task')
  await button(page, 'Send').click()
  for (const agent of ['alpha', 'beta']) {
    const card = page.getByRole('group', { name: `Approval: execute by ${agent}` })
    await expectOne(card)
    await expectOne(...['Approve', 'Edit', 'Reject'].map((name) => card.getByRole('button', { name })))
  }
  await expectOne(message(page), button(page, 'Send'), button(page, 'Stop'), ...tabs(page), ...regions(page))

  for (const agent of ['alpha', 'beta']) {
    const card = page.getByRole('group', { name: `Approval: execute by ${agent}` })
    await card.getByRole('button', { name: 'Approve' }).click()
  }
  await expect(page.getByText('All in.')).toBeVisible()
  await page.getByRole('tab', { name: 'Branches' }).click()
  const row = page.getByRole('row', { name: '/src/alpha.js' })
  await expectOne(row, page.getByLabel('Branch graph'), page.getByLabel('Branch tree'), ...tabs(page))
  await expectOne(...['Merge', 'Force', 'Discard'].map((name) => row.getByRole('button', { name })))
  await row.getByRole('button', { name: 'Merge' }).click()
  await page.getByRole('tab', { name: 'Changes' }).click()
  await expectOne(button(page, 'Export patch'), button(page, 'Apply to disk'), ...tabs(page))
  await button(page, 'Apply to disk').click()
  await expectOne(page.getByRole('dialog'), page.getByRole('dialog').getByRole('button', { name: 'Apply' }))
})

/** One call that a person edits. The answer repeats the call that ran. */
const edited: Scenario = (request) =>
  turnOf(request) > 0
    ? { text: `Ran ${JSON.stringify(request.messages.at(-1)?.content)}` }
    : { calls: [{ name: 'execute', id: 'one', input: { command: 'echo original' } }] }

test('D. Approve and Mod+Enter send an edit, from the only text box of the card', async ({ open, model }) => {
  const { page } = await open()
  for (const way of ['Approve', 'Mod+Enter'] as const) {
    await beginThread(page, model, edited)
    await message(page).fill('Run it')
    await button(page, 'Send').click()
    const card = page.getByRole('group', { name: /Approval: execute by/ })
    await card.getByRole('button', { name: 'Edit' }).click()
    await card.getByRole('textbox').fill('echo changed')
    await expect(card, 'the original call stays in sight').toContainText('echo original')
    if (way === 'Approve') await card.getByRole('button', { name: 'Approve' }).click()
    else await card.getByRole('textbox').press('ControlOrMeta+Enter')
    await expect(page.getByText(/^Ran /)).toContainText('changed')
    await expect(page.getByText(/^Ran /)).toContainText('edited')
  }
})

test('C. The end of the conversation stays in sight, but a reader who scrolled up is not moved', async ({ open }) => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `Line ${index + 1}.`).join('\n\n')
  const seen = Promise.withResolvers<void>()
  const { page } = await open({
    scenario: (request) =>
      turnOf(request) === 0 ? { text: lines(120), pauseMs: 3 } : { text: lines(120), pauseMs: 20, after: seen.promise },
  })
  await message(page).fill('Talk')
  await button(page, 'Send').click()
  const end = page.getByRole('article', { name: 'Done' })
  await expect(end).toBeInViewport({ ratio: 1 })
  await message(page).fill('Talk again')
  await button(page, 'Send').click()
  // The reply moves the message out of sight, so it waits until that was seen.
  await expect(page.getByText('Talk again').last()).toBeInViewport()
  seen.resolve()
  await expect(button(page, 'Stop')).toBeVisible()
  await page.getByRole('list', { name: 'Conversation' }).hover()
  await page.mouse.wheel(0, -2500)
  await expect(button(page, 'Jump to latest')).toBeVisible()
  const place = () =>
    page
      .getByRole('list', { name: 'Conversation' })
      .evaluate((list) => list.closest('[data-virtuoso-scroller]')?.scrollTop)
  let before = await place()
  const rests = async () => {
    const earlier = before
    before = await place()
    return before === earlier
  }
  await expect.poll(rests, { message: 'the wheel has come to rest' }).toBe(true)
  await expect(button(page, 'Stop')).toHaveCount(0)
  expect(await place()).toBe(before)
  await button(page, 'Jump to latest').click()
  await expect(end.last()).toBeInViewport({ ratio: 1 })
})
