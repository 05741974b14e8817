#!/usr/bin/env node
// Starts the command line with a Node that is new enough: this one, else the one installed with the app.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const entry = join(root, 'out/main/cli.js')

function fail(message) {
  process.stderr.write(`coppice: ${message}\n`)
  process.exit(1)
}

if (!existsSync(entry)) fail(`the app is not built yet. Run "npm run build" in ${root} first.`)

if (Number(process.versions.node.split('.')[0]) >= 24) {
  if (process.connected) {
    // The parent process is gone, so nobody can see or stop this one any more.
    process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
    process.channel.unref()
  }
  await import(pathToFileURL(entry).href)
} else {
  const node = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(node)) fail(`needs Node 24 or newer, and this is ${process.version}. Run "npm ci" in ${root} first.`)
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}
