// `node scripts/release/check-tag.ts v1.4.0`: ends with 1 unless the tag is the version of package.json and the change log
// has a section for it. Writes that section to release-notes.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { findSection } from './next-version.ts'

const [tag = ''] = process.argv.slice(2)
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
const notes = findSection(readFileSync('CHANGELOG.md', 'utf8'), version)
const problem =
  tag !== `v${version}`
    ? `The tag is "${tag}" and package.json says ${version}. Run "npm run release:prepare" before you tag.`
    : notes === null
      ? `CHANGELOG.md has no section for ${version}.`
      : null
if (problem !== null) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}
writeFileSync('release-notes.md', `${notes}\n`)
