import { createPublicKey, generateKeyPairSync, type JsonWebKey, randomUUID, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider'
import { z } from 'zod'

/**
 * A server of the Model Context Protocol behind a login, with an authorization server beside it: both are the real libraries
 * on 127.0.0.1. What they answer can be replaced, to see what becomes of a login that is attacked or fails.
 */
export interface LoginServer extends AsyncDisposable {
  /** The address for a definition. */
  readonly url: string
  readonly issuer: string
  /** Calls of the tool `add` that were let in. */
  readonly calls: () => number
  /** Requests to the authorization server, as `POST /token`. */
  readonly asked: () => readonly string[]
  /** Answers requests itself where it returns true. `place` is `server` or `login`. */
  intercept: (place: 'server' | 'login', request: IncomingMessage, response: ServerResponse) => boolean
  /** From now on the access tokens that were seen count no longer. */
  expire(): void
  /** The authorization server signs with another key, and tokens of the one before count no longer. */
  rotateKeys(): void
  /** The authorization server forgets what logins are renewed with. */
  dropRefreshTokens(): void
  /** The rights that a call needs. */
  scope: string
}

const scopes = ['use', 'write']

export async function startLoginServer(): Promise<LoginServer> {
  const asked: string[] = []
  const seen = new Set<string>()
  const expired = new Set<string>()
  const store: Store = new Map()
  let calls = 0
  firstKey ??= signingKey()
  let key = firstKey
  const [login, server] = [createServer(), createServer()]
  const [issuer, origin] = [await listening(login), await listening(server)]
  const url = `${origin}/mcp`
  let handle = createProvider(issuer, url, key, store)
  const mcp = createMcpHandler(() => {
    const served = new McpServer({ name: 'behind-login', version: '1' })
    const inputSchema = z.object({ a: z.number(), b: z.number() })
    served.registerTool('add', { description: 'Adds two numbers.', inputSchema }, async ({ a, b }) => {
      calls += 1
      return { content: [{ type: 'text', text: String(a + b) }] }
    })
    return served
  })
  const self: LoginServer = {
    ...{ url, issuer, calls: () => calls, asked: () => asked, intercept: () => false, scope: 'use' },
    expire() {
      for (const token of seen) expired.add(token)
    },
    rotateKeys() {
      key = signingKey()
      handle = createProvider(issuer, url, key, store)
    },
    dropRefreshTokens() {
      for (const key of store.keys()) if (key.startsWith('RefreshToken:')) store.delete(key)
    },
    async [Symbol.asyncDispose]() {
      for (const one of [login, server]) {
        one.closeAllConnections()
        one.close()
      }
    },
  }
  login.on('request', (request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method} ${new URL(request.url ?? '', issuer).pathname}`)
    if (!self.intercept('login', request, response)) void handle(request, response)
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!self.intercept('server', request, response)) void serve(request, response)
  })
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
    if (request.url === new URL(metadata).pathname)
      return json(response, 200, { resource: url, authorization_servers: [issuer], scopes_supported: ['use'] })
    const token = request.headers.authorization?.replace(/^Bearer /, '')
    if (token !== undefined) seen.add(token)
    const granted = token === undefined || expired.has(token) ? null : scopesIn(token, url, key)
    if (!granted) {
      response.setHeader('www-authenticate', `Bearer resource_metadata="${metadata}", scope="use"`)
      return json(response, 401, { error: 'invalid_token' })
    }
    const body = await bodyOf(request)
    if (body.includes('tools/call') && !granted.includes(self.scope)) {
      const wanted = `Bearer error="insufficient_scope", scope="use ${self.scope}", resource_metadata="${metadata}"`
      response.setHeader('www-authenticate', wanted)
      return json(response, 403, { error: 'insufficient_scope' })
    }
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const isBare = request.method === 'GET' || request.method === 'HEAD'
    const answer = await mcp.fetch(
      new Request(url, { method: request.method ?? 'GET', headers, ...(!isBare && { body }) }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  }
  return self
}

type SigningKey = JsonWebKey & { readonly kid: string }

/** A key takes a tenth of a second, and none of the servers knows the others. */
let firstKey: SigningKey | undefined

function signingKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' }
}

type Store = Map<string, AdapterPayload>

/** Everything that the authorization server keeps, until the test is over. Nothing expires. */
function keepIn(store: Store, model: string): Adapter {
  const findBy = (field: 'uid' | 'userCode', value: string) =>
    [...store].find(([key, payload]) => key.startsWith(`${model}:`) && payload[field] === value)?.[1]
  return {
    find: async (id) => store.get(`${model}:${id}`),
    findByUid: async (uid) => findBy('uid', uid),
    findByUserCode: async (code) => findBy('userCode', code),
    upsert: async (id, payload) => void store.set(`${model}:${id}`, payload),
    destroy: async (id) => void store.delete(`${model}:${id}`),
    async consume(id) {
      const payload = store.get(`${model}:${id}`)
      if (payload) payload.consumed = Math.floor(Date.now() / 1000)
    },
    async revokeByGrantId(grantId) {
      for (const [key, payload] of store) if (payload.grantId === grantId) store.delete(key)
    },
  }
}

function createProvider(issuer: string, resource: string, key: SigningKey, store: Store) {
  const configuration: Configuration = {
    jwks: { keys: [key as never] },
    scopes: ['openid', 'offline_access', ...scopes],
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token'] },
    adapter: (model: string) => keepIn(store, model),
    cookies: { keys: ['a key of tests'] },
    claims: { openid: ['sub', 'email'] },
    conformIdTokenClaims: false,
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      IdToken: 3600,
      RefreshToken: 3600,
      Grant: 3600,
      Session: 3600,
      Interaction: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: scopes.join(' '),
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
        defaultResource: () => resource,
        useGrantedResource: () => true,
      },
    },
    interactions: { url: (_, { uid }) => `/agree/${uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, email: 'ada@example.org' }) }),
  }
  const provider = new Provider(issuer, configuration)
  const respond = provider.callback()
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url?.startsWith('/agree/') && request.method === 'GET') {
      response.setHeader('content-type', 'text/html')
      response.end(
        '<!doctype html><html lang="en"><title>Log in</title><form method="post"><button>Agree</button></form></html>',
      )
    } else if (request.url?.startsWith('/agree/')) await agree(provider, request, response)
    else await respond(request, response)
  }
}

/** The person logs in as Ada and agrees to everything. */
async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params, prompt } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: 'ada' } })
  const grant = new provider.Grant({ accountId: 'ada', clientId: String(params.client_id) })
  grant.addOIDCScope(`openid offline_access ${scopes.join(' ')}`)
  grant.addResourceScope(String(params.resource), scopes.join(' '))
  const grantId = await grant.save()
  await provider.interactionFinished(request, response, { consent: { grantId } }, { mergeWithLastSubmission: true })
}

/** Null for a token that another key signed, or that is for another server. */
function scopesIn(token: string, audience: string, key: SigningKey): readonly string[] | null {
  const [head = '', claims = '', signature = ''] = token.split('.')
  const { kty, n, e } = key
  const publicKey = createPublicKey({ key: { kty, n, e } as JsonWebKey, format: 'jwk' })
  if (!verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url')))
    return null
  const { aud, scope = '' } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string; scope?: string }
  return aud === audience ? scope.split(' ') : null
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/**
 * Goes through a login as a browser does, agreeing to everything, and stops before the address at `stopBefore`. Returns the
 * address at which it ended, and its answer; null for one that it stopped before.
 */
export async function logInAsBrowser(
  address: string,
  stopBefore: (url: URL) => boolean = () => false,
): Promise<{ readonly url: URL; readonly response: Response | null }> {
  const cookies = new Map<string, string>()
  let url = new URL(address)
  let method = 'GET'
  for (let steps = 0; steps < 20; steps += 1) {
    if (stopBefore(url)) return { url, response: null }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { method, redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location !== null) {
      url = new URL(location, url)
      method = 'GET'
    } else if (url.pathname.startsWith('/agree/')) method = 'POST'
    else return { url, response }
  }
  throw new Error('The login does not end.')
}
