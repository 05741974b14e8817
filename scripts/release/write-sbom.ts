// Writes what a release is made of: `node scripts/release/write-sbom.ts FILE`. Run it after a build. The list has the
// packages in the built files, those that are installed beside them on any system, Electron, and the Node of the app.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Part, sbomOf } from './sbom.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))

interface Locked {
  readonly version: string
  readonly dev?: boolean
  readonly devOptional?: boolean
}

const [file] = process.argv.slice(2)
if (file === undefined) {
  process.stderr.write('Usage: node scripts/release/write-sbom.ts FILE\n')
  process.exit(2)
}
const { name, version, optionalDependencies } = read('package.json')
const locked = Object.entries<Locked>(read('package-lock.json').packages).filter(([path]) => path !== '')
const installed = locked.flatMap(([path, { version, dev, devOptional }]): readonly Part[] =>
  dev || devOptional ? [] : [{ name: path.slice(path.lastIndexOf('node_modules/') + 13), version }],
)
const lists = ['main', 'preload', 'renderer'].map((target) => `out/packages-${target}.json`)
const fonts = ['@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono']
const names: readonly string[] = [...fonts, 'electron', ...lists.flatMap((list) => read(list))]
const bundled = names
  .filter((one) => existsSync(join(root, 'node_modules', one, 'package.json')))
  .map((one) => ({ name: one, version: read(join('node_modules', one, 'package.json')).version }))
const parts = [...installed, ...bundled, { name: 'node', version: optionalDependencies.node }]
writeFileSync(file, sbomOf({ name, version }, parts))
process.stdout.write(`${file}: ${parts.length} parts\n`)
