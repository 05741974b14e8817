// Finds a Chromium for the end-to-end tests, or installs one. Says what it did.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const wholeBrowsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** Chromium without the parts for windows runs the same pages with about a fifth less work. */
const headless = ['chromium-headless-shell']
const places = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  ],
}

function onPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync)
}

function systemBrowser(names) {
  return process.env.COPPICE_BROWSER ?? names.map(onPath).find(Boolean) ?? places[process.platform]?.find(existsSync)
}

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
  const names = whole ? [...wholeBrowsers, ...headless] : [...headless, ...wholeBrowsers]
  return (
    say('found', systemBrowser(names) ?? playwrightBrowser()) ??
    say('downloaded by Playwright', downloaded() && playwrightBrowser()) ??
    say('installed from Debian', installed(names) && systemBrowser(names)) ??
    giveUp()
  )
}

function downloaded() {
  return attempt(process.execPath, [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'])
}

function installed(names) {
  if (process.getuid?.() !== 0 || !onPath('apt-get') || !attempt('apt-get', ['update'])) return false
  const packages = names.filter((name) => name === 'chromium' || headless.includes(name))
  return packages.some((name) => attempt('apt-get', ['install', '-y', name]))
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
