// `npm run release:prepare`: writes the next version and its section of the change log, from the commits since the last
// release. Commits nothing.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { addSection, findNotable, nextVersion, writeSection } from './next-version.ts'

const git = (...args: readonly string[]) => execFileSync('git', [...args], { encoding: 'utf8' }).trim()

const [last] = git('tag', '--list', 'v*', '--sort=-v:refname').split('\n').filter(Boolean)
if (last === undefined) stop('There is no release yet. Tag this one as docs/release.md says.')
const subjects = git('log', '--no-merges', '--format=%s', `${last}..HEAD`).split('\n').filter(Boolean)
const changes = findNotable(subjects)
const version = nextVersion(last.slice(1), changes)
if (version === null) stop(`Nothing changed for people since ${last}.`)
const manifest = readFileSync('package.json', 'utf8')
writeFileSync('package.json', manifest.replace(/"version": "[^"]*"/, `"version": "${version}"`))
const date = new Date().toISOString().slice(0, 10)
writeFileSync(
  'CHANGELOG.md',
  addSection(readFileSync('CHANGELOG.md', 'utf8'), version, writeSection(version, date, changes)),
)
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], {
  stdio: 'ignore',
  shell: process.platform === 'win32',
})
process.stdout.write(`${version}: read CHANGELOG.md, then commit as "build: release ${version}" and tag v${version}.\n`)

function stop(why: string): never {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}
