import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EntryBody } from '#shared/model/entry.ts'
import type { MessageId } from '#shared/model/ids.ts'
import { type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { storeThreads } from '../support/stored-threads.ts'
import { expect, test } from '../support/window.ts'

const threads = 1_000

/** One question and one answer. */
function oneTurn(number: number): readonly EntryBody[] {
  const said = { role: 'user', messageId: `q${number}` as MessageId, origin: 'person' } as const
  const replied = { role: 'assistant', messageId: `a${number}` as MessageId, stopReason: 'end_turn' } as const
  const words = number === 0 ? 'about the zebra' : 'about horses'
  return [
    { type: 'message', message: { ...said, content: [{ type: 'text', text: `Question ${number} ${words}` }] } },
    { type: 'run.started' },
    { type: 'message', message: { ...replied, content: [{ type: 'text', text: `Answer ${number}.` }] } },
    { type: 'run.ended', status: 'done', reason: 'completed', message: '' },
  ]
}

test('1,000 threads: only rows in sight are rendered, a search finds the oldest, and each opens', async ({
  open,
  project,
  dataFolder,
}) => {
  const made = Array.from({ length: threads }, (_, number) => ({ title: `Task ${number}`, bodies: oneTurn(number) }))
  storeThreads(dataFolder, project.folder, made)
  const { page } = await open()
  const list = page.getByRole('navigation', { name: 'Threads' })
  await expect(list.getByRole('button', { name: `Task ${threads - 1}`, exact: true })).toBeVisible()
  await expect(list.locator('summary')).toContainText('1000')
  expect(await list.getByRole('listitem').count()).toBeLessThan(100)

  await list
    .getByRole('button', { name: /^Task \d+$/ })
    .first()
    .focus()
  await page.keyboard.press('End')
  await expect(list.getByRole('button', { name: 'Task 0', exact: true })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tabpanel')).toContainText('Answer 0.')
  await list.getByRole('button', { name: 'Task 0', exact: true }).focus()
  await page.keyboard.press('Home')
  const first = list.getByRole('button', { name: `Task ${threads - 1}`, exact: true })
  await expect(first).toBeVisible()
  await first.click()
  await expect(page.getByRole('tabpanel')).toContainText(`Answer ${threads - 1}.`)
  expect(await list.getByRole('listitem').count()).toBeLessThan(100)

  await page.getByRole('searchbox', { name: 'Search threads' }).fill('zebra')
  const hit = list.getByRole('button', { name: /about the zebra/ })
  await expect(hit).toHaveCount(1)
  await hit.click()
  await expect(page.getByRole('group', { name: 'Found message' })).toContainText('Question 0 about the zebra')
})

const agents = Array.from({ length: 10 }, (_, index) => `writer-${index}`)
const callsEach = 20

/** Ten agents that each want to write 19 files in one reply, and to push. */
const manyCalls: Scenario = (request) => {
  const name = agents.find((one) => taskOf(request).startsWith(one))
  if (turnOf(request) > 0) return { text: `${name ?? 'main'} is through.` }
  if (!name)
    return { calls: [{ name: 'spawn_subagents', input: { tasks: agents.map((task) => ({ task, name: task })) } }] }
  const writes = Array.from({ length: callsEach - 1 }, (_, file) => ({
    name: 'write_file',
    input: { file_path: `/${name}/${file}.txt`, content: `${file}\n` },
  }))
  return { calls: [...writes, { name: 'execute', input: { command: 'git push origin main' } }] }
}

test('200 waiting calls: F8 walks them, those of low risk are kept together, and the window answers meanwhile', async ({
  open,
  dataFolder,
}) => {
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ approval_mode: 'ask' }))
  const { page } = await open({ scenario: manyCalls })
  await page.getByRole('textbox', { name: 'Message' }).fill('main')
  await page.getByRole('button', { name: 'Send' }).click()
  const inbox = page.getByRole('region', { name: 'Approvals' })
  await expect(inbox.getByRole('listitem')).toHaveCount(200)
  await expect(page).toHaveTitle(/^\(200\)/)

  const focused = page.locator('fieldset:focus')
  for (const place of ['1 of 200', '2 of 200', '3 of 200']) {
    await page.keyboard.press('F8')
    await expect(focused).toContainText(place)
    await expect(focused).toBeInViewport()
  }
  await page.keyboard.press('Shift+F8')
  await page.keyboard.press('Shift+F8')
  await page.keyboard.press('Shift+F8')
  await expect(focused, 'it goes around').toContainText('200 of 200')
  await expect(focused).toBeInViewport()

  const drawn = await page.evaluateHandle(() => {
    const seen = { frames: 0 }
    const frame = (): void => {
      seen.frames += 1
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
    return seen
  })
  await inbox.getByRole('button', { name: 'Keep 190 low-risk' }).click()
  const dialog = page.getByRole('dialog', { name: 'Keep what 190 calls of low risk did?' })
  await expect(dialog).toContainText('/writer-9/18.txt')
  await dialog.getByRole('button', { name: 'Keep these 190' }).click()
  await expect(inbox.getByRole('listitem')).toHaveCount(10)
  expect(await drawn.evaluate(({ frames }) => frames), 'the window was drawn meanwhile').toBeGreaterThan(10)
  await page.keyboard.press('F8')
  await expect(focused).toContainText('git push origin main')

  await page.keyboard.press('Control+k')
  const search = page.getByRole('dialog', { name: 'Search or run a command' }).getByRole('combobox')
  await expect(search).toBeFocused()
  await page.keyboard.press('F8')
  await page.keyboard.press('y')
  await expect(search, 'no key reaches a card behind the palette').toHaveValue('y')
  await page.keyboard.press('Escape')
  await expect(inbox.getByRole('listitem')).toHaveCount(10)
})
