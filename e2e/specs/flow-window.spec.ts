import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scenario } from '../model-server/scenario.ts'
import { beginThread, expect, test } from '../support/window.ts'

const writes: Scenario = (request) =>
  request.messages.length > 1
    ? { text: 'Written.' }
    : { calls: [{ name: 'write_file', input: { file_path: '/new.txt', content: 'new\n' } }] }

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
  const fresh = await restart()
  // Its host goes with the test, and a page that still loads would miss it.
  await expect(fresh.getByRole('textbox', { name: 'Message' })).toBeVisible()
  await expect(page.getByText('This page is not allowed to use Coppice')).toBeVisible()
  await expect(page.getByRole('region', { name: 'What you typed and did not send' })).toContainText('half a thought')
})

test('A folder asks for trust in one line, and shows on request what it would load', async ({ open, project }) => {
  project.mayChange()
  mkdirSync(join(project.folder, '.coppice/agents'), { recursive: true })
  writeFileSync(
    join(project.folder, '.coppice/agents/tester.md'),
    '---\nname: tester\ndescription: Tests\n---\nTest.\n',
  )
  const { page } = await open()
  const card = page.getByRole('region', { name: 'Trust this folder?' })
  await expect(card.getByRole('button', { name: 'Trust', exact: true })).toBeVisible()
  expect((await card.boundingBox())?.height).toBeLessThan(44)
  await expect(card).not.toContainText('.coppice/agents')
  await card.getByRole('button', { name: 'Review…' }).click()
  await expect(card).toContainText('.coppice/agents')
  await card.getByRole('button', { name: 'Trust', exact: true }).click()
  await expect(card).toHaveCount(0)
})

test('A very wide window keeps the chat beside the other tabs, and a narrow one cuts nothing of its status', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('A very wide window keeps the chat beside the other tabs, with a border that is remembered', async () => {
    await beginThread(page, model, writes)
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

  await test.step('A narrow status bar leaves out what matters least and cuts nothing', async () => {
    await beginThread(page, model, writes)
    await page.getByRole('textbox', { name: 'Message' }).fill('Write it')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('Written.')).toBeVisible()
    const bar = page.getByRole('region', { name: 'Status' })
    const shown = (await page.getByRole('button', { name: /^Model: / }).innerText()).trim()
    await expect(bar, 'the model has one name').toContainText(shown)
    for (const width of [1440, 1100, 1000, 900, 800, 720, 640, 560, 480]) {
      await page.setViewportSize({ width, height: 800 })
      const cut = await bar.evaluate((element) =>
        [...element.querySelectorAll('span, button')]
          .filter((part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1)
          .map((part) => part.textContent),
      )
      expect(cut, `${width} px`).toEqual([])
      const [box, last] = [await bar.boundingBox(), await bar.locator('svg').last().boundingBox()]
      expect(last && box && last.x + last.width <= box.x + box.width, `${width} px`).toBe(true)
    }
    await expect(bar).toContainText('this thread')
    await expect(bar.getByText(shown)).toBeHidden()
  })
})
