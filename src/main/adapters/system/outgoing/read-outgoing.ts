import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * Company networks: everything that this process sends – to models, to servers of tools, to agents at an address – goes
 * through the proxies that the environment names, and trusts what the system trusts. Commands have an environment and a
 * proxy of their own, which goes out the same way.
 */
export interface Outgoing {
  /** The proxies by what goes through them, without a login. Null for none. */
  readonly https: string | null
  readonly http: string | null
  /** Hosts that are asked directly, with commas between them. */
  readonly direct: string
  /** What the environment says and cannot be used; empty when nothing is wrong. */
  readonly problems: readonly string[]
}

export type Environment = Readonly<Record<string, string | undefined>>

/** This machine is never behind a proxy. */
const ownMachine = ['localhost', '127.0.0.1', '[::1]', '::1']

/** What the variables of an environment say. In small letters they win, as for other programs. */
export function readOutgoing(environment: Environment): Outgoing & {
  readonly variables: NodeJS.Dict<string>
  /** Whether what goes to an address goes there directly. */
  readonly isDirect: (url: URL) => boolean
} {
  const problems: string[] = []
  const setTo = (name: string): string | undefined => environment[name.toLowerCase()] || environment[name]
  const proxyOf = (name: string): string | undefined => {
    const given = [name, 'ALL_PROXY'].find((one) => setTo(one))
    const value = given === undefined ? undefined : setTo(given)
    if (given === undefined || value === undefined) return undefined
    const address = URL.parse(withEscapedLogin(value.includes('://') ? value : `http://${value}`))
    if (address && /^https?:$/.test(address.protocol)) return address.href
    const shown = address === null ? 'is no address' : `names a proxy of the kind ${address.protocol.slice(0, -1)}`
    problems.push(`${given} ${shown}. Write http://host:port, or http://name:password@host:port.`)
    return undefined
  }
  const plain = proxyOf('HTTP_PROXY')
  // One that is named alone is for both, as Node and the proxy of commands have it.
  const https = proxyOf('HTTPS_PROXY') ?? plain
  const given = directNames(setTo('NO_PROXY'))
  problems.push(...given.filter((one) => readDirect(one) === null).map(wrongDirect))
  const forms = [...given, ...ownAddresses].flatMap((one) => readDirect(one) ?? [])
  const direct = given.includes('*') ? '*' : [...new Set([...given, ...ownMachine])].join(',')
  return {
    ...{ https: shownProxy(https), http: shownProxy(plain), direct, problems: [...new Set(problems)] },
    variables: { https_proxy: https, http_proxy: plain, no_proxy: direct },
    isDirect: (url) => forms.some((fits) => fits(url.hostname.replace(/^\[|\]$|\.$/g, ''), portOf(url))),
  }
}

/** The address with a login in which nothing has to be escaped: people write `CORP\\me:100%#@proxy` as it is. */
function withEscapedLogin(address: string): string {
  const [, scheme = '', login, rest = ''] = /^([\w+.-]+:\/\/)(?:(.*)@)?([^@]*)$/s.exec(address) ?? []
  if (login === undefined) return address
  const [name = '', ...password] = login.split(':')
  const parts = password.length === 0 ? [name] : [name, password.join(':')]
  return `${scheme}${parts.map((part) => encodeURIComponent(unescaped(part))).join(':')}@${rest}`
}

/** A text as it was before somebody escaped it, or as it is when nobody did. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function portOf({ protocol, port }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

/** The hosts of `NO_PROXY`, which people part and quote in several ways. */
function directNames(value: string | undefined): readonly string[] {
  return (value ?? '').split(/[\s,;|"']+/).filter(Boolean)
}

function wrongDirect(given: string): string {
  return `NO_PROXY names ${given}, which is no host, address or network. Write models.example, 10.1.2.3 or 10.0.0.0/8.`
}

/** Whether a host is asked directly, by its name or address without brackets and its port. */
type Direct = (host: string, port: string) => boolean

/**
 * What one word of `NO_PROXY` means, in all forms that curl, Go, Python and browsers read: a name with all below it, stars,
 * a port, an address, a network, an address in or without brackets, a whole URL. Null for a word that means nothing.
 */
function readDirect(given: string): Direct | null {
  const word = given.toLowerCase().replace(/^[a-z]+:\/\//, '')
  const network = /^\[?([\da-f.:]+)\]?\/(\d+)$/.exec(word)
  if (network) {
    const [, address = '', bits] = network
    const [family, most] = isIPv6(address) ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
    if (!isIP(address) || Number(bits) > most) return null
    const list = new BlockList()
    list.addSubnet(address, Number(bits), family)
    return (host) => isIP(host) > 0 && list.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
  }
  const [, bracketed, name = '', port] = /^(?:\[([^\]]+)\]|([^/]*?))(?::(\d+))?(?:\/.*)?$/.exec(word) ?? []
  const address = isIPv6(word) ? word : bracketed
  if (address !== undefined && !isIPv6(address)) return null
  if (address !== undefined) {
    const list = new BlockList()
    list.addAddress(address, 'ipv6')
    return (host, at) => isIPv6(host) && list.check(host, 'ipv6') && (address === word || (port ?? at) === at)
  }
  const plain = name.replace(/^\*?\.|\.$/g, '')
  if (plain === '' || !/^[\p{L}\p{N}*._-]+$/u.test(plain)) return null
  const pattern = plain.split('*').map((part) => part.replaceAll('.', '\\.'))
  const fits = new RegExp(`^(?:.*\\.)?${pattern.join('.*')}$`, 'u')
  return (host, at) => fits.test(host) && (port ?? at) === at
}

/** All of this machine, whatever it is called: `127.0.0.0/8`, and every IPv6 spelling of it. */
const ownAddresses = ['127.0.0.0/8', '::1', '::ffff:127.0.0.0/104', '0.0.0.0'] as const

/** A proxy without its login. */
function shownProxy(address: string | undefined): string | null {
  const url = address === undefined ? null : URL.parse(address)
  return url && `${url.protocol}//${url.host}`
}
