// Films the demo in the real window, for the README: a task, three agents, an approval, a conflict, the result.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { settled } from '../e2e/support/settled.ts'
import { serveApp } from './serve-app.ts'

const size = { width: 1200, height: 750 }
const mostBytes = 2_000_000
/** Milliseconds that a reader gets for a screen at rest. */
const rest = 1_800
/** The longest time, in milliseconds, that a step of the demo may take. */
const patience = 60_000

/** Each step is a sentence of the story. `film` takes pictures until the given thing is there. */
const story = [
  async (page, { hold }) => {
    await page.getByRole('button', { name: 'Try the demo' }).click()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await hold(page)
  },
  async (page, { film }) => {
    await page.getByRole('button', { name: 'Send' }).click()
    await film(page, page.getByRole('group', { name: 'Approval: execute by main' }))
  },
  async (page, { hold, film }) => {
    const card = page.getByRole('group', { name: 'Approval: execute by main' })
    await card.getByRole('button', { name: 'Keep', exact: true }).and(page.locator(':enabled')).waitFor()
    await hold(page)
    await card.getByRole('button', { name: 'Keep', exact: true }).click()
    await film(page, page.getByRole('button', { name: 'Review changes' }))
    await hold(page)
  },
  async (page, { hold }) => {
    await page.getByRole('tab', { name: 'Branches' }).click()
    const tree = page.getByRole('tree', { name: 'Branch tree' })
    await tree.getByRole('treeitem', { name: 'docs', exact: true }).click()
    await page.getByRole('row', { name: '/README.md' }).waitFor()
    await hold(page)
    await page.getByRole('row', { name: '/README.md' }).getByRole('button', { name: 'Merge' }).click()
    await page.getByText('Conflict 1 of').waitFor()
    await hold(page)
  },
  async (page, { hold }) => {
    await page.getByRole('tab', { name: 'Changes' }).click()
    await page.locator('[data-line]').first().waitFor()
    await hold(page)
  },
]

/** Writes an animated WebP of at most 2 MB. Throws when the demo is too long for that. */
export async function filmDemo(browser, file) {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-film-'))
  const app = await serveApp(join(folder, 'data'))
  const context = await browser.newContext({ viewport: size, colorScheme: 'light', reducedMotion: 'reduce' })
  const page = await context.newPage()
  const camera = createCamera()
  try {
    await page.goto(app.url)
    for (const tell of story) await tell(page, camera)
  } finally {
    await context.close()
    app.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const bytes = await camera.develop()
  if (bytes.byteLength > mostBytes) throw new Error(`The film has ${bytes.byteLength} bytes, more than ${mostBytes}.`)
  writeFileSync(file, bytes)
}

function createCamera() {
  const frames = []
  const take = async (page, milliseconds) => {
    const bytes = await page.screenshot({ type: 'png', animations: 'disabled' })
    const last = frames.at(-1)
    if (last?.bytes.equals(bytes)) last.milliseconds += milliseconds
    else frames.push({ bytes, milliseconds })
  }
  return {
    async hold(page) {
      await settled(page)
      await take(page, rest)
    },
    async film(page, until) {
      const end = performance.now() + patience
      for (let at = performance.now(); at < end && (await until.count()) === 0; ) {
        const now = performance.now()
        await take(page, Math.round(now - at))
        at = now
      }
      await until.first().waitFor()
    },
    develop: () =>
      sharp(
        frames.map(({ bytes }) => bytes),
        { join: { animated: true } },
      )
        .webp({ delay: frames.map(({ milliseconds }) => milliseconds), loop: 0, quality: 72, effort: 5, mixed: true })
        .toBuffer(),
  }
}
