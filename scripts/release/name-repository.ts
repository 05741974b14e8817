// Writes the repository into package.json, which npm's provenance compares with the workflow's: run in a release only.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const repository = process.env.GITHUB_REPOSITORY
if (repository === undefined) {
  process.stderr.write('GITHUB_REPOSITORY is not set, so this is no release.\n')
  process.exit(1)
}
const file = join(import.meta.dirname, '../../package.json')
const manifest = JSON.parse(readFileSync(file, 'utf8'))
manifest.repository = { type: 'git', url: `git+https://github.com/${repository}.git` }
writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
