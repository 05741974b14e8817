// `npm run release:smoke`: starts the packaged app of this system as a person does, runs the demo, applies its changes,
// quits, starts again and finds the thread. Needs the packages in `dist` (npm run package -- --strict) and a display. With
// `-- --install` the package is installed first as a person does it; on Linux that is the deb, which needs sudo.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { root } from '../steps.mjs'
import { installApp } from './install-app.mjs'

const program = process.argv.includes('--install') ? installApp(join(root, 'dist')) : findProgram()
const data = mkdtempSync(join(tmpdir(), 'coppice-smoke-'))
const most = 60_000

try {
  await withApp(async (page) => {
    await page.getByRole('button', { name: 'Try the demo' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    const approval = page.getByRole('group', { name: 'Approval: execute by main' })
    await approval.getByRole('button', { name: 'Approve' }).click({ timeout: most })
    await page.getByRole('button', { name: 'Review changes' }).click({ timeout: most })
    await page
      .getByRole('button', { name: /^Apply/ })
      .first()
      .click({ timeout: most })
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Apply/ })
      .click({ timeout: most })
    await page
      .getByText(/Applied/)
      .first()
      .waitFor({ timeout: most })
  })
  await withApp((page) => page.getByText('tally').first().waitFor({ timeout: most }))
  process.stdout.write(`ok: ${program} did the demo, applied it, quit, and knew it after a new start\n`)
} finally {
  rmSync(data, { recursive: true, force: true })
}

/** Playwright speaks to Electron through its inspector, which a fuse turns off. So its page is driven, by Chromium's port. */
async function withApp(act) {
  const args = [
    '--remote-debugging-port=0',
    `--data-dir=${data}`,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ]
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'pipe'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    const browser = await chromium.connectOverCDP(await findPort(child), { timeout: most })
    const [context] = browser.contexts()
    const page = context.pages()[0] ?? (await context.waitForEvent('page', { timeout: most }))
    await act(page)
    if (process.platform === 'darwin') child.kill('SIGTERM')
    else await page.evaluate(() => window.close()).catch(() => undefined)
    const code = await ended
    if (code !== 0) throw new Error(`The app ended with ${code}.`)
  } finally {
    child.kill('SIGKILL')
  }
}

/** The address that Chromium prints when its port is open. */
function findPort(child) {
  return new Promise((resolve, reject) => {
    let output = ''
    const late = setTimeout(() => reject(new Error(`The app did not start: ${output}`)), most)
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text
      const [, address] = /DevTools listening on (ws:\S+)/.exec(output) ?? []
      if (address) resolve(address)
    })
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`The app ended with ${code}: ${output}`)))
    child.on('exit', () => clearTimeout(late))
  })
}

function findProgram() {
  const folder = join(root, 'dist')
  const names = existsSync(folder) ? readdirSync(folder) : []
  const [inside, wanted] = {
    darwin: ['Coppice.app/Contents/MacOS/Coppice', process.arch === 'arm64' ? 'mac-arm64' : 'mac'],
    win32: ['Coppice.exe', process.arch === 'arm64' ? 'win-arm64-unpacked' : 'win-unpacked'],
    linux: ['coppice-desktop', process.arch === 'arm64' ? 'linux-arm64-unpacked' : 'linux-unpacked'],
  }[process.platform]
  const found = names.filter((name) => name === wanted).map((name) => join(folder, name, inside))
  const program = found.find(existsSync)
  if (program) return program
  process.stderr.write('There is no packaged app in dist. Run "npm run package -- --strict" first.\n')
  process.exit(1)
}
