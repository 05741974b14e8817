import { nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import {
  holdsSecret,
  isCredentialFile,
  isEnvironmentFile,
  isInSecretFolder,
  isSecretFile,
  secretContentBytes,
  textOf,
  tokens,
} from './secret-files.ts'

/**
 * The one judgement about a file that may hold keys, passwords or tokens. File tools, searches, code and commands ask it
 * with the file's bytes. A key or a known token counts whatever the name. A name that is usual for secrets counts when
 * the content looks like one; few names always do, unless the file is empty or holds nothing but public keys and
 * certificates. At least the first `secretContentBytes` bytes must be given, or the whole file.
 */
export function isSecret(path: VirtualPath, bytes: Uint8Array): boolean {
  return holdsSecret(path, bytes) || (isSecretFile(path) && !isHarmless(path, bytes))
}

function isHarmless(path: VirtualPath, bytes: Uint8Array): boolean {
  if (bytes.length >= secretContentBytes) return false
  const text = textOf(bytes)
  if (text.includes('\0')) return false
  const rest = withoutPublic(text).trim()
  if (rest === '') return true
  if (isEnvironmentFile(path)) return !hasValues(rest)
  if (isCredentialFile(path) || (isInSecretFolder(path) && oneWord.test(rest))) return false
  return !looksSecret(rest, allIsSecret.test(nameOf(path)))
}

/** What containers are given as a file: a password and nothing else. */
const oneWord = /^\S{6,400}$/

const publicLabel =
  /^(PGP (PUBLIC KEY BLOCK|SIGNATURE)|(RSA |EC |DSA |SSH2 )?PUBLIC KEY|(X509 |TRUSTED )?CERTIFICATE|(NEW )?CERTIFICATE REQUEST|X509 CRL|(DH|X9\.42 DH|EC|DSA) PARAMETERS)$/
const publicLine = /^(ssh-(rsa|dss|ed25519)|ecdsa-sha2-[\w-]+|sk-(ssh|ecdsa)-[\w@.-]+) AAAA[\w+/=]+( .*)?$/
const blockStart = '-----BEGIN '

/** The text without whole public keys, certificates and signatures, in one pass. */
function withoutPublic(text: string): string {
  let rest = ''
  let done = 0
  for (let start = text.indexOf(blockStart); start >= 0; start = text.indexOf(blockStart, done)) {
    const labelEnd = text.indexOf('-----', start + blockStart.length)
    const label = labelEnd < 0 ? '' : text.slice(start + blockStart.length, labelEnd)
    const mark = `-----END ${label}-----`
    const end = publicLabel.test(label) ? text.indexOf(mark, labelEnd) : -1
    const inner = end < 0 ? '' : text.slice(labelEnd, end)
    if (end < 0 || inner.includes(blockStart)) break
    rest += text.slice(done, start)
    done = end + mark.length
  }
  return `${rest}${text.slice(done)}`
    .split(/\r\n|\r|\n/)
    .filter((line) => !publicLine.test(line))
    .join('\n')
}

/** True when a line is neither a comment nor a name without a value. */
function hasValues(text: string): boolean {
  const empty = /^\s*((export\s+)?[\w.-]+\s*[=:]?\s*(""|'')?\s*)?(#.*)?$/
  const bareWord = /^\s*[\w.-]+\s*$/
  return text.split('\n').some((line) => line.trim() !== '' && (!empty.test(line) || bareWord.test(line)))
}

/** Names of files in which every value is likely a secret. */
const allIsSecret = /secret|credential|vault|pass|tfvars/i

const assignment =
  /(?:pass(?:w(?:or)?d|phrase|code)?|pwd|secret|token|auth(?!or)|credential|private|login|ident|(?:account|access|api|client|shared|signing|encryption)[_-]?key)[\w.-]{0,40}["']?\s{0,20}(?:=>|[:=>])\s{0,20}("[^"\n]{0,400}|'[^'\n]{0,400}|[^\s,;<}\]]{1,400})/gi
const placeholder = /^["']?(\$\{[^}]*\}?|\$\w+|%\w+%|\{\{.*\}\}|<[^>]*>|null|none|true|false|\d{1,5}|[[{].*)?["']?$/i
const addressWithName = /:\/\/[^\s/@"']{1,400}@/
const longWord = /[A-Za-z0-9+_=-]{20,}/g
const shortValue = /[:=]\s{0,20}["']?([^\s"',;]{6,})/g

function looksSecret(text: string, everyValue: boolean): boolean {
  if (tokens.test(text) || addressWithName.test(text)) return true
  for (const [, value = ''] of text.matchAll(assignment)) if (!placeholder.test(value)) return true
  for (const [word] of text.matchAll(longWord)) if (isOpaque(word)) return true
  if (!everyValue) return false
  for (const [, value = ''] of text.matchAll(shortValue)) if (!placeholder.test(value)) return true
  return false
}

/** True for a word that no person writes: letters of both kinds with digits, or a long number of base 16. */
function isOpaque(word: string): boolean {
  return /^[0-9a-f]{32,}$/i.test(word) || (/[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word))
}
