// What a packaged app must hold. Run by the packaging itself, so that a broken app is never made.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Parts with native files, and what loading them looks like. Each is tried in a process of its own. */
const natives = {
  'better-sqlite3': `new (require('better-sqlite3'))(':memory:').prepare('select 1').get()`,
  'isolated-vm': `new (require('isolated-vm').Isolate)().dispose()`,
  'node-pty': `require('node-pty').spawn`,
  '@pydantic/monty': `new (require('@pydantic/monty').MontyRepl)()`,
  '@vscode/ripgrep': `import('@vscode/ripgrep').then(({ rgPath }) => require('node:child_process').execFileSync(rgPath, ['--version']))`,
}

/** Parts that have no binary for a system. `coppice doctor` says so there, and the app works without. */
const lacking = {
  'mac-x64': ['isolated-vm'],
  'win-arm64': ['isolated-vm', '@pydantic/monty'],
}

/** Folders and files below the unpacked packages that hold the binaries for a system and a processor. */
export function nativeFiles(system, arch) {
  const platform = `${{ mac: 'darwin', win: 'win32', linux: 'linux' }[system]}-${arch}`
  const suffix = { mac: '', win: '-msvc', linux: '-gnu' }[system]
  const files = {
    'better-sqlite3': `better-sqlite3/prebuilds/${platform}.node`,
    'isolated-vm': `isolated-vm/prebuilds/${platform}`,
    'node-pty': `@lydell/node-pty-${platform}`,
    '@pydantic/monty': `@pydantic/monty-${platform}${suffix}`,
    '@vscode/ripgrep': `@vscode/ripgrep-${platform}`,
  }
  return Object.entries(files)
    .filter(([name]) => !lacking[`${system}-${arch}`]?.includes(name))
    .map(([, file]) => file)
}

/** A sentence for each binary for this system that is not there. A machine of any kind can look. */
export function missingNatives(modules, system, arch) {
  return nativeFiles(system, arch)
    .filter((file) => !existsSync(join(modules, file)))
    .map((file) => `${file} is missing. Package the app on a machine with ${arch}, after "npm ci" there.`)
}

/** One sentence for each fault of the folder `resources` of a packaged app, as far as this machine can see. */
export function resourceProblems(resources, { system, arch }) {
  const node = join(resources, system === 'win' ? 'node.exe' : 'node')
  const host = join(resources, 'app.asar.unpacked/host')
  const files = [
    node,
    join(resources, 'app.asar'),
    join(resources, 'bin', system === 'win' ? 'coppice.cmd' : 'coppice'),
    ...['package.json', 'bin/coppice.mjs', 'out/main/cli.js', 'out/main/runner-child.js'].map((one) => join(host, one)),
    ...['out/main/index-worker.js', 'out/main/text-worker.js', 'out/main/pdf-worker.js', 'out/renderer/index.html'].map(
      (one) => join(host, one),
    ),
    join(host, 'resources/demo/tally'),
    ...(system === 'linux' ? [join(host, `resources/enter/coppice-enter-${arch}`)] : []),
  ]
  const missing = [
    ...files.filter((file) => !existsSync(file)).map((file) => `${file} is missing.`),
    ...missingNatives(join(resources, 'app.asar.unpacked/node_modules'), system, arch),
  ]
  return missing.length > 0 || !runsHere(system, arch) ? missing : nativeProblems(node, host, `${system}-${arch}`)
}

/** True when this machine can run programs of that system. */
export function runsHere(system, arch) {
  const here = { darwin: 'mac', win32: 'win', linux: 'linux' }[process.platform]
  return here === system && process.arch === arch
}

function nativeProblems(node, host, platform) {
  return Object.entries(natives)
    .filter(([name]) => !lacking[platform]?.includes(name))
    .map(([name, code]) => [name, tryCode(node, host, code)])
    .filter(([, problem]) => problem !== null)
    .map(([name, problem]) => `The bundled Node cannot load ${name}: ${problem}`)
}

function tryCode(node, host, code) {
  const script = `const require = process.getBuiltinModule('node:module').createRequire(${JSON.stringify(join(host, 'package.json'))}); await (${code})`
  const args = ['--no-node-snapshot', '--input-type=module', '--eval', script.replace("import('@", `import('@`)]
  const { status, stderr, error } = spawnSync(node, args, { cwd: host, encoding: 'utf8', timeout: 60_000 })
  if (status === 0) return null
  const said = stderr?.split('\n').find((line) => /Error|cannot|not/.test(line))
  return error?.message ?? said ?? `it ended with ${status}`
}
