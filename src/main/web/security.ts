import { timingSafeEqual } from 'node:crypto'

/**
 * Any page in any browser can reach a loopback port. So every request must name exactly this host and, if it sends an
 * origin, exactly this origin, and a socket must know the token.
 */
export interface OriginPolicy {
  /** The `host:port` forms that this server answers to. */
  readonly hosts: ReadonlySet<string>
  readonly origins: ReadonlySet<string>
}

export function originPolicyFor(host: string, port: number): OriginPolicy {
  const names =
    host === '127.0.0.1' || host === 'localhost'
      ? ['127.0.0.1', 'localhost']
      : [host.includes(':') ? `[${host}]` : host]
  const hosts = names.map((name) => `${name}:${port}`)
  return { hosts: new Set(hosts), origins: new Set(hosts.map((one) => `http://${one}`)) }
}

/**
 * Checks host and origin. A plain page load may lack `Origin`, but a socket always sends it, so a socket without one is
 * refused.
 */
export function mayEnter(
  door: OriginPolicy,
  headers: { readonly host?: string | undefined; readonly origin?: string | undefined },
  originRequired: boolean,
): boolean {
  if (headers.host === undefined || !door.hosts.has(headers.host)) return false
  if (headers.origin === undefined) return !originRequired
  return door.origins.has(headers.origin)
}

/** Compares in constant time for any lengths. */
export function sameToken(expected: string, given: unknown): boolean {
  if (typeof given !== 'string') return false
  const a = Buffer.from(expected)
  const b = Buffer.from(given)
  return a.length === b.length && timingSafeEqual(a, b)
}
