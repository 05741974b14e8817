import { byTask, type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

const failing = 'Check tax rounding in the totals'
const careful = 'Look at the accounts'
const long = 'Find out why the totals of January are wrong by a cent, mend them, and check it with two agents'

test('agents are called after their tasks; one that failed goes on from the chat while another still works', async ({
  open,
}) => {
  let tries = 0
  const rest = byTask({
    [long]: [{ calls: [{ name: 'spawn_subagents', input: { tasks: [failing, careful] } }] }, { text: 'Both are in.' }],
    [failing]: [{ text: 'The rounding is right.' }],
    [careful]: [{ calls: [{ name: 'execute', input: { command: 'echo careful' } }] }, { text: 'Looked.' }],
  })
  const scenario: Scenario = (request, seen) => {
    if (taskOf(request).startsWith(failing) && turnOf(request) === 0) {
      tries += 1
      if (tries === 1) return { fault: { kind: 'status', status: 400, body: '{"error":{"message":"No such page."}}' } }
    }
    return rest(request, seen)
  }
  const { page } = await open({ scenario })
  await page.getByRole('textbox', { name: 'Message' }).fill(long)
  await page.getByRole('button', { name: 'Send' }).click()

  const card = page.getByRole('group', { name: 'Approval: execute by look-accounts' })
  await expect(card).toBeVisible()
  const chat = page.getByRole('list', { name: 'Conversation' })
  await expect(chat).toContainText('check-tax-rounding-totals failed.')
  await expect(page.getByRole('region', { name: 'Agents' })).toContainText('check-tax-rounding-totals')
  await expect(page.getByText(/subagent_\d/)).toHaveCount(0)
  await page.reload()
  await chat.getByRole('button', { name: 'Retry check-tax-rounding-totals' }).click()
  await expect(chat).not.toContainText('check-tax-rounding-totals failed.')
  await card.getByRole('button', { name: 'Keep', exact: true }).click()
  await expect(chat).toContainText('Both are in.')

  await page.setViewportSize({ width: 640, height: 700 })
  await page
    .getByRole('button', { name: 'Toggle inspector' })
    .or(page.getByRole('button', { name: /inspector/i }))
    .first()
    .click()
  await page.getByRole('button', { name: 'Open check-tax-rounding-totals' }).click()
  const child = page.getByRole('navigation', { name: 'Agents' }).getByText('check-tax-rounding-totals')
  const isCut = (element: HTMLElement) => element.scrollWidth > element.clientWidth
  await expect(child).toBeVisible()
  expect(await child.evaluate(isCut), 'the agent is whole').toBe(false)
  const parent = page.getByRole('button', { name: /^Back to/ }).locator('span')
  expect(await parent.evaluate(isCut), 'its task is cut').toBe(true)
})
