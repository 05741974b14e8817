/** The parts of a version such as `1.4.0`, or `1.4.0-beta.2`. */
interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** A commit that people who use the app notice. */
export interface Notable {
  readonly kind: 'breaking' | 'feat' | 'fix' | 'perf'
  /** Such as `window`; null for none. */
  readonly scope: string | null
  readonly text: string
}

/**
 * Reads the first lines of commits (conventionalcommits.org). What changes nothing for people who use the app is left out,
 * such as tests and documents.
 */
export function findNotable(subjects: readonly string[]): readonly Notable[] {
  return subjects.flatMap((subject): readonly Notable[] => {
    const [, kind, scope = null, mark, text = ''] = /^([a-z]+)(?:\(([^)]*)\))?(!?): (.+)$/.exec(subject) ?? []
    if (mark === '!') return [{ kind: 'breaking', scope, text }]
    return kind === 'feat' || kind === 'fix' || kind === 'perf' ? [{ kind, scope, text }] : []
  })
}

/**
 * The version after these changes (semver.org). Before 1.0.0 a breaking change raises the second number. Null when nothing
 * changed for people. Throws for a version in another form.
 */
export function nextVersion(current: string, changes: readonly Notable[]): string | null {
  const { major, minor, patch } = parseVersion(current)
  if (changes.length === 0) return null
  const isBreaking = changes.some(({ kind }) => kind === 'breaking')
  if (isBreaking && major > 0) return `${major + 1}.0.0`
  if (isBreaking || changes.some(({ kind }) => kind === 'feat')) return `${major}.${minor + 1}.0`
  return `${major}.${minor}.${patch + 1}`
}

function parseVersion(text: string): Version {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? []
  if (major === undefined) throw new Error(`"${text}" is not a version such as 1.4.0.`)
  return { major: Number(major), minor: Number(minor), patch: Number(patch) }
}

const titles = { breaking: 'Changed in a way you must know', feat: 'New', fix: 'Mended', perf: 'Faster' } as const

/** A section of the change log, in Markdown. `date` is a day, such as 2026-11-23. */
export function writeSection(version: string, date: string, changes: readonly Notable[]): string {
  const kinds = ['breaking', 'feat', 'fix', 'perf'] as const
  const parts = kinds.flatMap((kind) => {
    const of = changes.filter((change) => change.kind === kind)
    return of.length === 0 ? [] : [`### ${titles[kind]}\n\n${of.map(lineOf).join('\n')}\n`]
  })
  return [`## ${version} · ${date}\n`, ...parts].join('\n')
}

function lineOf({ scope, text }: Notable): string {
  const [first = '', ...rest] = text
  return `- ${first.toUpperCase()}${rest.join('')}${scope === null ? '' : ` (${scope})`}.`
}

/** Puts a section above the others. Throws when the log has one for this version. */
export function addSection(log: string, version: string, section: string): string {
  if (findSection(log, version) !== null) throw new Error(`The change log already has a section for ${version}.`)
  const at = log.indexOf('\n## ')
  return at < 0 ? `${log.trimEnd()}\n\n${section}` : `${log.slice(0, at + 1)}${section}\n${log.slice(at + 1)}`
}

/** The text of a version's section without its heading. Null when there is none. */
export function findSection(log: string, version: string): string | null {
  const sections = log.split(/^## /m).slice(1)
  const found = sections.find((section) => section.startsWith(`${version} `) || section.startsWith(`${version}\n`))
  return found === undefined ? null : found.slice(found.indexOf('\n') + 1).trim()
}
