// Finds a Chromium for the end-to-end tests, or installs one. Says what it did.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFirefox, findOnPath, findSystemBrowser, headless, headlessFirst, wholeFirst } from './browser-options.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

function playwrightBrowser() {
  const path = createRequire(import.meta.url)('@playwright/test').chromium.executablePath()
  return existsSync(path) ? path : undefined
}

function attempt(command, args) {
  process.stdout.write(`Browser: trying ${command} ${args.join(' ')}\n`)
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'ignore'], timeout: 600_000 }).status === 0
}

/**
 * The path of a browser; `whole` asks for one that is like a person's. Without one, prints the commands that install
 * one and returns undefined.
 */
export function findBrowser({ whole = false } = {}) {
  const names = whole ? wholeFirst : headlessFirst
  return (
    say('found', findSystemBrowser(names) ?? playwrightBrowser()) ??
    say('downloaded by Playwright', downloaded() && playwrightBrowser()) ??
    say('installed from Debian', installed(names) && findSystemBrowser(names)) ??
    giveUp()
  )
}

function downloaded() {
  return attempt(process.execPath, [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'])
}

function installed(names) {
  if (!mayInstall() || !attempt('apt-get', ['update'])) return false
  const packages = names.filter((name) => ['chromium', 'chromium-headless-shell'].includes(name))
  return packages.some((name) => attempt('apt-get', ['install', '-y', name]))
}

/**
 * Installs beside other work, where that can be done: a Chromium that needs less work for the same pages, and at full
 * size Firefox, whose spec is skipped without it.
 */
export function prepareBrowsers() {
  const isChosen = process.env.COPPICE_BROWSER !== undefined
  const needsFirefox = process.env.COPPICE_TEST_SIZE === 'full' && !findFirefox()
  const missing = [...(needsFirefox ? ['firefox-esr'] : []), ...(isChosen || findOnPath(headless) ? [] : [headless])]
  if (missing.length === 0 || !mayInstall()) return Promise.resolve()
  process.stdout.write(`Browser: installing ${missing.join(' and ')}\n`)
  // One by one, because a system may have only one of them.
  const install = missing.map((name) => `apt-get install -y --no-install-recommends ${name}`)
  const child = spawn('sh', ['-c', ['apt-get update', ...install].join('; ')], { stdio: 'ignore', timeout: 300_000 })
  return new Promise((resolve) => {
    child.on('error', resolve)
    child.on('exit', resolve)
  })
}

function mayInstall() {
  return process.getuid?.() === 0 && findOnPath('apt-get') !== undefined
}

function giveUp() {
  process.stdout.write(
    'Browser: none here and none could be installed. Run one of these, then the tests again:\n  npx playwright install chromium\n  sudo apt-get install chromium\n',
  )
}

function say(how, path) {
  if (!path) return undefined
  process.stdout.write(`Browser: ${how}: ${path}\n`)
  return path
}
