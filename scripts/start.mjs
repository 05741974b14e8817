// `npm start [-- FOLDER]`: builds the app if it changed, and opens it. Everything after `--` goes to `coppice open`.
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isBuilt } from './is-built.mjs'
import { root } from './steps.mjs'

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
