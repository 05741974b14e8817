import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test'
import type { Span } from './stream-server.ts'
import { type MainTask, mainTasks } from './trace.ts'

/** A page that counts each of its frames. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page
  readonly session: CDPSession
  /** Makes the page's processor `rate` times slower. */
  throttle(rate: number): Promise<void>
  /** The milliseconds between frames during a span of time. */
  frames(span: Span): Promise<readonly number[]>
  /** The tasks of the page's main thread during `act`, longest first, from a trace. */
  traced(act: () => Promise<void>): Promise<readonly MainTask[]>
}

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: browserArgs })
}

const browserArgs = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--no-first-run',
  '--enable-precise-memory-info',
  '--js-flags=--expose-gc',
]

export async function watchPage(browser: Browser, url: string): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.addInitScript(countFrames)
  await page.goto(url, { waitUntil: 'commit' })
  const session = await page.context().newCDPSession(page)
  return {
    page,
    session,
    throttle: async (rate) => void (await session.send('Emulation.setCPUThrottlingRate', { rate })),
    async frames({ from, to }) {
      const all = await page.evaluate(() => globalThis.frameTimes)
      const times = all.filter((time) => time >= from && time <= to)
      return times.slice(1).map((time, index) => time - (times[index] ?? time))
    },
    async traced(act) {
      await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'devtools.timeline'] })
      await act()
      return mainTasks(JSON.parse(String(await browser.stopTracing())))
    },
    [Symbol.asyncDispose]: () => page.close(),
  }
}

/** Waits until the journal is read. The page shows the end of a long journal first, and reads it in the background. */
export async function journalRead(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).waitFor({ timeout: 120_000 })
  const reading = page.getByRole('progressbar', { name: 'Reading threads' })
  await reading.waitFor({ state: 'detached', timeout: 300_000 })
}

/** Waits until the journal is read and the conversation rendered. */
export async function atRest(page: Page): Promise<void> {
  await journalRead(page)
  await calm(page)
}

/** Waits for half a second without a long frame, or ten seconds on a busy machine. */
export async function calm(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const from = performance.now()
    for (let calm = from, last = from; last - calm < 500 && last - from < 10_000; ) {
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
      if (now - last > 50) calm = now
      last = now
    }
  })
}

declare global {
  /** Defined by the pages that show a stream. */
  function startPeer(streams: number): void
  /** Defined by the page with a canvas. */
  function drawGraph(nodes: number): Promise<number>
  var frameTimes: number[]
}

/** Runs in the page. Times are milliseconds since the Unix epoch, so that another process can name a part of them. */
function countFrames(): void {
  globalThis.frameTimes = []
  const count = () => {
    globalThis.frameTimes.push(performance.timeOrigin + performance.now())
    requestAnimationFrame(count)
  }
  requestAnimationFrame(count)
}
