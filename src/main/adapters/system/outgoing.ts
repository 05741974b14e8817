import http from 'node:http'
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
export function readOutgoing(environment: Environment): Outgoing & { readonly variables: NodeJS.Dict<string> } {
  const problems: string[] = []
  const setTo = (name: string): string | undefined => environment[name.toLowerCase()] || environment[name]
  const proxyOf = (name: string): string | undefined => {
    const given = [name, 'ALL_PROXY'].find((one) => setTo(one))
    const value = given === undefined ? undefined : setTo(given)
    if (given === undefined || value === undefined) return undefined
    const address = URL.parse(value.includes('://') ? value : `http://${value}`)
    if (address && /^https?:$/.test(address.protocol)) return address.href
    const shown = address === null ? 'is no address' : `names a proxy of the kind ${address.protocol.slice(0, -1)}`
    problems.push(`${given} ${shown}. Write http://host:port, or http://name:password@host:port.`)
    return undefined
  }
  const [https, plain] = [proxyOf('HTTPS_PROXY'), proxyOf('HTTP_PROXY')]
  const given = (setTo('NO_PROXY') ?? '').split(/[\s,]+/).filter(Boolean)
  const direct = given.includes('*') ? '*' : [...new Set([...given, ...ownMachine])].join(',')
  return {
    ...{ https: shownProxy(https), http: shownProxy(plain), direct, problems: [...new Set(problems)] },
    variables: { https_proxy: https, http_proxy: plain, no_proxy: direct },
  }
}

/** A proxy without its login. */
function shownProxy(address: string | undefined): string | null {
  const url = address === undefined ? null : URL.parse(address)
  return url && `${url.protocol}//${url.host}`
}

/** Lets all connections of this process go out as the environment says. Dispose the result to undo that. */
export function applyOutgoing(environment: Environment): Disposable {
  const { https, http: plain, variables } = readOutgoing(environment)
  const undo = https === null && plain === null ? () => {} : http.setGlobalProxyFromEnv(variables)
  return { [Symbol.dispose]: undo }
}

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
 * moment, when a server is the first that needs them. A proxy that asks for a login is an error that says what to do.
 */
export const outgoingFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init)
    if (response.status === 407) throw loginError()
    return response
  } catch (error) {
    const causes = causesOf(error)
    if (causes.some(({ message }) => /\b407\b/.test(message))) throw loginError()
    const isRepeatable = !(input instanceof Request) && !(init?.body instanceof ReadableStream)
    if (trustsSystem || !isRepeatable || !causes.some(({ code }) => unknownSigner.has(code ?? ''))) throw error
    trustsSystem = true
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])
    return await fetch(input, init)
  }
}

function loginError(): TypeError {
  const advice = 'Write it into HTTPS_PROXY as http://name:password@host:port, and start Coppice again'
  return new TypeError('fetch failed', { cause: new Error(`the proxy asks for a login. ${advice}`) })
}

function causesOf(error: unknown): readonly NodeJS.ErrnoException[] {
  if (!(error instanceof Error)) return []
  return [error, ...causesOf(error.cause)]
}
