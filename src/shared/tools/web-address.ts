/** The host of an address of the web, as rules and people name it. */
interface WebAddress {
  readonly scheme: 'http' | 'https'
  /** In small letters. An IPv6 address stands in brackets. */
  readonly name: string
  /** Empty for the usual one of the scheme. */
  readonly port: string
}

/**
 * Reads an address in its plain form, `https://host/path`. Null for any other: what several programs might read in several ways
 * has no host that a rule could be about. A login before the host, spaces, backslashes and letters beyond ASCII are such.
 */
function readWebAddress(text: string): WebAddress | null {
  const found = /^(https?):\/\/([a-z0-9.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?(?:[/?#][\x21-\x5b\x5d-\x7e]*)?$/i.exec(text)
  const [, given = '', name = '', port = ''] = found ?? []
  const scheme = given.toLowerCase()
  if (!found || (scheme !== 'http' && scheme !== 'https') || name.endsWith('.')) return null
  const isUsual = Number(port) === (scheme === 'https' ? 443 : 80)
  return { scheme, name: name.toLowerCase(), port: isUsual || port === '' ? '' : String(Number(port)) }
}

/** The host with its port, unless that is the usual one. Empty for an address that cannot be read. */
export function hostOf(text: unknown): string {
  const address = typeof text === 'string' ? readWebAddress(text) : null
  if (address === null) return ''
  return address.port === '' ? address.name : `${address.name}:${address.port}`
}

/**
 * Whether a pattern of a rule names a host: `docs.example`, `*.example` for everything below it, `*` for all, each with a port or
 * without. `domain:` may stand before it, as other programs write it. Without a port it is about `anyPort` or the usual ones.
 * With `anyPort`, a host without a port may have either usual one, since nobody knows the scheme any more.
 */
export function namesHost(pattern: string, host: string, anyPort: boolean): boolean {
  const [wanted = '', wantedPort] = hostParts(hostPattern(pattern))
  const [name = '', port] = hostParts(host)
  if (name === '' || wanted === '') return false
  const isUsual = anyPort && port === undefined && (wantedPort === '443' || wantedPort === '80')
  const isPort = wantedPort === undefined ? anyPort || port === undefined : wantedPort === port || isUsual
  const isName = wanted === '*' || wanted === name || (wanted.startsWith('*.') && name.endsWith(wanted.slice(1)))
  return isPort && isName
}

/** The part of a pattern that names hosts, in small letters. */
export function hostPattern(pattern: string): string {
  return pattern
    .trim()
    .replace(/^domain:\s*/i, '')
    .toLowerCase()
}

function hostParts(host: string): readonly [string, string?] {
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host) ?? []
  return port === undefined ? [name] : [name, port]
}
