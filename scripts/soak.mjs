// `npm run soak [-- FILTER …]`: runs the property, contract and scenario tests at full size, overnight.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root, tool } from './steps.mjs'

const help = `Usage: npm run soak [-- FILTER …]

Runs every test that has a larger size for a soak: forks, merges, patches, kills, races. This takes hours, not minutes.
A FILTER is part of a test file's path: npm run soak -- patch
`

const filters = process.argv.slice(2)
if (filters.includes('--help') || filters.includes('-h')) {
  process.stdout.write(help)
  process.exit(0)
}

/** Test files whose size depends on the environment. */
const files = ['src', 'integration']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, String(file))))
  .filter((file) => file.endsWith('.test.ts') && /test-size\.testkit/.test(readFileSync(join(root, file), 'utf8')))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .map((file) => relative('.', file))

if (files.length === 0) {
  process.stderr.write(`soak: no test with a soak size has "${filters.join('" or "')}" in its path.\n`)
  process.exit(2)
}
process.stdout.write(`Soaking ${files.length} files:\n${files.map((file) => `  ${file}\n`).join('')}`)
process.exit(tool('vitest', ['run', '--reporter=verbose', ...files], { COPPICE_SOAK: '1' }))
