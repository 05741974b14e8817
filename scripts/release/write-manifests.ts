// Writes the Homebrew cask and the winget manifest of a release:
// node scripts/release/write-manifests.ts VERSION OWNER/NAME FOLDER-WITH-SHA256SUMS
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeCask, writeWinget } from './store-manifests.ts'

const [version, repository, folder] = process.argv.slice(2)
if (version === undefined || repository === undefined || folder === undefined) {
  process.stderr.write('Usage: node scripts/release/write-manifests.ts VERSION OWNER/NAME FOLDER\n')
  process.exit(2)
}
const release = { version, repository, checksums: readFileSync(join(folder, 'SHA256SUMS'), 'utf8') }
const target = join(folder, 'manifests')
mkdirSync(target, { recursive: true })
for (const [name, text] of Object.entries({ 'coppice.rb': writeCask(release), ...writeWinget(release) })) {
  writeFileSync(join(target, name), text)
  process.stdout.write(`${join(target, name)}\n`)
}
