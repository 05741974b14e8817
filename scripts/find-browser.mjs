// Finds a Chromium for the end-to-end tests, or installs one. Says what it did.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findOnPath, findSystemBrowser } from './browser-options.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

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
    say('found', findSystemBrowser() ?? playwrightBrowser()) ??
    say('downloaded by Playwright', downloaded() && playwrightBrowser()) ??
    say('installed from Debian', installed() && findSystemBrowser()) ??
    giveUp()
  )
}

function downloaded() {
  return attempt(process.execPath, [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'])
}

function installed() {
  if (process.getuid?.() !== 0 || !findOnPath('apt-get')) return false
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
