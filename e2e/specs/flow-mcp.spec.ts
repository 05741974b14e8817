import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastResults, type Scenario, turnOf } from '../model-server/scenario.ts'
import { examine, seriousIn } from '../support/axe.ts'
import { root } from '../support/coppice.ts'
import { expect, test } from '../support/window.ts'

test('K. A server of the project is shown exactly, then trusted and tested, and asks for approval of each call', async ({
  open,
  project,
}) => {
  project.mayChange()
  const args = [join(root, 'e2e/support/mcp-server.ts'), 'good', 'with space\u202e']
  writeFileSync(
    join(project.folder, '.mcp.json'),
    JSON.stringify({ mcpServers: { adder: { command: process.execPath, args } } }),
  )
  const scenario: Scenario = (request) =>
    turnOf(request) === 0
      ? { calls: [{ name: 'mcp__adder__add', input: { a: 20, b: 22 } }] }
      : { text: `It is ${[...lastResults(request).values()].join()}.` }
  const { page } = await open({ scenario })
  await page.getByRole('button', { name: 'Trust', exact: true }).click()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'MCP servers' }).click()
  const server = page.getByRole('listitem', { name: 'adder' })
  await expect(server).toContainText('Not trusted')
  await expect(server).toContainText('\\u202e')
  await server.getByRole('button', { name: 'Trust adder' }).click()
  await expect(server).toContainText('Connected')
  await server.getByText(/^5 tools/).click()
  await expect(server).toContainText('Adds two numbers.')
  const found = await examine(page)
  expect(seriousIn(found)).toEqual([])
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('Add 20 and 22')
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  const approval = page.getByRole('group', { name: 'Approval: mcp__adder__add by main' })
  await approval.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByText('It is 42.')).toBeVisible()
})
