import type { Browser } from '@playwright/test'
import { summarise } from '../support/measure.ts'
import type { Row } from '../support/report.ts'
import { serve } from '../support/served.ts'
import { addThread, lastWords, makeJournal } from './journals.ts'
import { startStreamServer } from './stream-server.ts'
import { launch } from './watched-page.ts'

const messages = 300
const runs = 9

/** What a person sees of a new page with a usual thread: something at all, and then the thread. */
export async function firstLookRows(executablePath: string): Promise<readonly Row[]> {
  await using server = await startStreamServer()
  using project = await makeJournal((opened) => void addThread(opened, 'Usual', messages))
  await using served = await serve(project.dataFolder, project.folder, { ANTHROPIC_BASE_URL: server.url })
  const browser = await launch(executablePath)
  try {
    const looks: Look[] = []
    for (let run = 0; run <= runs; run += 1) looks.push(await firstLook(browser, served.url))
    const counted = looks.slice(1)
    return [
      {
        operation: 'new page: first paint, after its script began',
        unit: 'ms',
        coppice: summarise(counted.map(({ paint }) => paint)),
        goal: { text: '≤ 150 ms', limit: 150 },
      },
      {
        operation: `new page: a thread of ${messages} messages, after its script began`,
        unit: 'ms',
        coppice: summarise(counted.map(({ thread }) => thread)),
        goal: { text: '≤ 500 ms', limit: 500 },
      },
    ]
  } finally {
    await browser.close()
  }
}

/** Milliseconds after the scripts of the page could run: all of them were there, and the document was read. */
interface Look {
  readonly paint: number
  readonly thread: number
}

async function firstLook(browser: Browser, url: string): Promise<Look> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  try {
    await page.addInitScript(noteWords, lastWords('Usual', messages))
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForFunction(() => globalThis.wordsShown !== undefined, undefined, { timeout: 60_000 })
    return await page.evaluate(() => {
      const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN
      const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
      const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      const scripts = resources.filter(({ name, startTime }) => name.endsWith('.js') && startTime < paint)
      const ready = Math.max(document?.domInteractive ?? 0, ...scripts.map(({ responseEnd }) => responseEnd))
      return { paint: paint - ready, thread: (globalThis.wordsShown ?? Number.NaN) - ready }
    })
  } finally {
    await page.close()
  }
}

declare global {
  /** When the words were in sight, in the page's own time. */
  var wordsShown: number | undefined
}

/** Runs in the page. Looks once a frame whether the words are in sight. */
function noteWords(words: string): void {
  const look = (): void => {
    const items = [...document.querySelectorAll<HTMLElement>('[role=listitem]')]
    const found = items.some(
      (item) => item.textContent?.includes(words) && item.checkVisibility({ visibilityProperty: true }),
    )
    if (found) globalThis.wordsShown = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
