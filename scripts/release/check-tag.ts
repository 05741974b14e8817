// A release is made of a tag that says the version of package.json: `node scripts/release/check-tag.ts v1.2.3 [NOTES]`.
// NOTES is a file for the section of the change log.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSection } from './version-of.ts'

const [tag, notes] = process.argv.slice(2)
const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const section = findSection(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
const problems = [
  ...(tag === `v${version}` ? [] : [`The tag is ${tag}, and package.json says ${version}.`]),
  ...(section !== null ? [] : [`CHANGELOG.md has no section for ${version}.`]),
]
for (const problem of problems) process.stderr.write(`${problem} Run "npm run release:version" and tag its commit.\n`)
if (notes !== undefined && section !== null) writeFileSync(notes, `${section}\n`)
process.exit(problems.length === 0 ? 0 : 1)
