// `npm start [-- FOLDER]`: builds what changed and opens the app. Everything after `--` goes to `coppice open`.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The time of the latest change below a folder, in milliseconds. */
function latestChange(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0)
}

function isBuilt() {
  const built = join(root, 'out/main/cli.js')
  const page = join(root, 'out/renderer/index.html')
  if (!existsSync(built) || !existsSync(page)) return false
  const builtAt = Math.min(statSync(built).mtimeMs, statSync(page).mtimeMs)
  return builtAt > Math.max(latestChange(join(root, 'src')), statSync(join(root, 'package.json')).mtimeMs)
}

if (!isBuilt()) {
  process.stdout.write('Building Coppice…\n')
  const build = spawnSync('npm', ['run', '--silent', 'build', '--', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (build.status !== 0) process.exit(build.status ?? 1)
}

const child = spawn(process.execPath, [join(root, 'bin/coppice.mjs'), 'open', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))
