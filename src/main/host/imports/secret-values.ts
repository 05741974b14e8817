import { looksSecret } from '#core/secrets/secrets.ts'
import { isJsonObject } from '#shared/base/json.ts'

/** Names whose values are secrets, whatever they look like. */
const tellingName =
  /token|secret|passw|passphrase|credential|auth|cookie|bearer|session|private|(?:api|access|encryption|signing|license|account)[_-]?key|(?:^|[_-])(?:key|pat|pwd|jwt|dsn)$/i
/** The same in words that are written together, as in `accessKey`. */
const tellingEnd = /[a-z](?:Key|Jwt|Pat|Pwd)$/
const onlyReferences = /^(?:(?:Bearer|Basic|Token)\s+)?(?:\$\{\w+\}\s*)+$/i

/** True for a value that must not be copied. A reference to a variable, such as `${TOKEN}`, is none. */
export function isSecretValue(name: string, value: string): boolean {
  if (value.trim() === '' || onlyReferences.test(value.trim())) return false
  return isTelling(name) || looksSecret(value) || looksSecret(`${name}=${value}`) || hasLogin(value)
}

function isTelling(name: string): boolean {
  return tellingName.test(name) || tellingEnd.test(name)
}

/** The name and the value that a text gives: `--token=…`, `TOKEN=…`, `X-Token: …`. Null for another one. */
export function assignmentIn(text: string): readonly [lead: string, name: string, value: string] | null {
  const [, lead, name, value] = /^((-{0,2}[A-Za-z][\w.-]*)(?:=|:[ \t]+))(.+)$/s.exec(text) ?? []
  return lead === undefined || name === undefined || value === undefined ? null : [lead, name, value]
}

/** An address with a name or a password, or with a key among its parameters. */
function hasLogin(value: string): boolean {
  const address = URL.parse(value)
  if (address === null || !/^[a-z][a-z\d+.-]+:\/\//i.test(value)) return false
  // A name alone is a key in addresses of the web, and a name elsewhere.
  const isKeyed = address.password !== '' || (/^https?:$/.test(address.protocol) && address.username !== '')
  return isKeyed || [...address.searchParams.keys()].some(isTelling)
}

/** True for a definition in which any text is a secret. */
export function holdsSecret(value: unknown): boolean {
  return JSON.stringify(withoutSecrets(value)) !== JSON.stringify(value)
}

/** The name of a variable for a value that is not copied. */
export function variableFor(...words: readonly string[]): string {
  const name = words
    .join('_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase()
  return /^[A-Z]/.test(name) ? name : `VALUE_${name}`
}

/** A value of the settings for display, without the texts in it that are secrets. */
export function withoutSecrets(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return isSecretValue(name, value) ? '…' : value
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, name))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutSecrets(one, key)]))
}
