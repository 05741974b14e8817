#!/usr/bin/env node
// Starts the command line with a Node that is new enough: this one, else the one installed with the app. This file must
// run under Node 20, which many people have.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const oldest = 24
const root = fileURLToPath(new URL('..', import.meta.url))
const entry = join(root, 'out/main/cli.js')

function fail(...lines) {
  process.stderr.write(`coppice: ${lines.join('\n')}\n`)
  process.exit(1)
}

/** Folders of packages that bring a Node. The last ones are fetched by the first, beside it or below it. */
function packagesWithNode() {
  const { platform, arch } = process
  const system = platform === 'win32' ? 'win' : platform
  return ['node', `node-${system}-${arch}`, `node-bin-${system}-${arch}`]
}

/** The Node that was installed with the app, wherever the package manager put it; undefined if it brought none. */
function installedNode() {
  const { resolve } = createRequire(import.meta.url)
  const file = join('bin', process.platform === 'win32' ? 'node.exe' : 'node')
  for (const name of packagesWithNode()) {
    try {
      const node = join(dirname(resolve(`${name}/package.json`)), file)
      if (existsSync(node)) return node
    } catch {
      // Not installed, or not for this system.
    }
  }
  return undefined
}

/** A checkout has the sources; an installed package has not. */
function howToMend() {
  if (existsSync(join(root, 'src'))) return [`Run "npm ci" in ${root} first.`]
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return [
    'Coppice usually brings one along, but there is none for this system, or install scripts were not allowed to run.',
    `Either install Node ${oldest} (https://nodejs.org) and start again,`,
    `or run "npm install -g coppice@${version}" with install scripts allowed.`,
  ]
}

if (!existsSync(entry)) fail(`the app is not built yet. Run "npm run build" in ${root} first.`)

if (Number(process.versions.node.split('.')[0]) >= oldest) {
  if (process.connected) {
    // The parent process is gone, so nobody can see or stop this one any more.
    process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
    process.channel.unref()
  }
  // Compiled scripts are kept for the next start, where this folder can be written to.
  module.enableCompileCache?.(join(root, 'out/compiled'))
  await import(pathToFileURL(entry).href)
} else {
  const node = installedNode()
  if (!node) fail(`needs Node ${oldest} or newer, and this is ${process.version}.`, ...howToMend())
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`the Node that came along cannot be started: ${error.message}`, ...howToMend()))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}
