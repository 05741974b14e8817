import type { Page } from '@playwright/test'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import type { Project } from '../../../src/main/host/project/project.ts'
import { isQuick } from '../support/flags.ts'
import { figuresOf, summarise, timed } from '../support/measure.ts'
import { type Row, versus } from '../support/report.ts'
import { serve } from '../support/served.ts'
import { changeWorkspace, startWorkspace } from '../support/workspace.ts'
import { addThread, lastWords, makeJournal } from './journals.ts'
import { say } from './saying.ts'
import { startStreamServer } from './stream-server.ts'
import { atRest, launch, type WatchedPage, watchPage } from './watched-page.ts'

const messages = 5_000
const diffLines = 50_000
const keys = isQuick ? 40 : 100
const speechLength = isQuick ? 200_000 : 400_000
/** The actions of a person in a window with a long thread: typing, opening the palette, opening a long diff. */
export async function handlingRows(executablePath: string): Promise<readonly Row[]> {
  await using server = await startStreamServer()
  using project = await makeJournal(fill)
  await using served = await serve(project.dataFolder, project.folder, { ANTHROPIC_BASE_URL: server.url })
  const browser = await launch(executablePath)
  try {
    await using watched = await watchPage(browser, served.url)
    const { page } = watched
    await page.getByText(lastWords('Long', messages)).first().waitFor({ state: 'attached', timeout: 120_000 })
    await atRest(page)
    const palette = await figuresOf(() => openPalette(page))
    const idle = await typed(page)
    const heard = await say(page, server, speechLength)
    await page.locator('article[aria-busy]').waitFor()
    const streaming = await typed(page)
    await heard()
    await page.getByRole('button', { name: /^Diff/ }).first().click()
    const diff = await openDiff(watched)
    return [
      { operation: 'palette opens', unit: 'ms', coppice: summarise(palette), goal: { text: '≤ 30 ms', limit: 30 } },
      {
        operation: 'a key typed while a reply streams, until its frame',
        unit: 'ms',
        coppice: summarise(streaming),
        ...versus('while nothing streams', summarise(idle), 1.3),
      },
      {
        operation: 'diff of 50k lines: longest task',
        unit: 'ms',
        coppice: summarise(diff),
        goal: { text: '≤ 50 ms', limit: 50 },
      },
    ]
  } finally {
    await browser.close()
  }
}

async function fill(project: Project): Promise<void> {
  const workspace = startWorkspace(project)
  const text = Array.from({ length: diffLines }, (_, line) => `export const line${line} = ${line}\n`).join('')
  await changeWorkspace(workspace, [{ path: 'long.ts', text }])
  appendTo(project.services.log, [{ type: 'thread.titled', threadId: workspace.threadId, title: 'Diff' }])
  addThread(project, 'Long', messages)
}

/** Milliseconds from the key to the frame that shows the palette's field. */
async function openPalette(page: Page): Promise<number> {
  const figure = await page.evaluate(async () => {
    const started = performance.now()
    window.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'k', code: 'KeyK', ctrlKey: true, bubbles: true, cancelable: true }),
    )
    while (!document.querySelector('[role=dialog] input'))
      await new Promise((resolve) => requestAnimationFrame(resolve))
    await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now() - started
  })
  await page.keyboard.press('Escape')
  await page.locator('[role=dialog]').waitFor({ state: 'detached' })
  return figure
}

/** Milliseconds from each key to the frame after the one that shows it. */
async function typed(page: Page): Promise<readonly number[]> {
  await page.evaluate(() => {
    globalThis.keyTimes = []
    document.addEventListener('keydown', ({ timeStamp }) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => globalThis.keyTimes.push(performance.now() - timeStamp)
        port2.postMessage(null)
      })
    })
  })
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.pressSequentially('x'.repeat(keys), { delay: 50 })
  const times = await page.evaluate(() => globalThis.keyTimes)
  await message.fill('')
  return times
}

declare global {
  var keyTimes: number[]
}

async function openDiff(watched: WatchedPage): Promise<readonly number[]> {
  const { page } = watched
  await page.getByRole('tab', { name: 'Changes' }).click()
  const row = page.getByRole('row', { name: '/long.ts' })
  await row.waitFor()
  const tasks = await watched.traced(async () => {
    const ms = await timed(async () => {
      await row.click()
      await page.getByText('export const line9 = 9').first().waitFor()
    })
    process.stdout.write(`The diff was there after ${ms.toFixed(0)} ms\n`)
  })
  return [tasks[0]?.ms ?? Number.NaN]
}
