// After `npm install`: fetches isolated-vm where npm left it out. npm judges optional packages by the Node that runs
// npm, so it leaves this one out under Node 20, although Coppice runs on the Node 24 that it brings along. Nothing is
// compiled, and a failure is no failure of the installation: `coppice doctor` says what is missing.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const name = 'isolated-vm'
const built = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64']

function isInstalled() {
  try {
    return Boolean(createRequire(import.meta.url).resolve(`${name}/package.json`))
  } catch {
    return false
  }
}

/** npm as it runs now; other package managers use the same variable for themselves. */
function npmCommand() {
  const running = process.env.npm_execpath
  return running && basename(running) === 'npm-cli.js' ? [process.execPath, running] : ['npm']
}

// A checkout has sources, and its own Node installs everything.
if (!existsSync(join(root, 'src')) && !isInstalled() && built.includes(`${process.platform}-${process.arch}`)) {
  const place = join(root, 'fetched')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{}\n')
  const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', '.']
  const env = { ...process.env, npm_config_global: 'false', npm_config_prefix: '', npm_config_engine_strict: 'false' }
  const [program, ...first] = npmCommand()
  const words = [...first, 'install', ...flags, `${name}@${optionalDependencies[name]}`]
  // Windows starts npm.cmd by a shell alone. Then no path is in the words.
  const shell = program === 'npm' && process.platform === 'win32'
  spawnSync(program, words, { cwd: place, stdio: 'ignore', env, shell, timeout: 120_000 })
  // Built files look for packages here first.
  if (existsSync(join(place, 'node_modules', name)))
    renameSync(join(place, 'node_modules'), join(root, 'out/node_modules'))
  rmSync(place, { recursive: true, force: true })
}
