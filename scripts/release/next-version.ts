// `npm run release:version`: finds the next version from the commits since the last tag, and writes it to package.json,
// package-lock.json and CHANGELOG.md. With --print it only prints the version, or nothing when no release is needed.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addSection, type Commit, findSection, firstVersion, nextVersion, writeSection } from './version-of.ts'

const root = join(import.meta.dirname, '../..')
const git = (args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

function lastTag(): string | null {
  const tags = git(['tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort=-version:refname'])
  return tags.split('\n')[0] || null
}

function commitsSince(tag: string | null): readonly Commit[] {
  const range = tag === null ? ['HEAD'] : [`${tag}..HEAD`]
  const entries = git(['log', '--no-merges', '--format=%s%x1f%b%x1e', ...range]).split('\x1e')
  return entries.filter(Boolean).map((entry) => {
    const [subject = '', body = ''] = entry.trim().split('\x1f')
    return { subject, body }
  })
}

function writeVersion(file: string, version: string): void {
  const text = readFileSync(file, 'utf8')
  const manifest = JSON.parse(text)
  manifest.version = version
  if (manifest.packages?.['']) manifest.packages[''].version = version
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
}

const tag = lastTag()
const commits = commitsSince(tag)
const version = nextVersion(tag?.slice(1) ?? null, commits)
if (version === null) {
  process.stderr.write(`No release is needed: nothing that people notice has changed since ${tag}.\n`)
} else if (process.argv.includes('--print')) {
  process.stdout.write(`${version}\n`)
} else {
  for (const name of ['package.json', 'package-lock.json']) writeVersion(join(root, name), version)
  const file = join(root, 'CHANGELOG.md')
  const log = existsSync(file) ? readFileSync(file, 'utf8') : null
  const date = new Date().toISOString().slice(0, 10)
  // The first release has a section in words, not a list of every commit before it.
  const section =
    version === firstVersion
      ? `## ${version} – ${date}\n\n${(log && findSection(log, version)) ?? 'The first release.'}\n`
      : writeSection(version, date, commits)
  writeFileSync(file, addSection(log, version, section))
  process.stdout.write(
    `${version}: package.json, package-lock.json and CHANGELOG.md are written. Commit them and tag v${version}.\n`,
  )
}
