// Packs the npm package as it would be published, and checks its size.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps.mjs'
import { writeLicences } from './write-licences.mjs'

/** 3.5 MB until pages (a reader of HTML) and company proxies (an HTTP client of its own) came. */
export const mostPacked = 3.75 * 1024 * 1024
export const mostUnpacked = 12 * 1024 * 1024

/** The package in `folder`: its file and its sizes in bytes. The build must be there. */
export function pack(folder) {
  if (!existsSync(join(root, 'out/main/cli.js'))) throw new Error('The app is not built: run "npm run build" first.')
  writeLicences()
  mkdirSync(folder, { recursive: true })
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const options = { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' }
  const { status, stdout, stderr } = spawnSync('npm', args, options)
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`)
  const answer = JSON.parse(stdout)
  const [{ filename, unpackedSize, files }] = Array.isArray(answer) ? answer : Object.values(answer)
  const file = join(folder, filename.replaceAll('/', '-').replace('@', ''))
  return { file, packed: statSync(file).size, unpacked: unpackedSize, files: files.map(({ path }) => path) }
}

/** A sentence for each way in which the package is not what should be published. */
export function packageProblems({ packed, unpacked, files }) {
  const { private: isPrivate } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const needed = [
    'bin/coppice.mjs',
    'out/main/cli.js',
    'out/renderer/index.html',
    'LICENSE',
    'THIRD-PARTY-LICENSES.txt',
  ]
  return [
    ...(isPrivate ? ['package.json says "private".'] : []),
    ...(packed > mostPacked ? [`It is ${megabytes(packed)} packed, more than ${megabytes(mostPacked)}.`] : []),
    ...(unpacked > mostUnpacked
      ? [`It is ${megabytes(unpacked)} unpacked, more than ${megabytes(mostUnpacked)}.`]
      : []),
    ...needed.filter((file) => !files.includes(file)).map((file) => `${file} is missing.`),
    ...files.filter((file) => /\.(map|tsx?)$/.test(file)).map((file) => `${file} should not be in it.`),
  ]
}

export function megabytes(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(2)} MB`
}
