import diagnostics from 'node:diagnostics_channel'
import http from 'node:http'
import { Socket } from 'node:net'
import { readAuthorities, trust } from './authorities.ts'
import { certificateProblem, isUnknownSigner } from './certificate-problem.ts'
import { type Environment, type Outgoing, portOf, readOutgoing, unescaped } from './read-outgoing.ts'
import { createSystemProxies, type FindProxy, type SystemProxies, type Way } from './system-proxies.ts'

interface InUse extends Pick<Outgoing, 'https' | 'http' | 'problems'> {
  readonly isDirect: (url: URL) => boolean
  /** Leads where the environment names no proxy. Null where nothing but the environment is known. */
  readonly system: SystemProxies | null
  readonly environment: Environment
}

const none: InUse = { https: null, http: null, problems: [], isDirect: () => true, system: null, environment: {} }
let inUse = none

/**
 * Lets all connections of this process go out as the environment says, and where it names no proxy, as `findProxy` does.
 * Dispose the result to undo that.
 */
export function applyOutgoing(environment: Environment, findProxy?: FindProxy): Disposable {
  const read = readOutgoing(environment)
  const { variables, isDirect } = read
  const namesProxy = read.https !== null || read.http !== null
  const system = namesProxy || !findProxy ? null : createSystemProxies(findProxy)
  const isSet = namesProxy || system !== null || read.problems.length > 0 || namesAuthorities(environment)
  // One that names nothing leaves what another one set up.
  if (!isSet) return { [Symbol.dispose]: () => undefined }
  inUse = { ...read, system, environment }
  trustsAll = false
  const end = (): void => {
    inUse = none
    nameDirect = () => {}
    diagnostics.unsubscribe(headersSent, endWithProxy)
    system?.[Symbol.dispose]()
  }
  if (namesProxy || system) diagnostics.subscribe(headersSent, endWithProxy)
  if (!namesProxy) return { [Symbol.dispose]: end }
  let undo = http.setGlobalProxyFromEnv(variables)
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

function namesAuthorities({ NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR }: Environment): boolean {
  return Boolean(NODE_EXTRA_CA_CERTS || SSL_CERT_FILE || SSL_CERT_DIR)
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

/** True once the certificates of the system and of the environment are read. */
let trustsAll = false

/**
 * The `fetch` of everything that goes out. It also trusts the certificates of the system and of the environment. Reading them
 * takes a moment, so that waits for the first server that needs them. What a proxy refuses is an error
 * with the code `proxyRefusal`, which names the proxy and says what to do. An error about a certificate says so.
 */
export const outgoingFetch: typeof fetch = async (input, init) => fetchOn(await wayTo(urlOf(input)), input, init)

/** Likewise, by a way that was found before: asked a second time, the system may name another one. */
export async function fetchOn(way: Way, asked: RequestInfo | URL, given?: RequestInit): Promise<Response> {
  const [input, init] = withoutLogin(asked, given)
  const url = urlOf(input)
  if (url) nameDirect(url)
  const send = () => fetch(input, way.dispatcher ? ({ ...init, dispatcher: way.dispatcher } as RequestInit) : init)
  const trustedAll = trustsAll
  try {
    const response = await send()
    if (response.status !== 407) return response
    await response.body?.cancel()
    throw refusedBy(url, way, 407)
  } catch (error) {
    const causes = causesOf(error)
    if (isRefusedByProxy(error)) throw error
    const status = causes.map(({ message }) => /proxy\D{0,40}\b([45]\d\d)\b/i.exec(message)?.[1]).find(Boolean)
    // Others pass by themselves, as when the proxy starts.
    if (status !== undefined && Number(status) < 500 && !['408', '429'].includes(status))
      throw refusedBy(url, way, Number(status))
    if (trustedAll || !causes.some(({ code }) => isUnknownSigner(code))) throw onTheWay(error, way)
    trustAll()
    const isRepeatable = !(input instanceof Request) && !(init?.body instanceof ReadableStream)
    if (!isRepeatable) throw onTheWay(error, way)
    return await send().catch((again: unknown) => {
      throw onTheWay(again, way)
    })
  }
}

/** `fetch` takes no address with a login, and repeats the whole of it in its error. So the login goes into a header. */
function withoutLogin(
  input: RequestInfo | URL,
  init?: RequestInit,
): readonly [RequestInfo | URL, RequestInit | undefined] {
  const url = input instanceof Request ? null : urlOf(input)
  if (url === null || (url.username === '' && url.password === '')) return [input, init]
  const login = [url.username, url.password].map(unescaped).join(':')
  url.username = url.password = ''
  const headers = new Headers(init?.headers)
  if (!headers.has('authorization')) headers.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`)
  return [url, { ...init, headers }]
}

/** Several requests may find at once that they need it. */
function trustAll(): void {
  if (trustsAll) return
  trustsAll = true
  trust(readAuthorities(inUse.environment).certificates)
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

/** How an address is reached now. Where `proxy` is null, this machine alone resolves its name. */
export async function wayTo(url: URL | null): Promise<Way> {
  if (url === null || inUse.isDirect(url)) return { proxy: null }
  if (inUse.system) return inUse.system.wayTo(url)
  return { proxy: url.protocol === 'https:' ? inUse.https : inUse.http }
}

/** True for an error of `outgoingFetch` that stays until somebody mends a certificate or trusts it. */
export function isCertificateProblem(error: unknown): boolean {
  return causesOf(error).some((cause) => certificateProblem(cause) !== null)
}

/** The error of a request that found no way: what is wrong with a certificate, and the proxy that it took or cannot use. */
function onTheWay(error: unknown, { proxy }: Way): unknown {
  const cause = causesOf(error).at(-1)
  if (!(error instanceof TypeError) || !cause || cause === error) return error
  const said = certificateProblem(cause)
  const way = proxy === null ? inUse.problems.map((one) => `. ${one}`).join('') : `, through the proxy ${proxy}`
  if (way === '' && said === null) return error
  const reason = new Error(`${said ?? cause.message}${way.replace(/\.$/, '')}`)
  return new TypeError(error.message, { cause: Object.assign(reason, { code: cause.code }) })
}

function refusedBy(url: URL | null, { proxy }: Way, status: number): TypeError {
  const says =
    status === 407 ? 'asks for a login, or refuses the one that it got' : `does not let Coppice reach ${url?.host}`
  const advice =
    status === 407
      ? 'Write it into HTTPS_PROXY as http://name:password@host:port, and start Coppice again'
      : 'Have it allowed by whoever runs the proxy, or add the host to NO_PROXY'
  const cause = new Error(`the proxy ${proxy ?? 'of this network'} ${says} (HTTP ${status}). ${advice}`)
  return new TypeError('fetch failed', { cause: Object.assign(cause, { code: proxyRefusal }) })
}

/** How granted hosts of commands are reached, for the proxy of commands. With the login, for nobody to see. Null for directly. */
export async function upstreamOfCommands(): Promise<{ http?: string; https?: string; noProxy: string } | null> {
  const { system, environment } = inUse
  if (system) {
    // The proxy of commands takes one way for all hosts: that of a host which nobody has rules about.
    const [https, plain] = await Promise.all(
      ['https', 'http'].map((scheme) => system.wayTo(new URL(`${scheme}://example.com/`))),
    )
    if (!https?.proxy && !plain?.proxy) return null
    return { ...(plain?.proxy && { http: plain.proxy }), ...(https?.proxy && { https: https.proxy }), noProxy: '' }
  }
  const { https_proxy: https, http_proxy: plain, no_proxy: noProxy = '' } = readOutgoing(environment).variables
  if (!https && !plain) return null
  return { ...(plain && { http: plain }), ...(https && { https }), noProxy }
}

/** Why a connection failed, in words: the innermost cause says more than "fetch failed". */
export function reasonOf(error: unknown): string {
  return causesOf(error).at(-1)?.message ?? String(error)
}

function causesOf(error: unknown): readonly NodeJS.ErrnoException[] {
  if (!(error instanceof Error)) return []
  return [error, ...causesOf(error.cause)]
}
