// `npm run bench [-- area …] [--quick]`: measures Coppice beside its peers, prints a table for each area, and keeps
// the figures in bench/results.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findBrowser } from './find-browser.mjs'
import { isBuilt } from './is-built.mjs'
import { root, tool } from './steps.mjs'

const areas = {
  workspace: 'the workspace engine (goals 1–4, 8, 9 and 18); open with it',
  agent: 'batches, the loop itself, repeated input (goals 10, 11, 19)',
  run: 'code that agents run, mounts for commands (goals 12 and 13)',
  store: 'the database: bytes, steps, reading back, searching (goals 5–7 and 18)',
  open: 'a folder of 100,000 files (goal 14)',
  window: 'the window while models write, and with long threads (goals 16 and 17)',
  watch: 'the files on disk that agents touched',
  race: 'twelve agents on branches, and the same work with git worktree',
  start: 'the command line, the web frontend and the memory of an idle host (goal 15)',
}

const help = `Usage: npm run bench [-- AREA … --quick --only=PART --beside=FOLDER]

Without an AREA, measures all areas, one after the other. Close other programs first: they slow the measurements down.
With --quick, uses smaller projects where the figures stay meaningful, and does not keep the figures.
With --only=PART, measures one part of an area again:
  workspace  forks, memory, searches, large-searches, reads, patches, merges, growth, blocking
  store      bytes, steps, reading, waiting, searching
  run        code, views, places
  watch      touched, large-folder
  window     streaming, first-look, opening, graphs, handling, memory, reviews (ten minutes)
With --beside=FOLDER, the part reviews also measures the built app of another checkout, in the same run.

Areas
${Object.entries(areas)
  .map(([name, about]) => `  ${name.padEnd(10)} ${about}`)
  .join('\n')}
`

function end(text, code) {
  const stream = code === 0 ? process.stdout : process.stderr
  stream.write(text)
  process.exit(code)
}

function required(title, run) {
  process.stdout.write(`${title}…\n`)
  const status = run()
  if (status !== 0) end(`bench: ${title} failed.\n`, 1)
}

const args = process.argv.slice(2)
if (args.includes('--help') || args.includes('-h')) end(help, 0)
const flags = args.filter((arg) => arg === '--quick' || /^--(only|beside)=/.test(arg))
const areasNamed = args.filter((arg) => !flags.includes(arg))
const unknown = areasNamed.find((area) => !Object.hasOwn(areas, area))
if (unknown !== undefined) end(`bench: there is no area "${unknown}".\n\n${help}`, 2)
const chosen = areasNamed.length > 0 ? withFollowing(areasNamed) : Object.keys(areas)

if (!existsSync(join(root, 'bench/node_modules'))) required('Installing the peers', installPeers)
if (!isBuilt()) required('Building Coppice', () => tool('electron-vite', ['build', '--logLevel', 'warn']))
const browser = chosen.includes('start') || chosen.includes('window') ? findBrowser({ whole: true }) : undefined
const options = [...(browser ? [browser] : []), ...flags]
const failed = chosen.filter((area) => tool('node', ['--expose-gc', `bench/src/${area}.ts`, ...options]) !== 0)
if (failed.length > 0) end(`bench: not measured: ${failed.join(', ')}\n`, 1)

/** The time to open a folder belongs to the workspace, but has its own area of figures. */
function withFollowing(named) {
  return [
    ...new Set(named.flatMap((area) => (area === 'workspace' && flags.length === 0 ? ['workspace', 'open'] : [area]))),
  ]
}

function installPeers() {
  const options = { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }
  return spawnSync('npm', ['ci', '--prefix', 'bench', '--no-audit', '--no-fund'], options).status ?? 1
}
