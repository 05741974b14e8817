import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Browsers have read the page after this time. */
const keptMs = 60_000
/** Pages that a killed app left. */
const abandonedMs = 10 * 60_000

/**
 * Opens a page in the person's browser. Every user of the machine can read command lines, and `url` holds a token. So
 * the opener gets a private file that leads to it, which is removed soon after. Does nothing without a screen.
 */
export function openPage(url: string, folder: string, environment: NodeJS.ProcessEnv): Disposable {
  if (process.platform === 'linux' && !environment.DISPLAY && !environment.WAYLAND_DISPLAY) return nothingOpen
  removeAbandoned(folder)
  const file = join(folder, `open-${randomBytes(9).toString('base64url')}.html`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(file, redirectTo(url), { mode: 0o600, flag: 'wx' })
  const [command, ...parameters] = openerOf(pathToFileURL(file).href)
  spawn(command, parameters, { stdio: 'ignore', detached: true, env: environment })
    .on('error', () => undefined)
    .unref()
  const remove = (): void => rmSync(file, { force: true })
  const timer = setTimeout(remove, keptMs).unref()
  return {
    [Symbol.dispose]() {
      clearTimeout(timer)
      remove()
    },
  }
}

const nothingOpen: Disposable = { [Symbol.dispose]: () => undefined }

function openerOf(location: string): readonly [string, ...string[]] {
  switch (process.platform) {
    case 'darwin':
      return ['open', location]
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', location]
    default:
      return ['xdg-open', location]
  }
}

/** A page with no other content. */
function redirectTo(address: string): string {
  const url = address.replace(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Coppice</title>
<a href="${url}">Open Coppice</a>
`
}

function removeAbandoned(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      if (!/^open-[\w-]+\.html$/.test(name)) continue
      const file = join(folder, name)
      if (Date.now() - statSync(file).mtimeMs > abandonedMs) rmSync(file, { force: true })
    }
  } catch {
    // A folder that cannot be read has no page to remove, or another app has just removed it.
  }
}
