import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { tokens } from './secret-files.ts'

/**
 * True for what git reads as text and what may hold addresses or credentials: the settings of a repository, of its
 * submodules and worktrees, files that settings include, copies of them, and what git writes down about fetches.
 */
export function isGitConfig(path: VirtualPath): boolean {
  if (bareRepository.test(path)) return true
  const inside = /\/\.git\/(.+)$/i.exec(path)?.[1]
  return inside !== undefined && gitText.test(inside) && !gitNames.test(inside)
}

const bareRepository = /\/[^/]+\.git\/(config(\.worktree)?|FETCH_HEAD)$/i
const gitText =
  /(^|\/)((config|credentials)[^/]*|[^/]*\.(inc|gitconfig)|FETCH_HEAD|config\.d\/[^/]+|logs\/.+|remotes\/[^/]+|branches\/.+)$/i

/** Files below these folders bear the names of branches and the like, or are programs. */
const gitNames = /^(modules\/.+\/|worktrees\/[^/]+\/)?(refs\/(heads|tags|remotes|notes|stash)|hooks|objects)\//i

const redacted = '[redacted]'
const redactedLine = `# ${redacted}`

/** Characters of a line or value that is looked at. A longer one is left out. */
const longestValue = 8_192

/**
 * The text of a repository's settings without credentials: those in addresses, and in headers and settings that carry
 * them. The rest stays as it is. Takes also single lines of settings, and the other files that `isGitConfig` names.
 * What git would not understand is left out, because it may be the rest of a credential.
 */
export function withoutCredentials(text: string): string {
  // Lines at even places, their ends at odd ones.
  const parts = text.split(/(\r\n|\n|\r)/)
  let section = ''
  let shown = ''
  for (let at = 0; at < parts.length; at += 2) {
    const line = readLine(parts, at, section)
    section = line.section
    shown += line.shown + (parts[line.last + 1] ?? '')
    at = line.last
  }
  return shown
}

interface ShownLine {
  readonly shown: string
  /** The section that the next line belongs to. */
  readonly section: string
  /** The place of the last line that belongs to this one. */
  readonly last: number
}

const sectionHeader = /^\[([A-Za-z0-9.-]*)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\]\s*/
const settingName = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(=|$)/
const addressLine =
  /^([0-9a-f]{40,64}[ \t]+([0-9a-f]{40}|not-for-merge|branch |tag |'|[a-z]+:\/\/)|(URL|Push|Pull):|[a-z][a-z0-9+.-]*:\/\/)/

/** A name without a value that is longer than any of git is more likely a part of a value. */
const longestName = 36

function readLine(parts: readonly string[], at: number, section: string): ShownLine {
  const line = parts[at] ?? ''
  if (line.length <= longestValue && addressLine.test(line)) {
    return { shown: withoutUserInfo(line.replace(new RegExp(tokens, 'g'), redacted)), section, last: at }
  }
  let rest = line.trimStart()
  let before = line.slice(0, line.length - rest.length)
  for (let header = sectionHeader.exec(rest); header; header = sectionHeader.exec(rest)) {
    const [all, name = '', quoted] = header
    section = name
    before += quoted === undefined ? all : all.replace(quoted, () => shownSubsection(quoted))
    rest = rest.slice(all.length)
  }
  if (rest === '' || rest.startsWith('#') || rest.startsWith(';')) {
    return { shown: before + shownComment(rest), section, last: at }
  }
  const [start = '', name = '', sign] = settingName.exec(rest) ?? []
  const { value, comment, last, isWhole } = readValue(parts, at, rest.slice(start.length))
  if (name === '' || (value === '' && name.length > longestName)) return { shown: before + redactedLine, section, last }
  if (sign !== '=') return { shown: before + rest, section, last }
  const shownAs = isWhole ? shownValue(section, name, value) : redacted
  if (shownAs !== value || shownComment(comment) !== comment) {
    return { shown: `${before}${name} = ${quoteValue(shownAs)}`, section, last }
  }
  return { shown: before + rest + parts.slice(at + 1, last + 1).join(''), section, last }
}

interface Value {
  readonly value: string
  readonly comment: string
  readonly last: number
  /** False when the value is too long or the text ends within it. */
  readonly isWhole: boolean
}

const escapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['b', '\b'],
])

/** Reads a value as git does: with quotes, escapes, comments, and lines that go on behind a backslash. */
function readValue(parts: readonly string[], first: number, start: string): Value {
  let value = ''
  let isQuoted = false
  let text = start
  for (let last = first; ; last += 2, text = parts[last] ?? '') {
    let goesOn = false
    for (let at = 0; at < text.length; at += 1) {
      const letter = text.charAt(at)
      if (letter === '"') isQuoted = !isQuoted
      else if (!isQuoted && (letter === '#' || letter === ';')) {
        return { value: value.trim(), comment: text.slice(at), last, isWhole: value.length <= longestValue }
      } else if (letter !== '\\') value += letter
      else if (at === text.length - 1) goesOn = true
      else {
        at += 1
        value += escapes.get(text.charAt(at)) ?? text.charAt(at)
      }
    }
    const ends = last + 2 >= parts.length
    if (!goesOn || ends) {
      return { value: value.trim(), comment: '', last, isWhole: !goesOn && !isQuoted && value.length <= longestValue }
    }
  }
}

const plainValue = /^(true|false|yes|no|on|off|auto|always|never)?$/i
const secretSetting = /pass|pwd|token|secret|cookie|auth(?!or)|cred|header|bearer|private|nonceseed|key$/i
const harmlessSetting =
  /^(askpass|signingkey|(proxy)?sslkey|pinnedpubkey|cookiefile|smtpauth|(proxy)?authmethod|proactiveauth)$/i
const secretSection = /pass|token|secret/i

/** These hold names of branches, in which any word may occur before a colon. */
const namesBranches = /^(fetch|push|merge)$/i

/** A credential in a command or in an address. */
const telling =
  /(?:authorization|cookie|passw(?:or)?d|passphrase|token|secret|(?:api|access|private)[-_ ]?key)["']?\s*[=:]|(?:bearer|basic)\s+\S|sshpass|-----BEGIN/i

function shownValue(section: string, name: string, value: string): string {
  if (plainValue.test(value)) return value
  if ((secretSetting.test(name) && !harmlessSetting.test(name)) || secretSection.test(section)) return redacted
  if (namesBranches.test(name)) return withoutUserInfo(value)
  if (telling.test(value) || tokens.test(value)) return redacted
  const host = /proxy$/i.test(name) && !value.includes('://') ? value.lastIndexOf('@') : -1
  return host < 0 ? withoutUserInfo(value) : redacted + value.slice(host)
}

function quoteValue(value: string): string {
  if (!/["\\#;\n\t\b]|^\s|\s$/.test(value)) return value
  const letters = value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
  return `"${letters.replaceAll('\b', '\\b')}"`
}

/** The name between the quotes of a section's line. */
function shownSubsection(quoted: string): string {
  const name = quoted.replace(/\\(.)/g, '$1')
  const shown = name.length > longestValue || tokens.test(name) ? redacted : withoutUserInfo(name)
  return shown === name ? quoted : shown.replace(/["\\]/g, '\\$&')
}

function shownComment(comment: string): string {
  const isSecret =
    comment.length > longestValue ||
    /auth|token|pass|secret|cred|header|cookie|bearer|basic|private|key\s*=/i.test(comment) ||
    tokens.test(comment) ||
    withoutUserInfo(comment) !== comment
  return isSecret ? redactedLine : comment
}

const secretParameter = /([?&][\w-]*(?:token|secret|passw(?:or)?d|key|signature)=)[^&\s"']+/gi

/**
 * The text without names and passwords in addresses. The last @ before the path counts. A name alone stays where it
 * opens nothing: with SSH.
 */
function withoutUserInfo(text: string): string {
  let shown = ''
  let done = 0
  for (let scheme = text.indexOf('://'); scheme >= 0; scheme = text.indexOf('://', done)) {
    const start = scheme + 3
    let end = start
    let host = -1
    for (; end < text.length && !'/?#'.includes(text.charAt(end)); end += 1) if (text.charAt(end) === '@') host = end
    const user = host < 0 ? '' : text.slice(start, host)
    const isNamed = /(ssh|git)$/i.test(text.slice(Math.max(done, scheme - 3), scheme))
    const colon = user.indexOf(':')
    const kept = !isNamed ? '' : colon < 0 ? user : user.slice(0, colon + 1)
    shown += text.slice(done, start)
    if (host >= 0) shown += kept === user ? user : kept + redacted
    shown += text.slice(Math.max(start, host), end)
    done = end
  }
  return (shown + text.slice(done)).replace(secretParameter, `$1${redacted}`)
}
