import type { Browser } from '@playwright/test'
import { type Answer, type ApiRequest, taskOf } from '../../../e2e/model-server/scenario.ts'
import { isQuick } from '../support/flags.ts'
import { type Sample, summarise } from '../support/measure.ts'
import type { Row } from '../support/report.ts'
import { serve } from '../support/served.ts'
import { addThread, lastWords, makeJournal } from './journals.ts'
import { barePage } from './peer-pages.ts'
import { bundledPage } from './peers/bundle.ts'
import { type Speech, type StreamServer, startStreamServer } from './stream-server.ts'
import { type TextKind, textKinds, textOf } from './token-stream.ts'
import { atRest, launch, type WatchedPage, watchPage } from './watched-page.ts'

const messages = 5_000
const tokensPerSecond = 5_000
const characters = isQuick ? 50_000 : 100_000
const runs = isQuick ? 2 : 5
/** Milliseconds after the last token until the reply is stored and fully rendered. */
const settling = 1_500
const subagents = 20

interface Stream {
  readonly name: string
  readonly prompt: string
  readonly throttle: number
  readonly speech: Speech
  readonly peer: Peer
}

/** The page that shows the same stream for comparison. */
interface Peer {
  readonly name: string
  readonly html: string
}

/** Figures of each run. */
interface Shown {
  /** Milliseconds between two frames. */
  readonly mean: number[]
  readonly p99: number[]
  readonly longestTask: number[]
}

/** Goal 16: the frames that a person sees while models write. */
export async function streamingRows(executablePath: string): Promise<readonly Row[]> {
  let shown = lastWords('Long', messages)
  await using server = await startStreamServer()
  using project = await makeJournal((opened) => void addThread(opened, 'Long', messages))
  await using served = await serve(project.dataFolder, project.folder, { ANTHROPIC_BASE_URL: server.url })
  const browser = await launch(executablePath)
  try {
    const rows: Row[] = []
    for (const stream of await streams()) {
      const [own, peer] = [nothingShown(), nothingShown()]
      for (let run = 0; run < runs; run += 1) {
        await measurePeer(browser, server, stream, peer)
        shown = await measureOwn(browser, server, { url: served.url, shown }, stream, own)
      }
      rows.push(...rowsOf(stream, own, peer))
      process.stdout.write(`${stream.name}: measured\n`)
    }
    return rows
  } finally {
    await browser.close()
  }
}

async function streams(): Promise<readonly Stream[]> {
  const speechOf = (kind: TextKind): Speech => ({ text: textOf(kind, characters), perSecond: tokensPerSecond })
  const peer = { name: 'bare text node', html: barePage }
  const streamdown = { name: 'Streamdown alone', html: await bundledPage('streamdown.tsx') }
  const single = textKinds.map((kind) => ({
    name: names[kind],
    prompt: kind,
    throttle: 1,
    speech: speechOf(kind),
    peer,
  }))
  const share = { text: textOf('mixed', characters / subagents), perSecond: tokensPerSecond / subagents }
  return [
    ...single,
    { name: `${subagents} streams at once`, prompt: 'spread', throttle: 1, speech: share, peer },
    { name: 'mixed text, 4 × CPU throttle', prompt: 'mixed', throttle: 4, speech: speechOf('mixed'), peer: streamdown },
  ]
}

const names: Readonly<Record<TextKind, string>> = {
  mixed: 'mixed text',
  fence: 'a 100 KB code fence',
  paragraph: 'a 100 KB paragraph',
}

interface Window {
  readonly url: string
  /** The words at the end of the thread that opens. */
  readonly shown: string
}

/** Measures Coppice with one stream. Returns the words at the end of the thread afterwards. */
async function measureOwn(
  browser: Browser,
  server: StreamServer,
  { url, shown }: Window,
  { prompt, speech, throttle }: Stream,
  into: Shown,
): Promise<string> {
  await using watched = await watchPage(browser, url)
  const { page } = watched
  await page.getByText(shown).first().waitFor({ state: 'attached', timeout: 120_000 })
  await atRest(page)
  await watched.throttle(throttle)
  const end = `End of ${server.spoken().to}.`
  const whole = { ...speech, text: `${speech.text}\n\n${end}` }
  server.answer(prompt === 'spread' ? spreading(speech, end) : () => whole)
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill(prompt)
  await observe(watched, server, into, () => message.press('Enter'))
  // The agent of a spread speaks after its subagents, so this waits before the next answer is set.
  await page.getByText(end).first().waitFor({ state: 'attached', timeout: 120_000 })
  return end
}

/** Every subagent writes the same speech. The agent writes only the end. */
function spreading(speech: Speech, end: string): (request: ApiRequest) => Speech | Answer {
  const tasks = Array.from({ length: subagents }, (_, index) => ({ task: `subagent ${index}`, name: `sub-${index}` }))
  let spread = false
  return (request) => {
    if (taskOf(request).startsWith('subagent')) return speech
    if (spread) return { text: end }
    spread = true
    return { calls: [{ name: 'spawn_subagents', input: { tasks } }] }
  }
}

async function measurePeer(browser: Browser, server: StreamServer, stream: Stream, into: Shown): Promise<void> {
  const url = server.page('peer', stream.peer.html)
  await using watched = await watchPage(browser, url)
  await watched.page.waitForFunction(() => 'startPeer' in globalThis)
  await watched.throttle(stream.throttle)
  const count = stream.prompt === 'spread' ? subagents : 1
  server.answer(() => stream.speech)
  await observe(watched, server, into, () => watched.page.evaluate((streams) => globalThis.startPeer(streams), count))
}

/** Records the frames and tasks from the first token until the reply has settled. */
async function observe(watched: WatchedPage, server: StreamServer, into: Shown, start: () => Promise<void>) {
  const tasks = await watched.traced(async () => {
    await start()
    while (server.spoken().to === 0 || Date.now() < server.spoken().to + settling)
      await new Promise((resolve) => setTimeout(resolve, 100))
  })
  const frames = (await watched.frames(server.spoken())).toSorted((a, b) => a - b)
  into.mean.push(frames.reduce((sum, ms) => sum + ms, 0) / frames.length)
  into.p99.push(frames[Math.floor(frames.length * 0.99)] ?? Number.NaN)
  into.longestTask.push(tasks[0]?.ms ?? Number.NaN)
}

function nothingShown(): Shown {
  return { mean: [], p99: [], longestTask: [] }
}

/**
 * With a slow processor the peer is a reader of Markdown, because it has as much to do as Coppice has for the text
 * alone.
 */
function rowsOf({ name, throttle, peer }: Stream, own: Shown, other: Shown): readonly Row[] {
  const [mean, p99, task] = [summarise(other.mean), summarise(other.p99), summarise(other.longestTask)]
  const row = (what: string, figures: readonly number[], sample: Sample, text: string, limit: number): Row => ({
    operation: `${name}: ${what}`,
    unit: 'ms',
    coppice: summarise(figures),
    peer: { name: peer.name, sample },
    ...(text !== '' && { goal: { text, limit } }),
  })
  if (throttle > 1)
    return [
      row('a frame, mean', own.mean, mean, '≤ 1 ×', mean.median),
      row('a frame, p99', own.p99, p99, '', 0),
      row('longest task', own.longestTask, task, '', 0),
    ]
  return [
    row('a frame, mean', own.mean, mean, '≤ 1 ÷ 0.97 ×', mean.median / 0.97),
    row('a frame, p99', own.p99, p99, '≤ 1.3 ×', 1.3 * p99.median),
    row('longest task', own.longestTask, task, '≤ 50 ms', 50),
  ]
}
