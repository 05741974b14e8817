/** A login for one place on one server. It never leaves the main process, except to that server. */
export interface RegistryToken {
  readonly protocol: 'http:' | 'https:'
  /** In lower case; an IPv6 address without brackets. */
  readonly host: string
  readonly port: number
  /** Begins and ends with a slash. The login is for everything below it. */
  readonly path: string
  /** The value of the header `Authorization`. */
  readonly authorization: string
}

/** Settings of one tool for commands, and the logins that were in them. */
export interface ReadSettings {
  /** The settings without logins. Empty when nothing of them is passed on. */
  readonly cleaned: string
  readonly tokens: readonly RegistryToken[]
  /** Files with further certificates that the person's tool trusts. */
  readonly certificates: readonly string[]
}

export interface RegistryRequest extends Pick<RegistryToken, 'protocol' | 'host' | 'port' | 'path'> {
  readonly method: string
  /** In lower case. */
  readonly headerNames: readonly string[]
}

/** What only reads packages. Whoever may install something may not publish it. */
const reading = ['GET', 'HEAD']

/**
 * The headers that readers of packages send. By others, some servers take another path or method than that of the request,
 * whether they are spelled with dashes or underscores, and a body may hold a second request.
 */
const known =
  /^(?:accept(?:-[a-z]+)?|authorization|cache-control|connection|cookie|date|dnt|host|if-[a-z-]+|keep-alive|pragma|proxy-(?:authorization|connection)|range|referer|te|user-agent|(?:npm|pacote|pnpm|yarn|bun|cargo|pip|uv)-[a-z-]+)$/

/**
 * The login for a request; the one with the longest path of several, then the first. Undefined for none, and where a server
 * may read another path or method than this one.
 */
export function tokenFor(tokens: readonly RegistryToken[], request: RegistryRequest): RegistryToken | undefined {
  if (!reading.includes(request.method) || !request.headerNames.every((name) => known.test(name))) return undefined
  const path = plainPath(request.path)
  if (path === undefined) return undefined
  const fitting = tokens.filter((token) => {
    const place = plainPath(token.path)
    return (
      place !== undefined &&
      isSameServer(token, request) &&
      `${path}/`.startsWith(place) &&
      hasPartsOf(token.path, request.path)
    )
  })
  return fitting.reduce<RegistryToken | undefined>(
    (best, token) => (best && best.path.length >= token.path.length ? best : token),
    undefined,
  )
}

/** True where a server that decodes a path only after it divided it finds the same place. Slashes of a name are none to it. */
function hasPartsOf(place: string, path: string): boolean {
  const parts = path.split('/').map(decodedOnce)
  return place
    .split('/')
    .slice(0, -1)
    .every((part, index) => parts[index] === decodedOnce(part))
}

/**
 * The path as a server may read it after it decoded it, perhaps more than once. Undefined for one that means something else
 * to some servers: with steps upwards however they are written, with parameters of parts, or with other characters than those of
 * ASCII, which some servers read as dots, slashes and percent signs. Names of packages have none.
 */
function plainPath(path: string): string | undefined {
  let plain = path
  for (let round = 0; round < mostDecoded; round += 1) {
    const next = decodedOnce(plain)
    if (next === undefined || /[^ -~]|[\\;?#]/.test(next)) return undefined
    if (next === plain) return plain.split('/').some((part) => steps.test(part)) ? undefined : plain
    plain = next
  }
  return undefined
}

const mostDecoded = 5

/** Dots alone, or with signs that some servers cut off: spaces, parameters, and streams of Windows (`..::$DATA`). */
const steps = /^\W*\.\W*$|^\W*\.\.\W|^\.\W/

function decodedOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

type Server = Pick<RegistryToken, 'protocol' | 'host' | 'port'>

function isSameServer(one: Server, other: Server): boolean {
  return one.protocol === other.protocol && one.host === other.host && one.port === other.port
}

/** A login for the place of a URL, or none where the header could not be sent. */
export function tokenAt(url: URL, authorization: string): readonly RegistryToken[] {
  const { protocol, hostname, port, pathname } = url
  if ((protocol !== 'http:' && protocol !== 'https:') || !/^[\x20-\x7e]+$/.test(authorization)) return []
  const usual = protocol === 'http:' ? 80 : 443
  const path = pathname.endsWith('/') ? pathname : `${pathname}/`
  return [{ protocol, host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || usual), path, authorization }]
}

export function basicLogin(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** Where servers whose index is at their top keep the packages. */
const besideTop = ['packages', 'files', 'crates', 'dl', 'api/v1/crates']

/**
 * A login for an index and for the packages beside it. The tool would send it to all of the server, on which more may be
 * than a registry.
 */
export function tokensBeside(url: URL, authorization: string): readonly RegistryToken[] {
  const own = tokenAt(url, authorization)
  const above = /^(.*\/)\+?(?:simple|index)\/?$/.exec(url.pathname)?.[1]
  if (above === undefined) return own
  const places = above === '/' ? besideTop.map((name) => `/${name}/`) : [above]
  return [...own, ...places.flatMap((place) => tokenAt(new URL(place, url), authorization))]
}

/** The login that stands in the address itself, for the address alone or for what is beside it too. */
export function loginIn(url: URL, isIndex: boolean): readonly RegistryToken[] {
  if (url.username === '' && url.password === '') return []
  const login = basicLogin(decoded(url.username), decoded(url.password))
  return isIndex ? tokensBeside(url, login) : tokenAt(url, login)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address without its login and everything else that could be one. */
export function cleanAddress(url: URL): string {
  const clean = new URL(url)
  Object.assign(clean, { username: '', password: '', search: '', hash: '' })
  return clean.href
}

/** Null for what is not a web address. */
export function webAddress(text: string): URL | null {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url : null
}

/** Leaves out each line with one of the words, because an address may have a secret in its path. */
export function linesWithout(lines: readonly string[], secrets: readonly string[]): readonly string[] {
  const known = secrets.filter((secret) => secret !== '')
  return lines.filter((line) => !known.some((secret) => line.includes(secret)))
}
