import { nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'

/**
 * Names of files that hold keys, passwords or tokens, by what makes them: environments, package registries, clouds,
 * databases, version control, certificates, password safes. Collected from the documentation of these programs.
 */
const secretNames: readonly RegExp[] = [
  // Environments
  /^\.env(rc)?([-_.].*)?$/,
  /\.env$/,
  /^env[-_.](prod|production|stag(e|ing)|dev|development|local|live|test)$/,
  /^\.dev\.vars([-_.].*)?$/,
  /^local\.settings\.json$/,
  /^\.?secrets?(\.(json|ya?ml|toml|ini|env|properties))?$/,
  // Package registries and build tools
  /^\.?(npmrc|yarnrc)$/,
  /^\.yarnrc\.yml$/,
  /^\.(pypirc|condarc|rclone\.conf|mc-config\.json)$/,
  /^(auth\.json|\.dockercfg|\.dockerconfigjson)$/,
  // Clouds and infrastructure
  /^\.?credentials(\.(json|csv|ini|ya?ml|toml|xml|properties))?$/,
  /^client_secrets?[^/]*\.json$/,
  /^(.*[-_.])?service[-_]?account[^/]*\.json$/,
  /^.*-firebase-adminsdk-.*\.json$/,
  /^application_default_credentials\.json$/,
  /\.tfstate(\.backup|\.\d+\.backup)?$/,
  /\.tfvars(\.json)?$/,
  /^(\.terraformrc|terraform\.rc)$/,
  /^(.*[-_.])?kube[-_]?config([-_][^.]+)?(\.(ya?ml|json|conf|txt))?$/,
  /^\.(s3cfg|boto|databrickscfg|doctl|passwd-s3fs|vault-token)$/,
  /^\.?vault[-_.]?(token|pass|password)([-_.]?file)?(\.txt)?$/,
  // Databases
  /^\.?pgpass(\.conf)?$/,
  /^\.(my|mylogin)\.cnf$/,
  // Version control, web servers, networks
  /^\.git-credentials$/,
  /^[._]?netrc$/,
  /^\.?htpasswd$/,
  /^\.?(sftp|ftp)-?config(\.json)?$/,
  // Keys, certificates with keys, password safes
  /\.(pem|key|p8|p12|pfx|ppk|jks|jceks|keystore|bks|gpg|pgp|kdbx?|agekey|keytab|ovpn)$/,
  /^(.*[-_.])?id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?([-_.](?!pub$).*)?$/,
  /^(secring|trustdb)\.gpg$/,
  /^.*_history$/,
]

/** The same for files whose name alone says nothing: the end of the path in lower case. */
const secretPaths: readonly RegExp[] = [
  /\/\.docker\/config\.json$/,
  /\/\.kube\/(config|cache\/.*)$/,
  /\/\.aws\/((credentials|config)([-_.][^/]*)?|sso\/cache\/.*|cli\/cache\/.*)$/,
  /\/\.azure\/(accesstokens|azureprofile|msal_token_cache)[^/]*$/,
  /\/(\.config\/)?gcloud\/.*\.(db|json)$/,
  /\/(\.config\/)?gh\/hosts\.yml$/,
  /\/\.config\/(rclone\/rclone\.conf|hub|git\/credentials)$/,
  /\/\.ssh\/(?!known_hosts|authorized_keys|config$)(?!.*\.pub$)[^/]+$/,
  /\/\.gnupg\/(?!.*\.conf$).+$/,
  /\/\.password-store\/.+$/,
  /\/\.cargo\/credentials(\.toml)?$/,
  /\/\.(bundle\/config|gem\/credentials|composer\/auth\.json|m2\/settings(-security)?\.xml)$/,
  /\/\.vscode\/sftp\.json$/,
  /\/\.terraform\.d\/credentials\.tfrc\.json$/,
]

/** Templates contain names of secrets, not secrets. */
const templates =
  /[.-](example|sample|template|tmpl|dist)(\.(?!(local|prod|production|staging|stage|dev|development|live|private)$)[a-z]+)?$|_(example|sample|template|tmpl|dist)$|^(example|sample|template)\./

/** What editors, file managers and careful people add to the name of a copy. */
const copyEnding =
  /(~\d*~?|[-_.](bak|backup|old|orig|original|save|saved|copy|prev|tmp)\d*|\.(sw[a-z]|\d+)| - copy| copy( \d+)?| \(\d+\))$/
const copyNumber = / \(\d+\)(?=\.[a-z]+$)/

/** What tells the file of one system from that of another: `secrets.prod.yaml`, `kubeconfig-prod`. */
const stageWithin = /[-_.](prod|production|stag(e|ing)|dev|development|live|local|private)(?=(\.[a-z]+)?$)/
const stageBefore = /^(prod|production|stag(e|ing)|dev|development|live|local|private)[-_.]/

/** Programs are shown thousands of files, most of which share their names with others. */
const knownNames = new Map<string, boolean>()
const mostKnownNames = 20_000

/** True when the name of a file says that it may hold keys, passwords or tokens. */
export function isSecretFile(path: VirtualPath): boolean {
  return isSecretName(nameOf(path)) || (path.includes('/.') && isSecretPlace(path))
}

function isSecretName(name: string): boolean {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const isSecret = matches(name, secretNames)
  if (knownNames.size >= mostKnownNames) knownNames.clear()
  knownNames.set(name, isSecret)
  return isSecret
}

function isSecretPlace(path: VirtualPath): boolean {
  const name = nameOf(path)
  return matches(name, secretPaths, path.slice(0, path.length - name.length).toLowerCase())
}

/** True when a pattern matches the name, or what it is without its stage, behind the folder. A copy is what it copies. */
function matches(name: string, patterns: readonly RegExp[], folder = ''): boolean {
  const original = originalName(name.toLowerCase())
  if (templates.test(original)) return false
  const names = new Set([original, original.replace(stageWithin, ''), original.replace(stageBefore, '')])
  return [...names].some((each) => patterns.some((pattern) => pattern.test(folder + each)))
}

function originalName(name: string): string {
  // Vim puts a dot before the name of its copy, Emacs a number sign on both sides.
  const bare = /^\..*\.sw[a-z]$/.test(name) && !name.startsWith('..') ? name.slice(1) : name.replace(/^#(.*)#$/, '$1')
  let original = bare.replace(copyNumber, '')
  while (copyEnding.test(original)) original = original.replace(copyEnding, '')
  return original
}

const latin1 = new TextDecoder('latin1')
const utf8Mark = '\u00ef\u00bb\u00bf'

/** The text of a file as far as names and keys go. UTF-16 counts when the file says so in its first two bytes. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const text = latin1.decode(bytes)
  return text.startsWith(utf8Mark) ? text.slice(utf8Mark.length) : text
}

/** Bytes of a file that are looked at. */
export const secretContentBytes = 256 * 1024

/**
 * A line with which a private key begins, in the forms of OpenSSL, OpenSSH, GnuPG and PuTTY. A carriage return alone
 * ends a line too: `^` knows that here, and in `secretContentPattern` it is written out.
 */
const keyLine = /^(-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d+:|AGE-SECRET-KEY-1)/m

/** The key of a service account, which is one JSON string, sometimes on a line of its own. */
const keyInJson = /"private_key"\s*:\s*"-----BEGIN|^[ \t]*"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY/m

/** Tokens that cannot be mistaken for anything else, because their issuers gave them a prefix. */
const tokens =
  /\b(?:gh[opsur]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,}|glpat-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{36}|pypi-AgE[A-Za-z0-9_-]{50,}|sk-ant-[A-Za-z0-9_-]{40,}|sk-proj-[A-Za-z0-9_-]{40,}|sk_live_[A-Za-z0-9]{24,}|xox[abprs]-[A-Za-z0-9-]{20,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|hv[bs]\.[A-Za-z0-9_-]{24,}|dop_v1_[a-f0-9]{64}|SG\.[\w-]{22}\.[\w-]{43})\b/

/** Files of settings. In source code, a token is more often an example or a test. */
const settingsFile =
  /(^|\/)[^/.]+$|(^|\/)\.[^/]*$|\.(json|jsonc|ya?ml|toml|ini|cfg|conf|config|properties|xml|txt|rc)$/i

/**
 * True when the content of a file says that it holds a key or a token, whatever its name. Only the first
 * `secretContentBytes` bytes count.
 */
export function holdsSecret(path: VirtualPath, bytes: Uint8Array): boolean {
  const text = textOf(bytes.subarray(0, secretContentBytes))
  if (keyLine.test(text) || keyInJson.test(text)) return true
  return settingsFile.test(path) && tokens.test(text)
}

/** What `holdsSecret` looks for, as one regular expression that ripgrep understands too. */
export const secretContentPattern = [
  '(^|\\r)([ \\t]*")?-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY',
  '(^|\\r)PuTTY-User-Key-File-',
  '(^|\\r)AGE-SECRET-KEY-1',
  '"private_key"\\s*:\\s*"-----BEGIN',
  tokens.source.replaceAll('(?:', '('),
].join('|')

/** Settings of programs that fail without them. They often hold no secret at all. */
const neededSettings = /(^|\/)(\.?npmrc|\.yarnrc(\.yml)?|\.condarc|\.bundle\/config|\.terraformrc)$/i

const credential = /auth|token|passw|secret|credential|login|private|-----BEGIN|api[_-]?key|:\/\/[^\s/]*@/i

/** True for settings that are secret only by their name: nothing in them is a key, a password or a token. */
export function isHarmless(path: VirtualPath, bytes: Uint8Array): boolean {
  if (!neededSettings.test(path) || bytes.length > secretContentBytes) return false
  const text = textOf(bytes)
  return !text.includes('\0') && !credential.test(text)
}

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
