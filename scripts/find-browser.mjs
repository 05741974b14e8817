// Finds a Chromium for the end-to-end tests, or installs one. Says what it did.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
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

function systemBrowser() {
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

/** The path of a browser. Without one, prints the commands that install one and returns undefined. */
export function findBrowser() {
  return (
    say('found', systemBrowser() ?? playwrightBrowser()) ??
    say('downloaded by Playwright', downloaded() && playwrightBrowser()) ??
    say('installed from Debian', installed() && systemBrowser()) ??
    giveUp()
  )
}

function downloaded() {
  return attempt(process.execPath, [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'])
}

function installed() {
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return false
  return attempt('apt-get', ['update']) && attempt('apt-get', ['install', '-y', 'chromium'])
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
