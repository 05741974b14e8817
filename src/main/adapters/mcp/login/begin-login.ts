import { randomBytes } from 'node:crypto'
import {
  checkResourceAllowed,
  computeScopeUnion,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthServerInfo,
  registerClient,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client'
import { McpError, type McpLogin } from '#core/ports/mcp-client.ts'
import type { McpOAuth } from '#shared/model/settings.ts'
import { explained } from './explain-login.ts'
import { addressProblem, createLoginFetch } from './login-fetch.ts'
import { accountOf, type LoginRecord } from './login-record.ts'
import { listenForRedirect, type Redirect, type RedirectListener } from './redirect-listener.ts'

export interface LoginRequest {
  readonly server: URL
  /** What the definition of the server says of logins. */
  readonly settings: McpOAuth
  /** The login before, whose registration may serve again. Null for none. */
  readonly known: LoginRecord | null
  /** Rights that the server asked for in a call. */
  readonly wanted: string | undefined
  /** Milliseconds from the address to its answer. */
  readonly limitMs: number
  readonly keep: (record: LoginRecord) => Promise<void>
}

/**
 * Begins a login in a browser: OAuth 2.1 with PKCE and a redirect to 127.0.0.1, as the authorization part of the Model Context
 * Protocol describes. Ends with `signal`, after the time, and when it is disposed. Throws `McpError`, and the abort reason.
 */
export async function beginLogin(request: LoginRequest, signal: AbortSignal): Promise<McpLogin> {
  const ended = new AbortController()
  const stop = AbortSignal.any([signal, ended.signal])
  const fetchFn = createLoginFetch(request.server, stop)
  const state = randomBytes(32).toString('base64url')
  await using cleanup = new AsyncDisposableStack()
  const opened = await listen(request, state)
  const listener = cleanup.use(opened.listener)
  const prepared = await explained(stop, () => prepare(request, opened, state, fetchFn))
  const owned = cleanup.move()
  const done = finish({ ...request, ...prepared, listener, fetchFn }, stop).finally(() => owned.disposeAsync())
  // Whoever waits for it hears of a failure.
  done.catch(() => undefined)
  return {
    address: prepared.address.href,
    done,
    answer: (text) => listener.answer(text),
    async [Symbol.asyncDispose]() {
      ended.abort(new McpError('login', 'The login was cancelled.'))
      await done.catch(() => undefined)
    },
  }
}

interface Listening {
  readonly listener: RedirectListener
  /** The registration that knows the listener's address; null when there is none. */
  readonly client: LoginRecord['client'] | null
}

/** On the port of the registration before, because many servers send people back to exactly the address they know. */
async function listen({ settings, known }: LoginRequest, state: string): Promise<Listening> {
  if (settings.callbackPort !== undefined)
    return { listener: await listenForRedirect(settings.callbackPort, state), client: known?.client ?? null }
  const [before] = known?.client.redirect_uris ?? []
  const port = Number(URL.parse(before ?? '')?.port ?? 0)
  const again = port === 0 ? null : await listenForRedirect(port, state).catch(() => null)
  if (again && known) return { listener: again, client: known.client }
  return { listener: await listenForRedirect(0, state), client: null }
}

interface Prepared extends Pick<LoginRecord, 'client'> {
  readonly info: OAuthServerInfo
  readonly issuer: string
  readonly resource: string | undefined
  readonly address: URL
  readonly codeVerifier: string
}

async function prepare(
  request: LoginRequest,
  listening: Listening,
  state: string,
  fetchFn: FetchLike,
): Promise<Prepared> {
  const { server, settings, known, wanted } = request
  const challenge = await challengeOf(server, fetchFn)
  const info = await discoverOAuthServerInfo(server, { ...challenge, fetchFn })
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = info
  const resource = resourceMetadata?.resource
  if (resource !== undefined && !checkResourceAllowed({ requestedResource: server, configuredResource: resource }))
    throw new McpError('login', 'It says that its logins are for another server.')
  const issuer = metadata?.issuer ?? authorizationServerUrl
  const scope = scopeOf(
    computeScopeUnion(settings.scopes, challenge.scope, wanted) ?? resourceMetadata?.scopes_supported?.join(' '),
    metadata?.scopes_supported,
  )
  const redirectUrl = listening.listener.address
  const registered = known?.issuer === issuer && covers(listening.client, scope) ? listening.client : null
  const client =
    settings.clientId !== undefined
      ? {
          client_id: settings.clientId,
          ...(settings.clientSecret !== undefined && { client_secret: settings.clientSecret }),
        }
      : (registered ??
        (await registerClient(authorizationServerUrl, {
          fetchFn,
          ...(metadata && { metadata }),
          ...(scope !== undefined && { scope }),
          clientMetadata: {
            client_name: 'Coppice',
            redirect_uris: [redirectUrl],
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
            token_endpoint_auth_method: 'none',
            application_type: 'native',
          },
        })))
  const { authorizationUrl: address, codeVerifier } = await startAuthorization(authorizationServerUrl, {
    ...{ clientInformation: client, redirectUrl, state },
    ...(metadata && { metadata }),
    ...(scope !== undefined && { scope }),
    ...(resource !== undefined && { resource }),
  })
  const problem = addressProblem(address, server)
  if (problem !== undefined) throw new McpError('login', problem)
  return { info, issuer, resource, client, address, codeVerifier }
}

/** A registration gives no more rights than it was made for. */
function covers(client: LoginRecord['client'] | null, scope = ''): boolean {
  const registered = client !== null && 'scope' in client ? client.scope : undefined
  return registered === undefined || scope.split(' ').every((one) => registered.split(' ').includes(one))
}

/** What the server says of its logins when it is asked without one. */
async function challengeOf(server: URL, fetchFn: FetchLike) {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'coppice', version: '0' } }
  const response = await fetchFn(server, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  })
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }
}

/** With the right to renew the login, where it has to be asked for. */
function scopeOf(scope: string | undefined, known: readonly string[] | undefined): string | undefined {
  const isAsked = scope === undefined || scope.split(' ').includes('offline_access')
  return isAsked || !known?.includes('offline_access') ? scope : `${scope} offline_access`
}

interface Waiting extends LoginRequest, Prepared {
  readonly listener: RedirectListener
  readonly fetchFn: FetchLike
}

async function finish(waiting: Waiting, signal: AbortSignal) {
  const { listener, limitMs, keep } = waiting
  const redirect = await inTime(listener.redirect, limitMs, signal)
  try {
    const record = await explained(signal, () => redeem(waiting, redirect.parameters))
    await keep(record)
    redirect.respond(true)
    return accountOf(record)
  } catch (error) {
    redirect.respond(false)
    throw error
  }
}

/** Nothing of what the browser brought is read, or shown, before its sender is known (RFC 9207). */
async function redeem(waiting: Waiting, parameters: URLSearchParams): Promise<LoginRecord> {
  const { info, issuer, client, resource, codeVerifier, listener, fetchFn } = waiting
  const { authorizationServerUrl: authorizationServer, authorizationServerMetadata: metadata } = info
  const iss = parameters.get('iss') ?? undefined
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  })
  const code = parameters.get('code')
  if (code === null) throw new McpError('login', refusalOf(parameters.get('error')))
  const tokens = await exchangeAuthorization(authorizationServer, {
    ...{ clientInformation: client, authorizationCode: code, codeVerifier, redirectUri: listener.address, fetchFn },
    ...(iss !== undefined && { iss }),
    ...(metadata && { metadata }),
    ...(resource !== undefined && { resource }),
  })
  return { issuer, authorizationServer, metadata: metadata ?? null, resource: resource ?? null, client, tokens }
}

function refusalOf(error: string | null): string {
  if (error === 'access_denied') return 'The login was declined in the browser.'
  const named = error !== null && /^[a-z_]{1,60}$/.test(error) ? ` (${error})` : ''
  return `The login was refused${named}.`
}

async function inTime(redirect: Promise<Redirect>, limitMs: number, signal: AbortSignal): Promise<Redirect> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  const timer = setTimeout(
    () =>
      reject(
        new McpError(
          'timed_out',
          `The browser did not come back within ${Math.round(limitMs / 1000)} s. Log in again.`,
        ),
      ),
    limitMs,
  )
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([redirect, late])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
