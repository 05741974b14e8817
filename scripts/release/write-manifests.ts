// `node scripts/release/write-manifests.ts FOLDER REPOSITORY`: writes SHA256SUMS for the files of a release, and from it the
// cask for Homebrew and the manifests for winget, to FOLDER/manifests.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checksumsFile, readChecksums, writeChecksums } from './checksums.ts'
import { writeCask, writeWingetManifests } from './manifests.ts'

const [folder, repository] = process.argv.slice(2)
if (folder === undefined || repository === undefined) {
  process.stderr.write('Usage: node scripts/release/write-manifests.ts FOLDER https://github.com/OWNER/NAME\n')
  process.exit(2)
}
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
const checksums = await writeChecksums(folder)
writeFileSync(join(folder, checksumsFile), checksums)
const release = { version, repository, hashes: readChecksums(checksums) }
const place = join(folder, 'manifests')
mkdirSync(place, { recursive: true })
writeFileSync(join(place, 'coppice.rb'), writeCask(release))
for (const [name, text] of writeWingetManifests(release)) writeFileSync(join(place, name), text)
