import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import type { Project } from '../../../src/main/host/project/project.ts'
import { besideFolder, isQuick } from '../support/flags.ts'
import { figuresOf, type Sample, summarise } from '../support/measure.ts'
import { type Row, shortCount } from '../support/report.ts'
import { serve } from '../support/served.ts'
import { changeWorkspace, startWorkspace } from '../support/workspace.ts'
import { type MadeProject, makeJournal } from './journals.ts'
import { linesPage } from './peer-pages.ts'
import { shownAfter } from './shown-after.ts'
import { atRest, launch, type WatchedPage, watchPage } from './watched-page.ts'

const files = 4_000
const linesCompared = 50_000
const runs = isQuick ? 2 : 5
/** Pixels of a frame, as a fast turn of the wheel scrolls, and the frames of one scroll. */
const scroll = { pixels: 120, frames: isQuick ? 120 : 300 }
/** Milliseconds of a frame at 60 Hz, with the coarseness of the clock. */
const frameLimit = 17

interface Figures {
  readonly first: Sample
  readonly again: Sample
  /** Percent of the frames that came late. */
  readonly late: Sample
  readonly p95: Sample
  readonly words: Sample
}

/** The review of many files, and of one long comparison. With `--beside`, an older build takes the same walk. */
export async function reviewRows(executablePath: string): Promise<readonly Row[]> {
  const own = await figuresIn(executablePath, undefined)
  const other = besideFolder === undefined ? null : await figuresIn(executablePath, besideFolder)
  const bare = await bareScroll(executablePath)
  const row = (operation: string, unit: Row['unit'], part: keyof Figures, text: string, limit: number): Row => ({
    operation,
    unit,
    coppice: own[part],
    ...((part === 'late' || part === 'p95') && { peer: { name: 'a page with the lines alone', sample: bare[part] } }),
    ...(other && { peer: { name: 'the build beside', sample: other[part] } }),
    goal: { text, limit },
  })
  const many = `review of ${shortCount(files)} files`
  return [
    row(`${many}: opens for the first time`, 'ms', 'first', '≤ 300 ms', 300),
    row(`${many}: opens again`, 'ms', 'again', '≤ 300 ms', 300),
    row(`${many}: frames later than ${frameLimit} ms while it scrolls`, '%', 'late', '≤ 1.2 ×', 1.2 * bare.late.median),
    row(`${many}: 95 % of the frames within`, 'ms', 'p95', `≤ ${frameLimit} ms`, frameLimit),
    row(`words of ${shortCount(linesCompared)} lines: longest task`, 'ms', 'words', '≤ 50 ms', 50),
  ]
}

async function figuresIn(executablePath: string, build: string | undefined): Promise<Figures> {
  using project = await makeJournal(fill)
  const browser = await launch(executablePath)
  try {
    return await measure(browser, project, build)
  } finally {
    await browser.close()
  }
}

async function measure(browser: Browser, project: MadeProject, build: string | undefined): Promise<Figures> {
  await using served = await serve(project.dataFolder, project.folder, {}, build)
  const measured: Record<keyof Figures, number[]> = { first: [], again: [], late: [], p95: [], words: [] }
  for (let run = 0; run < runs; run += 1) {
    await using watched = await watchPage(browser, served.url)
    await showThread(watched, 'Many')
    measured.first.push(await open(watched))
    measured.again.push(...(await figuresOf(() => openAgain(watched), { runs: 2, warmUps: 0 })))
    const scroll = await scrolled(watched)
    measured.late.push(scroll.late)
    measured.p95.push(scroll.p95)
    await showThread(watched, 'Words')
    measured.words.push(await longestTaskOfWords(watched))
  }
  const { first, again, late, p95, words } = measured
  return {
    first: summarise(first),
    again: summarise(again),
    late: summarise(late),
    p95: summarise(p95),
    words: summarise(words),
  }
}

async function fill(project: Project): Promise<void> {
  const line = (number: number, word: string): string => `export const value${number} = ${word}(${number})\n`
  const text = (word: string): string =>
    Array.from({ length: linesCompared / 2 }, (_, number) => line(number, word)).join('')
  writeFileSync(join(project.info().path ?? '', 'long.ts'), text('before'))
  const words = startWorkspace(project)
  await changeWorkspace(words, [{ path: 'long.ts', text: text('after') }])
  const many = startWorkspace(project)
  const lines = Array.from({ length: 12 }, (_, number) => line(number, 'make')).join('')
  await changeWorkspace(
    many,
    Array.from({ length: files }, (_, file) => ({ path: `src/part-${file % 80}/file-${file}.ts`, text: lines })),
  )
  for (const [{ threadId }, title] of [
    [words, 'Words'],
    [many, 'Many'],
  ] as const) {
    appendTo(project.services.log, [{ type: 'thread.titled', threadId, title }])
  }
}

/** Shows the chat of a thread, once its changes are counted. */
async function showThread({ page }: WatchedPage, title: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Threads' }).getByRole('button', { name: title, exact: true }).click()
  await page.getByRole('tab', { name: 'Chat' }).click()
  await page
    .getByRole('tab')
    .filter({ hasText: /Changes\s*\d/ })
    .waitFor()
  await atRest(page)
}

function open({ page }: WatchedPage): Promise<number> {
  return shownAfter(page, { click: '[role=tab]', text: 'Changes', until: '[data-review] [data-row-at]' })
}

async function openAgain(watched: WatchedPage): Promise<number> {
  await watched.page.getByRole('tab', { name: 'Chat' }).click()
  await watched.page.locator('[data-review]').waitFor({ state: 'detached' })
  return open(watched)
}

interface Scroll {
  /** Percent of the frames that came late. */
  readonly late: number
  /** Milliseconds within which 95 % of the frames came. */
  readonly p95: number
}

/** How the machine scrolls the same lines in a page that does nothing else. */
async function bareScroll(executablePath: string): Promise<Record<keyof Scroll, Sample>> {
  const browser = await launch(executablePath)
  try {
    const found: Scroll[] = []
    for (let run = 0; run < runs; run += 1) {
      await using watched = await watchPage(browser, `data:text/html,${encodeURIComponent(linesPage)}`)
      await watched.page.locator('[data-review] > :last-child').waitFor({ state: 'attached' })
      found.push(await scrolled(watched))
    }
    return { late: summarise(found.map(({ late }) => late)), p95: summarise(found.map(({ p95 }) => p95)) }
  } finally {
    await browser.close()
  }
}

async function scrolled(watched: WatchedPage): Promise<Scroll> {
  const span = await watched.page.evaluate(async ({ pixels, frames }) => {
    const list = document.querySelector('[data-review]')
    const from = performance.timeOrigin + performance.now()
    for (let frame = 0; frame < frames; frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      if (list) list.scrollTop += pixels
    }
    return { from, to: performance.timeOrigin + performance.now() }
  }, scroll)
  const frames = await watched.frames(span)
  return {
    late: (100 * frames.filter((ms) => ms > frameLimit + 0.5).length) / frames.length,
    p95: frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? Number.NaN,
  }
}

async function longestTaskOfWords(watched: WatchedPage): Promise<number> {
  const { page } = watched
  await page.getByRole('tab', { name: 'Changes' }).click()
  const compute = page.getByRole('button', { name: 'Compute anyway' })
  await compute.waitFor()
  const tasks = await watched.traced(async () => {
    await compute.click()
    await page.locator('.diff-word-added').first().waitFor()
  })
  return tasks[0]?.ms ?? Number.NaN
}
