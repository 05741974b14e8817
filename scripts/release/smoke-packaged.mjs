// `npm run smoke:packaged`: installs the package of this system as a person does, starts the app, runs the demo, writes its
// result to a folder, quits, and starts it again. `-- --web` does the same in a browser with the built app.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, chromium, expect } from '@playwright/test'
import { findBrowser } from '../find-browser.mjs'
import { serveApp } from '../serve-app.mjs'
import { root } from '../steps.mjs'
import { planInstallation } from './install-packaged.ts'

const folder = mkdtempSync(join(tmpdir(), 'coppice-smoke-'))
const dataFolder = join(folder, 'data')
const start = process.argv.includes('--web') ? startInBrowser : startInstalled(install())

const first = await start()
const place = await workThrough(first.page).finally(() => first.stop())
expect(readFileSync(join(place, 'src/total.js'), 'utf8'), 'the result is on the disk').toContain('Math.round')
const again = await start()
await expect(again.page.getByText('tally').first(), 'the project is still there').toBeVisible({ timeout: 30_000 })
await again.stop()
process.stdout.write(`ok: started, worked, wrote to ${place}, and started again\n`)

/** The demo from a first start to its files in a folder, which it returns. */
async function workThrough(page) {
  page.setDefaultTimeout(60_000)
  await page.getByRole('button', { name: 'Try the demo' }).click()
  await page.getByRole('button', { name: 'Send' }).click()
  const card = page.getByRole('group', { name: 'Approval: execute by main' })
  await card.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Review changes' }).click()
  await page.getByRole('button', { name: 'Apply to disk' }).click()
  const apply = page.getByRole('button', { name: /^Apply \d/ })
  const dialog = page.getByRole('dialog')
  await apply.waitFor()
  const places = await dialog.getByText(/tally/).allTextContents()
  await apply.click()
  await expect(page.getByText(/Applied/).first()).toBeVisible({ timeout: 30_000 })
  const found = places
    .map((text) => /(?:[A-Za-z]:)?[\\/][^\s"“”]*tally/.exec(text)?.[0])
    .find((one) => one !== undefined)
  if (found === undefined || !existsSync(found)) throw new Error(`The dialog names no folder: ${places.join(' | ')}`)
  return found
}

function install() {
  const dist = join(root, 'dist')
  const { steps, executable } = planInstallation({
    platform: process.platform,
    arch: process.arch,
    folder: dist,
    names: existsSync(dist) ? readdirSync(dist) : [],
    applications: join(folder, 'Applications'),
    localPrograms: join(process.env.LOCALAPPDATA ?? folder, 'Programs'),
  })
  for (const [file = '', ...parameters] of steps) {
    const { status } = spawnSync(file, parameters, { stdio: 'inherit' })
    if (status !== 0) throw new Error(`${file} ended with ${status}.`)
  }
  return executable
}

function startInstalled(executablePath) {
  return async () => {
    const app = await _electron.launch({ executablePath, args: ['--data-dir', dataFolder] })
    return { page: await app.firstWindow(), stop: () => app.close() }
  }
}

async function startInBrowser() {
  const executablePath = findBrowser({ whole: true })
  if (!executablePath) throw new Error('There is no browser.')
  const app = await serveApp(dataFolder)
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath, args })
  const page = await browser.newPage()
  await page.goto(app.url)
  return {
    page,
    async stop() {
      await browser.close()
      app.stop()
    },
  }
}
