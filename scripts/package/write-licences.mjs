// Writes THIRD-PARTY-LICENSES.txt: the licences of all packages in the built files. Run it after a build.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../steps.mjs'

const lists = ['main', 'preload', 'renderer'].map((target) => join(root, `out/packages-${target}.json`))
/** Their files are copied, so they are not modules of a bundle. */
const copied = ['node_modules/@fontsource-variable/inter', 'node_modules/@fontsource-variable/jetbrains-mono']

export function writeLicences() {
  const names = new Set([...copied, ...lists.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')))])
  const packages = [...names].sort().filter(isInstalled).map(describe)
  const head = `Coppice contains code of these ${packages.length} packages. Their licences follow.\n`
  // Like texts stand together, and equal ones once, which compresses to half.
  const parts = Object.entries(Object.groupBy(packages, ({ text }) => text))
    .map(([text, of]) => ({
      licence: of[0].licence,
      text,
      part: `${of.map(({ title }) => title).join('\n')}\n\n${text}\n`,
    }))
    .sort((one, other) => one.licence.localeCompare(other.licence) || one.text.length - other.text.length)
    .map(({ part }) => part)
  writeFileSync(join(root, 'THIRD-PARTY-LICENSES.txt'), [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`))
  return packages.length
}

function isInstalled(name) {
  return existsSync(join(root, name, 'package.json'))
}

function describe(path) {
  const folder = join(root, path)
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = files.map((file) => tidied(readFileSync(join(folder, file), 'utf8')))
  const licence = typeof license === 'string' ? license : 'see below'
  const text = texts.join('\n\n') || 'The package has no file with its licence.'
  return { licence, title: `${name} ${version} (${licence})`, text }
}

/** Without spaces at the ends of lines, in which otherwise equal texts differ. */
function tidied(text) {
  return text.replaceAll(/[ \t\r]+$/gm, '').trim()
}

if (import.meta.main) process.stdout.write(`Wrote the licences of ${writeLicences()} packages.\n`)
