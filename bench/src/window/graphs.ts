import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import type { Project } from '../../../src/main/host/composition/project.ts'
import type { EntryDraft } from '../../../src/shared/model/entry.ts'
import type { BranchId, ThreadId } from '../../../src/shared/model/ids.ts'
import type { Patch } from '../../../src/shared/model/patch.ts'
import type { VirtualPath } from '../../../src/shared/model/virtual-path.ts'
import { figuresOf, summarise } from '../support/measure.ts'
import { type Row, versus } from '../support/report.ts'
import { serve } from '../support/served.ts'
import type { Workspace } from '../support/workspace.ts'
import { forkSubagent, makeForkable } from '../workspace/forks.ts'
import { makeJournal } from './journals.ts'
import { canvasPage } from './peer-pages.ts'
import { shownAfter } from './shown-after.ts'
import { startStreamServer } from './stream-server.ts'
import { atRest, launch, type WatchedPage, watchPage } from './watched-page.ts'

const branches = 1_000
/** For each branch: a fork, three times work, a merge, and the same merge on the branch that takes it. */
const nodesPerBranch = 10
const cards = 1_000
const panMs = 3_000
const runs = 5

/** Goal 17: the timeline of a large batch, and a plan of a thousand todos. */
export async function graphRows(executablePath: string): Promise<readonly Row[]> {
  await using server = await startStreamServer()
  using project = await makeJournal(fill)
  await using served = await serve(project.dataFolder, project.folder, { ANTHROPIC_BASE_URL: server.url })
  const browser = await launch(executablePath)
  try {
    await using own = await watchPage(browser, served.url)
    await using canvas = await watchPage(browser, server.page('canvas', canvasPage))
    await own.page.getByText(cardText(0)).waitFor({ state: 'attached', timeout: 120_000 })
    await atRest(own.page)
    const graph = await figuresOf(() => openGraph(own.page), { runs })
    const drawn = await figuresOf(() => drawCanvas(canvas.page), { runs })
    const board = await openBoard(own)
    const [pan, still] = [await panned(own), await idle(canvas)]
    return [
      {
        operation: 'timeline of 10k events: opened',
        unit: 'ms',
        coppice: summarise(graph),
        ...versus('bare canvas', summarise(drawn), 1.5),
      },
      {
        operation: 'timeline of 10k events: a frame while it pans, mean',
        unit: 'ms',
        coppice: summarise([pan]),
        peer: { name: 'page that stands still', sample: summarise([still]) },
        goal: { text: '≥ 58 fps', limit: 1_000 / 58 },
      },
      {
        operation: 'board of 1k cards: one goes, longest task',
        unit: 'ms',
        coppice: summarise(board),
        goal: { text: '≤ 2 ms', limit: 2 },
      },
    ]
  } finally {
    await browser.close()
  }
}

function fill(project: Project): void {
  const workspace = makeForkable(project, 0)
  const { log, blobs } = project.services
  const blob = blobs.put(new TextEncoder().encode('changed'))
  for (let count = 0; count < branches; count += 1) forkSubagent(workspace)
  const children = log.state.children.get(workspace.threadId) ?? []
  for (const threadId of children) {
    const branchId = log.state.threads.get(threadId)?.branchId
    if (branchId)
      for (let step = 0; step < (nodesPerBranch - 1) / 3; step += 1) work(workspace, threadId, branchId, step)
  }
  const todos = Array.from({ length: cards }, (_, card) => ({ content: cardText(card), status: 'pending' }) as const)
  appendTo(log, [{ type: 'todos.written', threadId: workspace.threadId, todos, by: 'agent' }])

  function work({ branchId: into }: Workspace, threadId: ThreadId, branchId: BranchId, step: number): void {
    const path = `/changed/${branchId}-${step}.ts` as VirtualPath
    const patch: Patch = [[path, [null, { node: { kind: 'file', blob, size: 7, executable: false }, pin: null }]]]
    const result = { written: [path], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] }
    const merge: EntryDraft = {
      type: 'branch.merged',
      threadId,
      branchId,
      into,
      patch,
      bases: [],
      result,
      forced: false,
      by: 'person',
    }
    appendTo(log, [{ type: 'tree.changed', threadId, branchId, patch, callId: null }, merge])
  }
}

function cardText(card: number): string {
  return `Card ${card} of the plan`
}

async function openGraph(page: Page): Promise<number> {
  await shownAfter(page, { click: '[role=tab]', text: 'Chat', until: '[aria-label="Message"]' })
  return await shownAfter(page, { click: '[role=tab]', text: 'Branches', until: '[data-node]' })
}

function drawCanvas(page: Page): Promise<number> {
  return page.evaluate(() => globalThis.drawGraph(10_000))
}

/**
 * Removes one card at a time. The host stores the change, and every part of the window that shows the card renders
 * again.
 */
async function openBoard(watched: WatchedPage): Promise<readonly number[]> {
  const figures: number[] = []
  for (let card = 0; card < runs; card += 1) {
    const tasks = await watched.traced(() => removeCard(watched.page, cardText(card)))
    figures.push(tasks[0]?.ms ?? Number.NaN)
  }
  return figures
}

/** Checks once a frame, and only for the card's own button, so that checking costs nothing. */
function removeCard(page: Page, text: string): Promise<void> {
  return page.evaluate(async (label) => {
    const button = document.querySelector<HTMLElement>(`[aria-label*="${label}"]`)
    if (!button) throw new Error(`There is no card ${label}`)
    button.click()
    while (button.isConnected) await new Promise((resolve) => requestAnimationFrame(resolve))
  }, text)
}

async function panned(watched: WatchedPage): Promise<number> {
  const from = Date.now()
  await watched.page.evaluate(async (duration) => {
    const box = document.querySelector('[data-node]')?.closest<HTMLElement>('.overflow-auto')
    if (!box) throw new Error('There is no graph')
    for (const until = performance.now() + duration; performance.now() < until; ) {
      box.scrollTop = (box.scrollTop + 24) % (box.scrollHeight - box.clientHeight)
      box.scrollLeft = (box.scrollLeft + 24) % Math.max(box.scrollWidth - box.clientWidth, 1)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  }, panMs)
  return meanFrame(watched, from)
}

async function idle(watched: WatchedPage): Promise<number> {
  const from = Date.now()
  await watched.page.bringToFront()
  await sleep(panMs)
  return meanFrame(watched, from)
}

async function meanFrame(watched: WatchedPage, from: number): Promise<number> {
  const frames = await watched.frames({ from, to: Date.now() })
  return frames.reduce((sum, ms) => sum + ms, 0) / frames.length
}
