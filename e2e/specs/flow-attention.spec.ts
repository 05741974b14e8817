import type { Page } from '@playwright/test'
import { type Scenario, turnOf } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

const scenario: Scenario = (request) =>
  turnOf(request) === 0 ? { calls: [{ name: 'execute', input: { command: 'true' } }] } : { text: 'All done.' }

interface Told {
  readonly title: string
  readonly body: string
}

/**
 * Replaces the system's notifications with a list, for a person who looks elsewhere and allowed notifications.
 * Returns a function that reads the list.
 */
async function lookElsewhere(page: Page): Promise<() => Promise<readonly Told[]>> {
  await page.evaluate(() => {
    const told: Told[] = []
    class Listed extends EventTarget {
      static readonly permission = 'granted'
      constructor(title: string, { body = '' }: NotificationOptions = {}) {
        super()
        told.push({ title, body })
        Object.assign(window, { told, lastNotification: this })
      }
      close(): void {}
    }
    Object.assign(window, { Notification: Listed, told })
    document.hasFocus = () => false
  })
  return () => page.evaluate(() => (window as unknown as { told: Told[] }).told)
}

test('A person who looks elsewhere is told who needs them, and a click leads there; nothing takes the focus', async ({
  open,
}) => {
  const { page } = await open({ scenario })
  test.skip(test.info().project.name !== 'web', 'the desktop shell notifies from its main process')
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('Run it')
  const told = await lookElsewhere(page)
  await message.press('Enter')
  await expect.poll(told).toEqual([{ title: 'main needs you', body: 'It ran a command. Look at what it did: true' }])
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message')
  await page.getByRole('button', { name: 'New thread' }).click()
  await expect(page.getByRole('group', { name: 'Approval: execute by main' })).toHaveCount(0)
  await page.evaluate(() =>
    (window as unknown as { lastNotification: EventTarget }).lastNotification.dispatchEvent(new Event('click')),
  )
  const card = page.getByRole('group', { name: 'Approval: execute by main' })
  await expect(card).toBeVisible()
  await card.getByRole('button', { name: 'Keep', exact: true }).click()
  await expect(page.getByText('All done.')).toBeVisible()
  await expect(page).toHaveTitle('ledger – Coppice')
  expect(await told()).toHaveLength(1)
})
