import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import { measureBatch } from '../agent/batches.ts'
import { proseOf } from '../store/prose.ts'
import { isQuick } from '../support/flags.ts'
import { temporaryFolder } from '../support/folders.ts'
import { summarise } from '../support/measure.ts'
import type { Row } from '../support/report.ts'
import { serve } from '../support/served.ts'
import { startStreamServer } from './stream-server.ts'
import { calm, journalRead, launch, watchPage } from './watched-page.ts'

const sizes = isQuick ? [1_000] : [1_000, 10_000]
const textBytes = 1_024

/** A thread whose batch of thousands of tasks is finished and merged, opened from nothing until all its branches are there. */
export async function familyRows(executablePath: string): Promise<readonly Row[]> {
  await using server = await startStreamServer()
  const browser = await launch(executablePath)
  try {
    const rows: Row[] = []
    for (const tasks of sizes) {
      using folder = temporaryFolder()
      await makeBatch(folder.path, tasks)
      const data = join(folder.path, 'data')
      await using served = await serve(data, join(folder.path, 'project'), { ANTHROPIC_BASE_URL: server.url })
      rows.push(...rowsOf(tasks, await openFamily(browser, served.url)))
    }
    return rows
  } finally {
    await browser.close()
  }
}

/** Every agent says a kilobyte in each of its three replies, reads three files and writes one. */
async function makeBatch(folder: string, tasks: number): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await measureBatch(folder, tasks, (task, turn) => proseOf(3 * Number(task.replace(/\D/g, '')) + turn, textBytes))
}

/** What opening a family costs in the page. */
export interface OpenedFamily {
  /** Milliseconds until every branch is there. */
  readonly took: number
  /** Milliseconds of the longest task of the page's main thread, in time of that thread. */
  readonly longest: number
  /** Megabytes that the host sent. */
  readonly sent: number
  /** Megabytes of the page's memory afterwards. */
  readonly heap: number
}

export async function openFamily(browser: Browser, url: string): Promise<OpenedFamily> {
  await using watched = await watchPage(browser, 'about:blank')
  const { page } = watched
  let sent = 0
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => (sent += payload.length)))
  let took = 0
  const [longest] = await watched.traced(async () => {
    const started = performance.now()
    await page.goto(url)
    // The agent's last words. The rest of the family is read from then on, or earlier.
    await page.getByText('Done.', { exact: true }).first().waitFor({ state: 'attached', timeout: 60_000 })
    await journalRead(page)
    took = performance.now() - started
    await calm(page)
  })
  const heap = await page.evaluate(heldMegabytes)
  return { took, longest: longest?.ms ?? 0, sent: sent / 1024 / 1024, heap }
}

function rowsOf(tasks: number, { took, longest, sent, heap }: OpenedFamily): readonly Row[] {
  const family = `a finished batch of ${tasks.toLocaleString('en')} tasks`
  return [
    {
      operation: `${family}: everything there, from nothing`,
      unit: 'ms',
      coppice: summarise([took]),
      goal: { text: '≤ 5 s', limit: 5_000 },
    },
    {
      operation: `${family}: longest task of the page`,
      unit: 'ms',
      coppice: summarise([longest]),
      goal: { text: '≤ 100 ms', limit: 100 },
    },
    { operation: `${family}: sent to the page`, unit: 'MB', coppice: summarise([sent]) },
    { operation: `${family}: heap of the page`, unit: 'MB', coppice: summarise([heap]) },
  ]
}

/** Runs in the page. */
function heldMegabytes(): number {
  globalThis.gc?.()
  return (
    (performance as unknown as { readonly memory: { readonly usedJSHeapSize: number } }).memory.usedJSHeapSize / 2 ** 20
  )
}
