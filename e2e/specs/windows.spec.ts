import type { Page, WebSocketRoute } from '@playwright/test'
import { lastResults, type Scenario, turnOf } from '../model-server/scenario.ts'
import { secondTab } from '../support/tabs.ts'
import { expect, test } from '../support/window.ts'

// These are about calls that ask before they run.
test.use({ commands: 'before' })

const asks: Scenario = (request) =>
  turnOf(request) > 0
    ? { text: `Result: ${[...lastResults(request).values()].join().replaceAll('\n', ' ')}` }
    : { calls: [{ name: 'execute', id: 'one', input: { command: 'echo ran >> ran.txt; wc -l < ran.txt' } }] }

const card = (page: Page) => page.getByRole('group', { name: 'Approval: execute by main' })
const approve = (page: Page) => card(page).getByRole('button', { name: 'Approve' }).click()

async function start(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill('Run it')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(card(page)).toBeVisible()
}

/** Holds or cuts the sockets of a page. While they are held, nothing arrives; before, they let everything through. */
async function holdable(page: Page) {
  const held: (() => void)[] = []
  const routes: WebSocketRoute[] = []
  let holding = false
  let refusing = false
  await page.routeWebSocket(/\/rpc$/, (route) => {
    if (refusing) return void route.close()
    const server = route.connectToServer()
    routes.push(route)
    server.onMessage((message) => {
      if (holding) held.push(() => route.send(message))
      else route.send(message)
    })
  })
  return {
    hold: () => {
      holding = true
    },
    release: () => {
      holding = false
      for (const send of held.splice(0)) send()
    },
    cut: async () => {
      refusing = true
      for (const route of routes.splice(0)) await route.close()
    },
    mend: () => {
      refusing = false
    },
  }
}

test('Two windows: after one decides, the card in the other goes away and says why', async ({ open }) => {
  const { page } = await open({ scenario: asks })
  await start(page)
  const other = await secondTab(page)
  await expect(card(other)).toBeVisible()
  await expect(card(other).getByRole('button', { name: 'Approve' })).toBeEnabled()
  await approve(page)
  await expect(card(other)).toHaveCount(0)
  await expect(other.getByText('decided elsewhere')).toBeVisible()
  await expect(page.getByText('decided elsewhere')).toHaveCount(0)
  await expect(page.getByText('Result: 1')).toBeVisible()
})

test('Two windows decide at once: one decision counts, and the later window is told', async ({ open }) => {
  const { page } = await open({ scenario: asks })
  await start(page)
  let line: Awaited<ReturnType<typeof holdable>> | undefined
  const other = await secondTab(page, async (tab) => {
    line = await holdable(tab)
  })
  await expect(card(other).getByRole('button', { name: 'Reject' })).toBeEnabled()
  line?.hold()
  await approve(page)
  await expect(page.getByText('Result: 1')).toBeVisible()
  await card(other).getByRole('button', { name: 'Reject' }).click()
  line?.release()
  await expect(other.getByText('decided elsewhere').first()).toBeVisible()
  await expect(other.getByText('Result: 1')).toBeVisible()
})

test('Two windows show the same typed, queued and steered messages', async ({ open }) => {
  const { page } = await open({ scenario: asks })
  await start(page)
  const other = await secondTab(page)
  const message = (of: Page) => of.getByRole('textbox', { name: 'Message' })
  await expect(card(other)).toBeVisible()
  await message(page).fill('half a thou')
  await expect(message(other)).toHaveValue('half a thou')
  await message(other).fill('half a thought, and the rest')
  await other.getByRole('button', { name: 'Send' }).click()
  await expect(message(page)).toHaveValue('')
  const queued = (of: Page) => of.getByRole('article', { name: 'You' }).filter({ hasText: 'Queued' })
  for (const tab of [page, other]) await expect(queued(tab)).toContainText('half a thought, and the rest')
  await approve(page)
  for (const tab of [page, other]) {
    await expect(queued(tab)).toHaveCount(0)
    await expect(tab.getByText('half a thought, and the rest').first()).toBeVisible()
  }
})

test('I. A window whose connection breaks keeps the draft and gets everything it missed', async ({ open }) => {
  const { page } = await open({ scenario: asks })
  await start(page)
  let line: Awaited<ReturnType<typeof holdable>> | undefined
  const other = await secondTab(page, async (tab) => {
    line = await holdable(tab)
  })
  const message = other.getByRole('textbox', { name: 'Message' })
  await expect(card(other)).toBeVisible()
  await message.fill('And then this')
  await line?.cut()
  await expect(other.getByText('Reconnecting…')).toBeVisible()
  await expect(other.getByRole('alert').filter({ hasText: 'Connection lost.' })).toBeVisible()
  await approve(page)
  await expect(page.getByText('Result: 1')).toBeVisible()
  await expect(other.getByText('Result: 1')).toHaveCount(0)
  line?.mend()
  await expect(other.getByText('Connected')).toBeVisible()
  await expect(other.getByText('Result: 1')).toHaveCount(1)
  await expect(message).toHaveValue('And then this')
  await expect(message, 'the focus stays where it was').toBeFocused()
  await other.keyboard.press('Enter')
  await expect(page.getByText('And then this').first()).toBeVisible()
})
