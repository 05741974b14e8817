// `npm run bench [-- area …] [--quick]`: measures Coppice beside its peers, prints a table for each area, and keeps
// the figures in bench/results.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describeAreas, describeParts, readBenchArguments } from './bench-arguments.ts'
import { findBrowser } from './find-browser.mjs'
import { isBuilt } from './is-built.mjs'
import { root, tool } from './steps.mjs'

const help = `Usage: npm run bench [-- AREA … --quick --only=PART --beside=FOLDER]

Without an AREA, measures all areas, one after the other. Close other programs first: they slow the measurements down.
With --quick, uses smaller projects where the figures stay meaningful, and does not keep the figures.
With --only=PART, measures one part of one area again:
${describeParts()}
With --beside=FOLDER, the part reviews also measures the built app of another checkout, in the same run.

Areas
${describeAreas()}
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

const request = readBenchArguments(process.argv.slice(2))
if (request.kind === 'help') end(help, 0)
if (request.kind === 'refused') end(`bench: ${request.problem}\nSee npm run bench -- --help\n`, 2)

if (!existsSync(join(root, 'bench/node_modules'))) required('Installing the peers', installPeers)
if (!isBuilt()) required('Building Coppice', () => tool('electron-vite', ['build', '--logLevel', 'warn']))
const { areas, flags } = request
const browser = areas.includes('start') || areas.includes('window') ? findBrowser({ whole: true }) : undefined
const options = [...(browser ? [browser] : []), ...flags]
const failed = areas.filter((area) => tool('node', ['--expose-gc', `bench/src/${area}.ts`, ...options]) !== 0)
if (failed.length > 0) end(`bench: not measured: ${failed.join(', ')}\n`, 1)

function installPeers() {
  const options = { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' }
  return spawnSync('npm', ['ci', '--prefix', 'bench', '--no-audit', '--no-fund'], options).status ?? 1
}
