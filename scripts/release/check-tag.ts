// A release is made of a tag that says the version of package.json: `node scripts/release/check-tag.ts v1.2.3`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [tag] = process.argv.slice(2)
const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const problems = [
  ...(tag === `v${version}` ? [] : [`The tag is ${tag}, and package.json says ${version}.`]),
  ...(changes.includes(`\n## ${version} `) ? [] : [`CHANGELOG.md has no section for ${version}.`]),
]
for (const problem of problems) process.stderr.write(`${problem} Run "npm run release:version" and tag its commit.\n`)
process.exit(problems.length === 0 ? 0 : 1)
