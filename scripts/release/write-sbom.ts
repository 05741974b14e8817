// Writes what a release is made of: `node scripts/release/write-sbom.ts FILE`. Run it after a build. The list has the
// packages in the built files, those that are installed beside them on any system, Electron, and the Node of the app.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sbomOf, shippedParts } from './sbom.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))

const [file] = process.argv.slice(2)
if (file === undefined) {
  process.stderr.write('Usage: node scripts/release/write-sbom.ts FILE\n')
  process.exit(2)
}
const { name, version } = read('package.json')
const lists = ['main', 'preload', 'renderer'].flatMap((target): string[] => read(`out/packages-${target}.json`))
const parts = shippedParts(read('package-lock.json').packages, lists)
writeFileSync(file, sbomOf({ name, version }, parts))
process.stdout.write(`${file}: ${parts.length} parts\n`)
