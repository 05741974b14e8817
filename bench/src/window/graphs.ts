import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import type { Project } from '../../../src/main/host/project/project.ts'
import type { EntryDraft } from '../../../src/shared/model/entry.ts'
import type { BranchId, ProjectId, ThreadId } from '../../../src/shared/model/ids.ts'
import type { Patch } from '../../../src/shared/model/patch.ts'
import { childrenOf } from '../../../src/shared/model/project-state.ts'
import type { VirtualPath } from '../../../src/shared/model/virtual-path.ts'
import { figuresOf, summarise } from '../support/measure.ts'
import { connect } from '../support/remote-client.ts'
import { type Row, versus } from '../support/report.ts'
import { serve } from '../support/served.ts'
import type { Workspace } from '../support/workspace.ts'
import { forkSubagent, makeForkable } from '../workspace/forks.ts'
import { makeJournal } from './journals.ts'
import { canvasPage } from './peer-pages.ts'
import { shownAfter } from './shown-after.ts'
import { startStreamServer } from './stream-server.ts'
import type { MainTask } from './trace.ts'
import { atRest, calm, launch, type WatchedPage, watchPage } from './watched-page.ts'

const branches = 1_000
/** For each branch: a fork, three times work, a merge, and the same merge on the branch that takes it. */
const nodesPerBranch = 10
const cards = 1_000
const panMs = 3_000
const runs = 5
/** Milliseconds in which the host has stored a change and the window shows what follows from it. */
const settling = 1_000

/** Goal 17: the timeline of a large batch, and a plan of a thousand todos. */
export async function graphRows(executablePath: string): Promise<readonly Row[]> {
  await using server = await startStreamServer()
  const filled = Promise.withResolvers<Filled>()
  using project = await makeJournal((opened) => filled.resolve(fill(opened)))
  await using served = await serve(project.dataFolder, project.folder, { ANTHROPIC_BASE_URL: server.url })
  const browser = await launch(executablePath)
  try {
    await using own = await watchPage(browser, served.url)
    await using canvas = await watchPage(browser, server.page('canvas', canvasPage))
    await own.page.getByText(cardText(0)).waitFor({ state: 'attached', timeout: 120_000 })
    await atRest(own.page)
    const graph = await figuresOf(() => openGraph(own.page), { runs })
    const drawn = await figuresOf(() => drawCanvas(canvas.page), { runs })
    const [pan, still] = [await panned(own), await idle(canvas)]
    const added = await addEvents(own, served.url, await filled.promise)
    await own.page.getByRole('tab', { name: 'Board' }).click()
    const board = await removeCards(own)
    return [
      {
        operation: 'timeline of 10k events: opened',
        unit: 'ms',
        coppice: summarise(graph),
        ...versus('bare canvas', summarise(drawn), 3),
      },
      {
        operation: 'timeline of 10k events: a frame while it pans, mean',
        unit: 'ms',
        coppice: summarise([pan]),
        peer: { name: 'page that stands still', sample: summarise([still]) },
        goal: { text: '≥ 58 fps', limit: 1_000 / 58 },
      },
      {
        operation: 'timeline of 10k events: one more, script of the longest task',
        unit: 'ms',
        coppice: summarise(added.map(({ script }) => script)),
        goal: { text: '≤ 2 ms', limit: 2 },
      },
      {
        operation: 'board of 1k cards: one goes, script of the longest task',
        unit: 'ms',
        coppice: summarise(board.map(({ script }) => script)),
        goal: { text: '≤ 4 ms', limit: 4 },
      },
      {
        operation: 'board of 1k cards: one goes, longest task with its style, layout and painting',
        unit: 'ms',
        coppice: summarise(board.map(({ ms }) => ms)),
      },
    ]
  } finally {
    await browser.close()
  }
}

interface Filled {
  readonly projectId: ProjectId
  readonly branchIds: readonly BranchId[]
}

function fill(project: Project): Filled {
  const workspace = makeForkable(project, 0)
  const { log, blobs } = project.services
  const blob = blobs.put(new TextEncoder().encode('changed'))
  for (let count = 0; count < branches; count += 1) forkSubagent(workspace)
  const children = childrenOf(log.state, workspace.threadId)
  for (const { id, branchId } of children)
    for (let step = 0; step < (nodesPerBranch - 1) / 3; step += 1) work(workspace, id, branchId, step)
  const todos = Array.from({ length: cards }, (_, card) => ({ content: cardText(card), status: 'pending' }) as const)
  appendTo(log, [{ type: 'todos.written', threadId: workspace.threadId, todos, by: 'agent' }])
  return { projectId: project.info().id, branchIds: children.map(({ branchId }) => branchId) }

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
 * The longest task for each event that another window adds while the timeline is shown: it discards a
 * branch that is out of sight.
 */
async function addEvents(watched: WatchedPage, url: string, { projectId, branchIds }: Filled): Promise<MainTask[]> {
  using other = await connect(url)
  return await longestTasks(watched, async (event) => {
    const branchId = branchIds.at(-1 - event)
    if (branchId === undefined) throw new Error('There are too few branches')
    await other.call.branches.discard({ projectId, branchId, paths: null })
    await sleep(settling)
  })
}

async function longestTasks(watched: WatchedPage, act: (run: number) => Promise<void>): Promise<MainTask[]> {
  const longest: MainTask[] = []
  for (let run = 0; run < runs; run += 1) {
    await calm(watched.page)
    const tasks = await watched.traced(() => act(run))
    longest.push(...tasks.slice(0, 1))
  }
  return longest
}

/**
 * The longest task for each card that a person removes. The host stores the change, and every part of the window that
 * shows the card renders again.
 */
function removeCards(watched: WatchedPage): Promise<MainTask[]> {
  return longestTasks(watched, (card) => removeCard(watched.page, cardText(card)))
}

/** Waits until the card is gone and the host has stored that. */
async function removeCard(page: Page, text: string): Promise<void> {
  const button = page.getByRole('button', { name: `Remove todo: ${text}`, exact: true })
  await button.evaluate((element: HTMLElement) => element.click())
  await button.waitFor({ state: 'detached' })
  await sleep(settling)
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
