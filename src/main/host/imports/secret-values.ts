import { looksSecret } from '#core/secrets/secrets.ts'
import { isJsonObject } from '#shared/base/json.ts'

/** Names whose values are secrets, whatever they look like. */
const tellingName = /token|secret|passw|credential|auth|cookie|api[_-]?key|private|(^|[_-])(key|pat|pwd)$/i
const onlyReferences = /^(?:(?:Bearer|Basic|Token)\s+)?(?:\$\{\w+\}\s*)+$/i

/** True for a value that must not be copied. A reference to a variable, such as `${TOKEN}`, is none. */
export function isSecretValue(name: string, value: string): boolean {
  if (value.trim() === '' || onlyReferences.test(value.trim())) return false
  return tellingName.test(name) || looksSecret(value) || looksSecret(`${name}=${value}`) || hasLogin(value)
}

/** An address with a name and a password, or with a key among its parameters. */
function hasLogin(value: string): boolean {
  const address = URL.parse(value)
  if (address === null || !/^https?:$/.test(address.protocol)) return false
  return address.password !== '' || [...address.searchParams.keys()].some((key) => tellingName.test(key))
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
