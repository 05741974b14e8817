import { settled } from '../../../e2e/support/settled.ts'
import { isQuick } from '../support/flags.ts'
import { summarise } from '../support/measure.ts'
import type { Row } from '../support/report.ts'
import { serve } from '../support/served.ts'
import { addThread, lastWords, makeJournal } from './journals.ts'
import { say } from './saying.ts'
import { startStreamServer } from './stream-server.ts'
import { atRest, launch, type WatchedPage, watchPage } from './watched-page.ts'

const messages = 5_000
const minutes = isQuick ? 1 : 10
/** Characters of one reply. */
const replyLength = 100_000
/** Replies to wait for until code is compiled and lists have their sizes. */
const warmUps = 4

/**
 * The memory that a page keeps of its past content. For ten minutes, a model writes 20 KB a second into a thread of
 * 5,000 messages.
 */
export async function memoryRows(executablePath: string): Promise<readonly Row[]> {
  await using server = await startStreamServer()
  using project = await makeJournal((opened) => void addThread(opened, 'Long', messages))
  await using served = await serve(project.dataFolder, project.folder, { ANTHROPIC_BASE_URL: server.url })
  const browser = await launch(executablePath)
  try {
    await using watched = await watchPage(browser, served.url)
    await watched.page.getByText(lastWords('Long', messages)).first().waitFor({ state: 'attached', timeout: 120_000 })
    await atRest(watched.page)
    for (let reply = 0; reply < warmUps; reply += 1) await (await say(watched.page, server, replyLength))()
    const before = await heapNow(watched)
    let replies = 0
    for (const until = Date.now() + minutes * 60_000; Date.now() < until; replies += 1)
      await (await say(watched.page, server, replyLength))()
    const after = await heapNow(watched)
    const perKilobyte = (after - before) / (replies * replyLength)
    return [
      {
        operation: `heap for each KB streamed, ${minutes} min, ${replies} replies of ${replyLength / 1_000} KB`,
        unit: 'KB',
        coppice: summarise([perKilobyte]),
        goal: { text: 'what the journal keeps: ≤ 4 KB', limit: 4 },
      },
      {
        operation: `heap after ${minutes} min of streaming`,
        unit: 'MB',
        coppice: summarise([after / 1e6]),
        peer: { name: 'before', sample: summarise([before / 1e6]) },
      },
    ]
  } finally {
    await browser.close()
  }
}

/** Bytes of the heap, once the reply is stored and fully rendered and unused memory is collected. */
async function heapNow({ page, session }: WatchedPage): Promise<number> {
  await settled(page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}
