import {
  basicLogin,
  cleanAddress,
  linesWithout,
  loginIn,
  type ReadSettings,
  type RegistryToken,
  tokenAt,
  webAddress,
} from './registry-token.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Settings that decide what an installation does and hold no secret. */
const harmless = new Set([
  ...['audit', 'auto-install-peers', 'engine-strict', 'fetch-retries', 'fetch-timeout', 'fund', 'ignore-scripts'],
  ...['install-strategy', 'legacy-peer-deps', 'node-linker', 'omit', 'package-lock', 'prefer-offline', 'save-exact'],
  ...['save-prefix', 'shamefully-hoist', 'strict-peer-dependencies', 'strict-peer-deps', 'strict-ssl'],
])
const isRegistry = (key: string) => key === 'registry' || /^@[^:]+:registry$/.test(key)
const loginKey = /^(\/\/.+):(_authToken|_auth|username|_password)$/
const plainValue = /^[\w.^~ -]*$/

interface Line {
  readonly key: string
  /** As it is written, with variables. */
  readonly raw: string
  readonly value: string
}

/**
 * Reads a person's `.npmrc`. A login is for `https`, unless a registry in the file has the same place with `http`. A line
 * with a variable that is not set counts for nothing.
 */
export function readNpmrc(text: string, environment: Environment): ReadSettings {
  const lines = text.split(/\r?\n/).flatMap((line) => readLine(line, environment))
  const registries = lines.filter(({ key }) => isRegistry(key))
  const addresses = registries.flatMap(({ value }) => webAddress(value) ?? [])
  const logins = lines.filter(({ key }) => loginKey.test(key))
  const tokens = [...tokensOf(logins, addresses), ...addresses.flatMap((url) => loginIn(url, false))]
  const kept = lines.flatMap((line) => {
    if (isRegistry(line.key)) return cleanRegistry(line)
    return harmless.has(line.key) && plainValue.test(line.raw) ? [`${line.key}=${line.value}`] : []
  })
  const secrets = logins.filter(({ key }) => !key.endsWith(':username')).map(({ value }) => value)
  return {
    cleaned: linesWithout(kept, secrets)
      .map((line) => `${line}\n`)
      .join(''),
    tokens,
    certificates: lines.filter(({ key, value }) => key === 'cafile' && value !== '').map(({ value }) => value),
  }
}

function readLine(line: string, environment: Environment): readonly Line[] {
  const match = /^\s*([^#;[=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line)
  if (!match) return []
  const [, name = '', written = ''] = match
  const raw = /^(["']).*\1$/.test(written) ? written.slice(1, -1) : written
  const [key, value] = [expanded(name, environment), expanded(raw, environment)]
  return key === null || value === null ? [] : [{ key, raw, value }]
}

/** Null when a variable is not set. */
function expanded(text: string, environment: Environment): string | null {
  let isKnown = true
  const result = text.replace(/\$\{([^}]+)\}/g, (_, name: string) => {
    const value = environment[name]
    if (value === undefined) isKnown = false
    return value ?? ''
  })
  return isKnown ? result : null
}

/** A variable below the host may be a secret, and then the command does not see the registry. */
function cleanRegistry({ key, raw, value }: Line): readonly string[] {
  const url = webAddress(value)
  const below = raw.replace(/^\w+:\/\/[^/]*/, '')
  return url === null || below.includes('${') ? [] : [`${key}=${cleanAddress(url)}`]
}

function tokensOf(logins: readonly Line[], addresses: readonly URL[]): readonly RegistryToken[] {
  const places = new Map<string, Record<string, string>>()
  for (const { key, value } of logins) {
    const [, place = '', kind = ''] = loginKey.exec(key) ?? []
    places.set(place, { ...places.get(place), [kind]: value })
  }
  return [...places].flatMap(([place, login]) => {
    const authorization = authorizationOf(login)
    if (authorization === null) return []
    return protocolsOf(place, addresses).flatMap((protocol) => {
      const url = webAddress(`${protocol}${place}`)
      return url ? tokenAt(url, authorization) : []
    })
  })
}

/** npm writes the second half of a login in base64. */
function authorizationOf({ _authToken, _auth, username, _password }: Record<string, string>): string | null {
  if (_authToken) return `Bearer ${_authToken}`
  if (_auth) return `Basic ${_auth}`
  if (!username || !_password) return null
  return basicLogin(username, Buffer.from(_password, 'base64').toString())
}

function protocolsOf(place: string, addresses: readonly URL[]): readonly string[] {
  const base = place.endsWith('/') ? place : `${place}/`
  const named = addresses
    .filter(({ host, pathname }) => `//${host}${pathname}/`.startsWith(base))
    .map(({ protocol }) => protocol)
  return named.length === 0 ? ['https:'] : [...new Set(named)]
}
