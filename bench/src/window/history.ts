import type { Browser } from '@playwright/test'
import { isQuick } from '../support/flags.ts'
import { type Sample, summarise } from '../support/measure.ts'
import { type Row, versus } from '../support/report.ts'
import { serve } from '../support/served.ts'
import { addThread, lastWords, type MadeProject, makeJournal } from './journals.ts'
import { startStreamServer } from './stream-server.ts'
import { journalRead, launch } from './watched-page.ts'

const many = isQuick ? 100_000 : 1_000_000
const entriesOfThread = 1_000
/** Two entries for each message. */
const messages = entriesOfThread / 2
const runs = 7

/** A page opened from nothing, until its thread and everything it needs is there: over a long history, and over a new one. */
export async function historyRows(executablePath: string): Promise<readonly Row[]> {
  await using server = await startStreamServer()
  using little = await makeHistory(entriesOfThread)
  using long = await makeHistory(many)
  const environment = { ANTHROPIC_BASE_URL: server.url }
  await using littleHost = await serve(little.dataFolder, little.folder, environment)
  await using longHost = await serve(long.dataFolder, long.folder, environment)
  const browser = await launch(executablePath)
  try {
    const [few, own]: [number[], number[]] = [[], []]
    for (let run = 0; run <= runs; run += 1) {
      few.push(await openPage(browser, littleHost.url, titleOf(0)))
      own.push(await openPage(browser, longHost.url, titleOf(many - entriesOfThread)))
    }
    const sample = (times: readonly number[]): Sample => summarise(times.slice(1))
    return [
      {
        operation: `project of ${many.toLocaleString('en')} entries: thread shown and everything there, from nothing`,
        unit: 'ms',
        coppice: sample(own),
        ...versus('one of 1,000', sample(few), 1.3),
      },
    ]
  } finally {
    await browser.close()
  }
}

const titleOf = (made: number) => `Thread ${made}`

function makeHistory(entries: number): Promise<MadeProject> {
  return makeJournal((project) => {
    for (let made = 0; made < entries; made += entriesOfThread) addThread(project, titleOf(made), messages)
  })
}

async function openPage(browser: Browser, url: string, title: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const started = performance.now()
  await page.goto(url)
  await page.getByText(lastWords(title, messages)).first().waitFor({ state: 'attached' })
  await journalRead(page)
  const took = performance.now() - started
  await page.close()
  return took
}
