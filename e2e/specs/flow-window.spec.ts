import type { Scenario } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

const writes: Scenario = (request) =>
  request.messages.length > 1
    ? { text: 'Written.' }
    : { calls: [{ name: 'write_file', input: { file_path: '/new.txt', content: 'new\n' } }] }

test('A very wide window keeps the chat beside the other tabs, with a border that is remembered', async ({ open }) => {
  const { page } = await open({ scenario: writes })
  await page.getByRole('textbox', { name: 'Message' }).fill('Write it')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Written.')).toBeVisible()
  await page.getByRole('tab', { name: 'Changes' }).click()
  const message = page.getByRole('textbox', { name: 'Message' })
  await expect(message).toHaveCount(0)
  await page.setViewportSize({ width: 1920, height: 1000 })
  await expect(page.getByRole('region', { name: 'Chat' })).toBeVisible()
  await expect(page.getByRole('tabpanel', { name: 'Changes' })).toContainText('new.txt')
  await message.fill('typed beside the changes')
  const border = page.getByRole('separator', { name: 'Resize chat' })
  const before = (await border.boundingBox())?.x ?? 0
  await border.focus()
  for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowLeft')
  await expect.poll(async () => (await border.boundingBox())?.x).toBeLessThan(before)
  const after = (await border.boundingBox())?.x ?? 0
  await page.getByRole('tab', { name: 'Branches' }).click()
  await expect(message).toHaveValue('typed beside the changes')
  await page.reload()
  await expect(message).toHaveValue('typed beside the changes')
  await expect.poll(async () => Math.abs(((await border.boundingBox())?.x ?? 0) - after)).toBeLessThan(3)
  await page.getByRole('tab', { name: 'Chat' }).click()
  await expect(border).toHaveCount(0)
})

test('A tour of three steps stands on Home until it is hidden', async ({ open }) => {
  const { page } = await open({ folder: null })
  const tour = page.getByRole('region', { name: 'How it works' })
  await expect(tour.getByRole('listitem')).toHaveCount(3)
  await tour.getByRole('button', { name: 'Hide' }).click()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
  await expect(tour).toHaveCount(0)
  await page.getByRole('button', { name: 'How it works' }).click()
  await expect(tour).toBeVisible()
})

test('A window whose host was started anew shows what was typed and not sent', async ({ open }) => {
  const { page, restart } = await open()
  await page.getByRole('textbox', { name: 'Message' }).fill('half a thought')
  await restart()
  await expect(page.getByText('This page is not allowed to use Coppice')).toBeVisible()
  await expect(page.getByRole('region', { name: 'What you typed and did not send' })).toContainText('half a thought')
})
