// `npm run test:package`: packs the npm package, checks its size, and runs it from an empty folder that holds nothing
// but the package and its own dependencies. With `-- --install [CASE …]` it is installed from the registry instead, on
// the bare machines of install-cases.mjs; that takes minutes. A case that cannot run here is skipped; with --strict it fails.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findSystemBrowser } from '../browser-options.ts'
import { root } from '../steps.mjs'
import { cases, installCase } from './install-cases.mjs'
import { megabytes, pack, packageProblems } from './pack.mjs'
import { proveInstalled } from './prove-installed.mjs'

const isStrict = process.argv.includes('--strict')
const args = process.argv.slice(2).filter((one) => one !== '--strict')
// The sandbox of commands hides temporary folders, and with them the programs of a bare machine.
const parent = args[0] === '--install' && process.getuid?.() === 0 ? '/opt' : tmpdir()
const folder = mkdtempSync(join(parent, 'coppice-package-'))
spawnSync('chmod', ['755', folder])
const browser = findSystemBrowser() ?? null
let failed = 0

try {
  const packed = pack(folder)
  const problems = packageProblems(packed)
  say(`${megabytes(packed.packed)} packed, ${megabytes(packed.unpacked)} unpacked, ${packed.files.length} files`)
  for (const problem of problems) fail(problem)
  if (args[0] === '--install') await installAll(packed.file, args.slice(1))
  else await prove('unpacked', async () => ({ ...unpack(packed.file), note: 'with the production packages alone' }))
} finally {
  spawnSync('chmod', ['-R', 'u+w', folder])
  rmSync(folder, { recursive: true, force: true })
}
say(failed === 0 ? 'ok' : `${failed} FAILED`)
process.exit(failed === 0 ? 0 : 1)

function say(line) {
  process.stdout.write(`${line}\n`)
}

function fail(line) {
  failed += 1
  say(`FAILED  ${line}`)
}

async function prove(name, prepare) {
  try {
    const { note, ...installed } = await prepare()
    say(`ok      ${name.padEnd(14)} ${note}; ${await proveInstalled({ ...installed, browser })}`)
  } catch (error) {
    fail(`${name.padEnd(14)} ${error.message}`)
  }
}

/** The package with links to the packages that its production dependencies need, and to no other. */
function unpack(file) {
  const modules = join(folder, 'place/node_modules')
  const scratch = join(folder, 'scratch')
  for (const made of [join(modules, 'coppice'), scratch]) mkdirSync(made, { recursive: true })
  spawnSync('tar', ['-xzf', file, '--strip-components=1', '-C', join(modules, 'coppice')])
  const { packages } = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'))
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    const name = path.replace(/^node_modules\//, '')
    if (dev || devOptional || name.includes('node_modules/')) continue
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, path), join(modules, name), 'junction')
  }
  const start = [process.execPath, join(modules, 'coppice/bin/coppice.mjs')]
  const { PATH, LANG, SystemRoot, APPDATA, LOCALAPPDATA, TEMP } = process.env
  const env = { PATH, LANG, SystemRoot, APPDATA, LOCALAPPDATA, TEMP, HOME: scratch }
  return { start, env, cwd: scratch, scratch }
}

async function installAll(file, names) {
  const unknown = names.filter((name) => !cases[name])
  if (unknown.length > 0) return fail(`there is no case ${unknown}; choose from ${Object.keys(cases).join(', ')}`)
  if (process.platform !== 'linux') return prove('installed', async () => installHere(file))
  const tools = findTools()
  for (const name of names.length > 0 ? names : Object.keys(cases)) {
    const wanted = cases[name]
    const missing = !tools.nodes[wanted.node]
      ? `Node ${wanted.node}`
      : wanted.user && !tools.user
        ? 'the right to be another user'
        : null
    if (missing) {
      if (isStrict) fail(`${name.padEnd(14)} ${missing} is not here`)
      else say(`skipped ${name.padEnd(14)} ${missing} is not here`)
      continue
    }
    await prove(name, () => installCase(name, { ...tools, file, folder: join(folder, name) }))
  }
}

/** On other systems: one plain installation with what is there. */
function installHere(file) {
  const place = join(folder, 'place')
  const scratch = join(folder, 'scratch')
  for (const made of [place, scratch]) mkdirSync(made, { recursive: true })
  const options = { cwd: place, encoding: 'utf8', shell: process.platform === 'win32' }
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', place, file], options)
  if (status !== 0) throw new Error(`npm install failed: ${stderr}`)
  const start = [process.execPath, join(place, 'node_modules/coppice/bin/coppice.mjs')]
  return { start, env: process.env, cwd: scratch, scratch, note: 'installed with the npm of this machine' }
}

/** Nodes by major, found where systems and this project have them, and npm 10 and 11 from the registry. */
function findTools() {
  const found = ['/usr/bin/node', '/usr/local/bin/node', process.env.COPPICE_NODE_20, process.execPath]
  const nodes = {}
  for (const node of found.filter((one) => one && existsSync(one))) {
    const major = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.slice(1).split('.')[0]
    nodes[major] ??= node
  }
  const npms = {}
  for (const major of [10, 11]) {
    const place = join(folder, `npm-${major}`)
    const args = ['install', '--prefix', place, '--no-audit', '--no-fund', `npm@${major}`]
    if (spawnSync('npm', args, { stdio: 'ignore' }).status !== 0) throw new Error(`npm ${major} could not be installed`)
    npms[major] = join(place, 'node_modules/npm/bin')
  }
  return { nodes, npms, user: process.getuid() === 0 ? [65534, 65534] : null }
}
