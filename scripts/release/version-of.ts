/** What a commit means to a person who updates. */
export interface Commit {
  readonly subject: string
  readonly body: string
}

export type Change = 'major' | 'minor' | 'patch'

/** The first version that people get. Earlier commits count as one step. */
export const firstVersion = '0.9.0'

const pattern = /^(?<type>[a-z]+)(?:\((?<scope>[^)]+)\))?(?<breaks>!)?: (?<text>.+)$/

export interface ParsedCommit {
  readonly type: string
  readonly scope: string | null
  readonly text: string
  readonly breaks: boolean
}

/** Null for a subject that is not a conventional commit, such as a merge. */
export function parseCommit({ subject, body }: Commit): ParsedCommit | null {
  const groups = pattern.exec(subject)?.groups
  if (groups?.type === undefined || groups.text === undefined) return null
  const breaks = groups.breaks === '!' || /^BREAKING[ -]CHANGE: /m.test(body)
  return { type: groups.type, scope: groups.scope ?? null, text: groups.text, breaks }
}

/** The largest change among the commits; null when nothing changes for people. */
export function largestChange(commits: readonly Commit[]): Change | null {
  const parsed = commits.map(parseCommit).filter((commit) => commit !== null)
  if (parsed.some(({ breaks }) => breaks)) return 'major'
  if (parsed.some(({ type }) => type === 'feat')) return 'minor'
  return parsed.some(({ type }) => type === 'fix' || type === 'perf') ? 'patch' : null
}

/** The version after `last`; null when no release is needed. `last` null means that there was none. */
export function nextVersion(last: string | null, commits: readonly Commit[]): string | null {
  if (last === null) return firstVersion
  const change = largestChange(commits)
  if (change === null) return null
  const [major = 0, minor = 0, patch = 0] = last.split('.').map(Number)
  if (change === 'major') return `${major + 1}.0.0`
  return change === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}

const titles: Readonly<Record<string, string>> = { feat: 'New', fix: 'Fixed', perf: 'Faster' }

/** The section of a release in CHANGELOG.md. `date` is YYYY-MM-DD. */
export function writeSection(version: string, date: string, commits: readonly Commit[]): string {
  const parsed = commits.map(parseCommit).filter((commit) => commit !== null)
  const breaking = parsed.filter(({ breaks }) => breaks)
  const parts = [
    ...listOf('Changes that need your attention', breaking),
    ...Object.entries(titles).flatMap(([type, title]) =>
      listOf(
        title,
        parsed.filter((commit) => commit.type === type && !commit.breaks),
      ),
    ),
  ]
  const text = parts.length === 0 ? ['No changes that people notice.\n'] : parts
  return [`## ${version} – ${date}\n`, ...text].join('\n')
}

function listOf(title: string, commits: readonly ParsedCommit[]): readonly string[] {
  if (commits.length === 0) return []
  const lines = commits.map(({ scope, text }) => `- ${scope === null ? '' : `**${scope}:** `}${text}`)
  return [`### ${title}\n`, `${[...new Set(lines)].join('\n')}\n`]
}

const head = '# Changes\n\nVersions follow semver.org. `npm run release:version` writes this file from the commits.\n'

/** The file with the section on top. A section of the same version is replaced. */
export function addSection(file: string | null, version: string, section: string): string {
  const sections = (file ?? '').split(/^(?=## )/m).filter((part) => part.startsWith('## '))
  const others = sections.filter((part) => !part.startsWith(`## ${version} `)).map((part) => part.trimEnd())
  return `${[head.trimEnd(), section.trimEnd(), ...others].join('\n\n')}\n`
}

/** The text of a version's section, without its heading. Null when there is none. */
export function findSection(file: string, version: string): string | null {
  const found = file.split(/^(?=## )/m).find((part) => part.startsWith(`## ${version} `))
  return found === undefined ? null : found.slice(found.indexOf('\n') + 1).trim()
}
