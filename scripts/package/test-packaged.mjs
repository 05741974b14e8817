// `npm run test:packaged`: makes the app without Electron and runs the host from exactly its files, with the Node that
// it brings along: the doctor, the demo from the command line and in a browser, and the end-to-end suite's main flow.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installCommand } from '../../src/main/host/command-line/install-command.ts'
import { findSystemBrowser } from '../browser-options.ts'
import { root, tool } from '../steps.mjs'
import { proveInstalled } from './prove-installed.mjs'

const made = process.argv.includes('--made')
if (!made && tool('node', ['scripts/package/package.mjs', '--layout']) !== 0) process.exit(1)
const resources = findResources()
const scratch = mkdtempSync(join(tmpdir(), 'coppice-packaged-'))
const browser = findSystemBrowser() ?? null
const { PATH, LANG, TMPDIR, SystemRoot } = process.env
const env = { PATH, LANG, TMPDIR, SystemRoot, HOME: scratch }
try {
  const start = [await installIn(scratch)]
  const proof = await proveInstalled({ start, env, cwd: scratch, scratch, browser })
  process.stdout.write(`ok      ${proof}\n`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
const app = join(resources, 'app.asar.unpacked/host')
const specs = ['flow-demo.spec.ts', 'flow-approvals.spec.ts']
const variables = { COPPICE_APP_ROOT: app, ...(browser && { COPPICE_BROWSER: browser }) }
process.exit(tool('playwright', ['test', '--project=web', '--reporter=line', ...specs], variables))

/** The command as the app puts it on the PATH of a person whose home is this folder. Windows starts it in its place. */
async function installIn(home) {
  if (process.platform === 'win32') return join(resources, 'bin/coppice.cmd')
  const { ok, message } = await installCommand({ platform: process.platform, resources, home, mayWrite: () => false })
  process.stdout.write(`${message}\n`)
  if (!ok) process.exit(1)
  return join(home, '.local/bin/coppice')
}

/** The folder `resources` of the app that was made for this system. */
function findResources() {
  const folders = readdirSync(join(root, 'dist')).map((name) => join(root, 'dist', name))
  const places = folders.flatMap((folder) => [
    join(folder, 'resources'),
    join(folder, 'Coppice.app/Contents/Resources'),
  ])
  const found = places.find((place) => existsSync(join(place, 'app.asar')))
  if (!found) throw new Error('There is no app in dist: run "npm run package" first.')
  return found
}
