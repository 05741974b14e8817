import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { lastResults, type Scenario } from '../model-server/scenario.ts'
import { examine, seriousIn } from '../support/axe.ts'
import { startLoginServer } from '../support/login-server.ts'
import { expect, test } from '../support/window.ts'

const scenario: Scenario = (request) => {
  const results = [...lastResults(request).values()]
  if (results.length === 0) return { calls: [{ name: 'mcp__tracker__add', input: { a: 20, b: 22 } }] }
  return { text: `It said: ${results.join()}` }
}

/** The person logs in on the page that opens. */
async function agree(context: BrowserContext, click: () => Promise<void>): Promise<void> {
  const opening = context.waitForEvent('page')
  await click()
  const login = await opening
  for (;;) {
    const agreeing = login.getByRole('button', { name: 'Agree' })
    const done = login.getByText('You are logged in.')
    await expect(agreeing.or(done)).toBeVisible()
    if (await done.isVisible()) break
    await agreeing.click()
  }
  await login.close()
}

test('A server that needs a login gets one in the settings, and again below the call that failed for want of it', async ({
  open,
  dataFolder,
}, { project }) => {
  test.skip(project.name === 'desktop', 'The desktop app opens a browser of its own.')
  await using server = await startLoginServer()
  const settings = { mcp_servers: { tracker: { url: server.url } }, permissions: { allow: ['mcp__*'] } }
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify(settings))
  const { page } = await open({ scenario })
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'MCP servers' }).click()
  const card = page.getByRole('listitem', { name: 'tracker' })
  await card.getByRole('button', { name: 'Trust tracker' }).click()
  await expect(card).toContainText('Needs a login')
  expect(seriousIn(await examine(page))).toEqual([])
  await agree(page.context(), () => card.getByRole('button', { name: 'Log in to tracker' }).click())
  await expect(card).toContainText(`Logged in at ${server.issuer}`)
  await expect(card).toContainText('Connected')
  await page.getByRole('button', { name: 'Back' }).click()
  server.expire()
  server.dropRefreshTokens()
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('Add 20 and 22')
  await message.press('Enter')
  await expect(page.getByText('tracker needs a login.')).toBeVisible()
  expect(seriousIn(await examine(page))).toEqual([])
  await agree(page.context(), () => page.getByRole('button', { name: 'Log in to tracker' }).press('Enter'))
  await expect(page.getByText('You are logged in now.')).toBeVisible()
  await message.fill('Again')
  await message.press('Enter')
  await expect(page.getByText('It said: 42')).toBeVisible()
})
