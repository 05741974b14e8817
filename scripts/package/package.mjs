// `npm run package [-- --strict] [-- --layout]`: makes the desktop packages that this system can make, in `dist`. Without
// an Electron binary it makes the whole app around an empty program, checks it, and says what is missing; with --strict
// that is an error.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isBuilt } from '../is-built.mjs'
import { buildStep, root, tool } from '../steps.mjs'
import { fetchNode } from './bundled-node.mjs'
import { everyFuseProblem } from './check-fuses.mjs'
import { signingProblems } from './signing.mjs'
import { writeLicences } from './write-licences.mjs'

const args = process.argv.slice(2)
const system = { darwin: 'mac', win32: 'win', linux: 'linux' }[process.platform]

if (!isBuilt()) run('the build', tool(buildStep[1], buildStep[2]))
say(`Collected the licences of ${writeLicences()} packages.`)
copyHost()
const missing = args.includes('--layout') ? 'you asked for the layout alone' : whyNoElectron()
// Packages are made on the processor that they are for: npm installs the native parts of that one alone.
say(`Node for ${system} ${process.arch}: ${await fetchNode(system, process.arch)}`)
if (!process.env.CSC_LINK && system !== 'linux')
  say('Warning: no certificate (CSC_LINK), so the app is not signed and the system will warn people about it.')
if (system === 'mac' && !process.env.APPLE_API_KEY) say('Warning: no APPLE_API_KEY, so the app is not notarised.')
for (const problem of signingProblems(process.env)) run(problem, 1)

if (missing) {
  makeEmptyElectron()
  const status = tool(
    'electron-builder',
    ['--config', 'electron-builder.config.mjs', '--dir', `--${process.arch}`, '--publish', 'never'],
    { COPPICE_LAYOUT: '1' },
  )
  run('the layout of the app', status)
  say(`The app is in dist, checked, but around an empty program: ${missing}.`)
  say(
    `Not made: ${{ linux: 'AppImage, deb and rpm', mac: 'dmg and zip', win: 'the installer' }[system]}; fuses are not set.`,
  )
  process.exit(args.includes('--strict') ? 1 : 0)
}
run(
  'packaging',
  tool('electron-builder', ['--config', 'electron-builder.config.mjs', `--${process.arch}`, '--publish', 'never']),
)
for (const problem of await everyFuseProblem()) run(problem, 1)
say('The packages are in dist.')

function say(line) {
  process.stdout.write(`${line}\n`)
}

function run(what, status) {
  if (status === 0) return
  process.stderr.write(`package: ${what} failed, see above.\n`)
  process.exit(status)
}

/** What plain Node runs of the packaged app: the command line, the runner child, the workers, the page of `serve`. */
function copyHost() {
  const folder = join(root, 'dist/host')
  rmSync(folder, { recursive: true, force: true })
  for (const name of [
    'package.json',
    'LICENSE',
    'bin/coppice.mjs',
    'out/main',
    'out/renderer',
    'resources/demo',
    'resources/enter',
  ])
    cpSync(join(root, name), join(folder, name), { recursive: true })
}

/** Null when Electron is here or can be fetched. */
function whyNoElectron() {
  const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  const isHere = () =>
    existsSync(join(folder, 'path.txt')) &&
    existsSync(join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8')))
  if (!isHere()) spawnSync(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', timeout: 300_000 })
  return isHere() ? null : 'the Electron binary is not here and could not be fetched (npx install-electron)'
}

/** What electron-builder expects of an Electron: a program, and the files that it takes away or renames. */
function makeEmptyElectron() {
  const folder = join(root, 'dist/no-electron')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'resources'), { recursive: true })
  mkdirSync(join(folder, 'locales'), { recursive: true })
  const { version } = createRequire(import.meta.url)('electron/package.json')
  for (const name of ['electron', 'electron.exe', 'LICENSE', 'LICENSES.chromium.html'])
    writeFileSync(join(folder, name), '')
  writeFileSync(join(folder, 'version'), version)
  chmodSync(join(folder, 'electron'), 0o755)
}
