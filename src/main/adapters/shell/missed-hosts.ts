/**
 * How programs name a host that they could not look up: curl and git, wget, Node, Python, cargo, Go, Java. A command
 * without a granted host has no network at all, so its own words are the only ones about what it wanted.
 */
const lookups = [
  /Could not resolve (?:host|proxy): ([\w.-]+)/i,
  /unable to resolve host address [‘'"]([\w.-]+)/i,
  /(?:EAI_AGAIN|ENOTFOUND) ([\w.-]+)/,
  /Failed to resolve '([\w.-]+)'/,
  /lookup ([\w.-]+)(?: on \S+)?: /,
  /UnknownHostException: ([\w.-]+)/,
]

/** The host that a line of output could not look up; undefined for other lines. */
export function missedHost(line: string): string | undefined {
  const host = lookups.map((pattern) => pattern.exec(line)?.[1]).find((found) => found !== undefined)
  return host?.replace(/\.$/, '').toLowerCase() || undefined
}
