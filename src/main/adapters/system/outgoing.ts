import diagnostics from 'node:diagnostics_channel'
import http from 'node:http'
import { BlockList, isIP, isIPv6, Socket } from 'node:net'
import tls from 'node:tls'

/**
 * Company networks: everything that this process sends – to models, to servers of tools, to agents at an address – goes
 * through the proxies that the environment names, and trusts what the system trusts. Commands have an environment and a
 * proxy of their own.
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

type Environment = Readonly<Record<string, string | undefined>>

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
  const [https, plain] = [proxyOf('HTTPS_PROXY'), proxyOf('HTTP_PROXY')]
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
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function portOf({ protocol, port }: URL): string {
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

type InUse = Pick<Outgoing, 'https' | 'http' | 'problems'> & { readonly isDirect: (url: URL) => boolean }

/** What is in use, for what is said about it. */
const none: InUse = { https: null, http: null, problems: [], isDirect: () => true }
let inUse = none

/** Lets all connections of this process go out as the environment says. Dispose the result to undo that. */
export function applyOutgoing(environment: Environment): Disposable {
  const read = readOutgoing(environment)
  const { variables, isDirect } = read
  const isSet = read.https !== null || read.http !== null || read.problems.length > 0
  // One that names nothing leaves what another one set up.
  if (!isSet) return { [Symbol.dispose]: () => undefined }
  inUse = read
  const end = (): void => {
    inUse = none
    nameDirect = () => {}
    diagnostics.unsubscribe(headersSent, endWithProxy)
  }
  if (read.https === null && read.http === null) return { [Symbol.dispose]: end }
  let undo = http.setGlobalProxyFromEnv(variables)
  diagnostics.subscribe(headersSent, endWithProxy)
  const named = new Set<string>()
  // Node knows names, and neither networks nor most other forms. A host that one of them means is named when it is asked.
  nameDirect = (url) => {
    const host = `${url.hostname}:${portOf(url)}`
    if (named.has(host) || !isDirect(url)) return
    named.add(host)
    undo()
    undo = http.setGlobalProxyFromEnv({ ...variables, no_proxy: [variables.no_proxy, ...named].join(',') })
  }
  return {
    [Symbol.dispose]() {
      undo()
      end()
    },
  }
}

/** https://undici.nodejs.org/#/docs/api/DiagnosticsChannel: the request and its socket. */
const headersSent = 'undici:client:sendHeaders'

/**
 * Makes an error of a connection that a proxy ends in place of an answer. Node would connect again at once, thousands of
 * times a second, even after the request was given up.
 */
function endWithProxy(message: unknown): void {
  const { request, socket } = message as { readonly request?: { readonly method?: unknown }; readonly socket?: unknown }
  if (request?.method !== 'CONNECT' || !(socket instanceof Socket)) return
  const before = socket.bytesRead
  socket.prependOnceListener('end', () => {
    if (socket.bytesRead > before) return
    socket.destroy(Object.assign(new Error('the connection was ended without an answer'), { code: 'ECONNRESET' }))
  })
}

/** Sees to it that a host of `NO_PROXY` is asked directly. */
let nameDirect: (url: URL) => void = () => {}

/** Reasons of a connection that is refused because nobody here knows who signed the server's certificate. */
const unknownSigner: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
let trustsSystem = false

/**
 * The `fetch` of everything that goes out. Trusts the certificates of the system as well: they are read, which takes a
 * moment, when a server is the first that needs them. What a proxy refuses is an error with the code `proxyRefusal`, which
 * names the proxy and says what to do.
 */
export const outgoingFetch: typeof fetch = async (input, init) => {
  const url = urlOf(input)
  if (url) nameDirect(url)
  try {
    const response = await fetch(input, init)
    if (response.status === 407) throw refusedBy(url, 407)
    return response
  } catch (error) {
    const causes = causesOf(error)
    if (isRefusedByProxy(error)) throw error
    const status = causes.map(({ message }) => /proxy\D{0,40}\b([45]\d\d)\b/i.exec(message)?.[1]).find(Boolean)
    // Others pass by themselves, as when the proxy starts.
    if (status !== undefined && Number(status) < 500 && !['408', '429'].includes(status))
      throw refusedBy(url, Number(status))
    const isRepeatable = !(input instanceof Request) && !(init?.body instanceof ReadableStream)
    if (trustsSystem || !isRepeatable || !causes.some(({ code }) => unknownSigner.has(code ?? '')))
      throw onTheWay(error, url)
    trustsSystem = true
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])
    return await fetch(input, init)
  }
}

/** The code of an error that stays the same however often it is asked. */
const proxyRefusal = 'ERR_PROXY_REFUSED'

/** True for an error of `outgoingFetch` that comes from a proxy and not from the server. */
export function isRefusedByProxy(error: unknown): boolean {
  return causesOf(error).some(({ code }) => code === proxyRefusal)
}

function urlOf(input: RequestInfo | URL): URL | null {
  return URL.parse(input instanceof Request ? input.url : String(input))
}

/** The proxy that leads to an address. Null for none. */
function proxyFor(url: URL | null): string | null {
  if (url === null || inUse.isDirect(url)) return null
  return url.protocol === 'https:' ? inUse.https : inUse.http
}

/** The error of a request that found no way, with the proxy that it took or the one that cannot be used. */
function onTheWay(error: unknown, url: URL | null): unknown {
  const [cause, proxy] = [causesOf(error).at(-1), proxyFor(url)]
  if (!(error instanceof TypeError) || !cause || cause === error) return error
  const way = proxy === null ? inUse.problems.map((one) => `. ${one}`).join('') : `, through the proxy ${proxy}`
  if (way === '') return error
  const reason = new Error(`${cause.message}${way.replace(/\.$/, '')}`)
  return new TypeError(error.message, { cause: Object.assign(reason, { code: cause.code }) })
}

function refusedBy(url: URL | null, status: number): TypeError {
  const proxy = proxyFor(url) ?? 'of this network'
  const says =
    status === 407 ? 'asks for a login, or refuses the one that it got' : `does not let Coppice reach ${url?.host}`
  const advice =
    status === 407
      ? 'Write it into HTTPS_PROXY as http://name:password@host:port, and start Coppice again'
      : 'Have it allowed by whoever runs the proxy, or add the host to NO_PROXY'
  const cause = new Error(`the proxy ${proxy} ${says} (HTTP ${status}). ${advice}`)
  return new TypeError('fetch failed', { cause: Object.assign(cause, { code: proxyRefusal }) })
}

/** Why a connection failed, in words: the innermost cause says more than "fetch failed". */
export function reasonOf(error: unknown): string {
  return causesOf(error).at(-1)?.message ?? String(error)
}

function causesOf(error: unknown): readonly NodeJS.ErrnoException[] {
  if (!(error instanceof Error)) return []
  return [error, ...causesOf(error.cause)]
}
