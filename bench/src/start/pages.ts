import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { temporaryFolder } from '../support/folders.ts'
import { figuresOf } from '../support/measure.ts'
import { memoryOf, serve } from '../support/served.ts'
import { makeProject } from './command-line.ts'

/** Milliseconds until a person can type a message. `fromNothing` includes the start of the host and the browser. */
export interface PageFigures {
  readonly fromNothing: readonly number[]
  readonly inRunningBrowser: readonly number[]
  readonly hostMb: readonly number[]
}

interface PageFigure {
  readonly fromNothing: number
  readonly inRunningBrowser: number
  readonly hostMb: number
}

const runs = 7

export async function measureWindow(executablePath: string): Promise<PageFigures> {
  return collected(async () => {
    using folder = temporaryFolder()
    const project = makeProject(folder.path)
    const started = performance.now()
    await using served = await serve(join(folder.path, 'data'), project)
    return { ...(await visit(executablePath, served.url, started)), hostMb: memoryOf(served.pid).nowMb }
  })
}

const blank = '<!doctype html><title>Blank</title><textarea aria-label="Message"></textarea>'

/** A page with only a text box, from a server that is already running. */
export async function measureBlankPage(executablePath: string): Promise<PageFigures> {
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(blank))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const figures = await collected(async () => ({
    ...(await visit(executablePath, url, performance.now())),
    hostMb: Number.NaN,
  }))
  server.closeAllConnections()
  server.close()
  return figures
}

async function visit(executablePath: string, url: string, started: number): Promise<Omit<PageFigure, 'hostMb'>> {
  const browser = await chromium.launch({ executablePath, args: browserArgs })
  try {
    const launched = performance.now()
    await openPage(browser, url)
    const usable = performance.now()
    return { fromNothing: usable - started, inRunningBrowser: usable - launched }
  } finally {
    await browser.close()
  }
}

const browserArgs = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--no-first-run']

async function openPage(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(url, { waitUntil: 'commit' })
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
}

async function collected(measureOnce: () => Promise<PageFigure>): Promise<PageFigures> {
  const figures: PageFigure[] = []
  await figuresOf(
    async () => {
      figures.push(await measureOnce())
      return 0
    },
    { runs },
  )
  const counted = figures.slice(-runs)
  return {
    fromNothing: counted.map(({ fromNothing }) => fromNothing),
    inRunningBrowser: counted.map(({ inRunningBrowser }) => inRunningBrowser),
    hostMb: counted.map(({ hostMb }) => hostMb),
  }
}
