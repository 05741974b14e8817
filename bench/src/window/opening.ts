import type { Browser, Page } from '@playwright/test'
import { type Sample, summarise } from '../support/measure.ts'
import { type Row, versus } from '../support/report.ts'
import { serve } from '../support/served.ts'
import { addThread, lastWords, makeJournal } from './journals.ts'
import { bundledPage } from './peers/bundle.ts'
import { shownAfter } from './shown-after.ts'
import { startStreamServer } from './stream-server.ts'
import { atRest, journalRead, launch } from './watched-page.ts'

const threads = [
  { title: 'Fifty', messages: 50_000 },
  { title: 'Five', messages: 5_000 },
] as const
const runs = 7

/** Goal 17: the time to open a thread from the list of an open project. */
export async function openingRows(executablePath: string): Promise<readonly Row[]> {
  await using server = await startStreamServer()
  using project = await makeJournal((opened) => {
    addThread(opened, 'Little', 4)
    for (const { title, messages } of threads) addThread(opened, title, messages)
  })
  await using served = await serve(project.dataFolder, project.folder, { ANTHROPIC_BASE_URL: server.url })
  const browser = await launch(executablePath)
  try {
    const lists = await openPage(browser, server.page('list', await bundledPage('list.tsx')))
    const started = performance.now()
    const page = await openPage(browser, served.url)
    await page.getByText(lastWords('Five', 5_000)).first().waitFor({ state: 'attached' })
    const shown = performance.now() - started
    await journalRead(page)
    const read = performance.now() - started
    await atRest(page)
    const [fifty, five] = [await openings(page, lists, 0), await openings(page, lists, 1)]
    return [
      {
        operation: 'thread of 5k messages: opened again',
        unit: 'ms',
        coppice: five.own,
        ...versus('empty list', five.list, 3),
      },
      {
        operation: 'thread of 50k messages: opened again',
        unit: 'ms',
        coppice: fifty.own,
        ...versus('empty list', fifty.list, 3),
      },
      {
        operation: 'thread of 50k messages: opened again',
        unit: 'ms',
        coppice: fifty.own,
        ...versus('of 5k', five.own, 1.3),
      },
      {
        operation: 'project of 110k entries: the end of a thread, from nothing',
        unit: 'ms',
        coppice: summarise([shown]),
      },
      { operation: 'project of 110k entries: all of it, from nothing', unit: 'ms', coppice: summarise([read]) },
    ]
  } finally {
    await browser.close()
  }
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(url)
  return page
}

async function openings(
  page: Page,
  lists: Page,
  which: 0 | 1,
): Promise<{ readonly own: Sample; readonly list: Sample }> {
  const { title, messages } = threads[which]
  const [own, list]: [number[], number[]] = [[], []]
  for (let run = 0; run <= runs; run += 1) {
    await open(page, 'Little', 4)
    own.push(await open(page, title, messages))
    list.push(await emptyList(lists, messages))
  }
  return { own: summarise(own.slice(1)), list: summarise(list.slice(1)) }
}

function open(page: Page, title: string, messages: number): Promise<number> {
  return shownAfter(page, {
    click: 'button[data-row]',
    text: title,
    until: '[role=listitem]',
    untilText: lastWords(title, messages),
  })
}

function emptyList(page: Page, rows: number): Promise<number> {
  return page.evaluate(async (count) => {
    const started = performance.now()
    const shown = globalThis.openEmptyList(count)
    while (!document.querySelector(shown)?.checkVisibility({ visibilityProperty: true }))
      await new Promise((resolve) => requestAnimationFrame(resolve))
    await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now() - started
  }, rows)
}
