import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { McpLogin } from '#core/ports/mcp-client.ts'
import type { McpTransport } from '#shared/model/settings.ts'
import { logInAsBrowser, startLoginServer } from '../../../../../e2e/support/login-server.ts'
import { createMcpConnector } from '../mcp-connector.ts'
import { keepInMemory } from './login-record.ts'
import { createLogins } from './logins.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const never = new AbortController().signal

async function world(limitMs?: number) {
  const server = await startLoginServer()
  open.push(server)
  const connector = createMcpConnector({
    ...{ version: '0', workingFolder: '/', variable: () => undefined },
    logins: createLogins(keepInMemory(), limitMs),
  })
  const transport: Extract<McpTransport, { kind: 'http' }> = { kind: 'http', url: server.url, headers: {} }
  const begin = async (given = transport) => {
    const login = await connector.login(given, true, never)
    open.push(login)
    return login
  }
  const logIn = async (given = transport) => {
    const login = await begin(given)
    const ended = await logInAsBrowser(login.address)
    return { account: await login.done, page: (await ended.response?.text()) ?? '' }
  }
  const connect = async () => {
    const connection = await connector.connect(transport, never)
    open.push(connection)
    return connection
  }
  const tokensAsked = () => server.asked().filter((request) => request === 'POST /token').length
  return { server, connector, transport, begin, logIn, connect, tokensAsked }
}

const atCallback = (url: URL) => url.pathname === '/callback'
/** Where the browser would end, without going there. */
const callbackOf = async ({ address }: McpLogin) => (await logInAsBrowser(address, atCallback)).url
const sum = { ok: true, content: [{ type: 'text', text: '3' }] }
const numbers = { a: 1, b: 2 }

describe('a login', () => {
  it('lets in whoever agreed in the browser', async () => {
    const { connector, transport, server, logIn, connect } = await world()
    await expect(connect()).rejects.toMatchObject({ code: 'login', message: 'It needs a login.' })
    const { account, page } = await logIn()
    expect([account, page]).toEqual([
      { issuer: server.issuer, name: null },
      expect.stringContaining('You are logged in.'),
    ])
    expect(await connector.account(transport)).toEqual(account)
    const connection = await connect()
    expect(await connection.call('add', numbers, never)).toEqual(sum)
  })

  it('says whose it is, where the authorization server does', async () => {
    const { logIn, transport } = await world()
    const { account } = await logIn({ ...transport, oauth: { scopes: 'openid use' } })
    expect(account.name).toBe('ada@example.org')
  })

  it('ends where the browser is on another machine, by its address', async () => {
    const { begin, connect } = await world()
    const login = await begin()
    const url = await callbackOf(login)
    expect(() => login.answer('http://127.0.0.1/callback?code=of-somebody-else')).toThrow('Copy it from the browser')
    login.answer(` ${url.href}\n`)
    await login.done
    await connect()
  })

  it('registers Coppice once, and goes back to the address that is known there', async () => {
    const { server, begin } = await world()
    const redirects: (string | null)[] = []
    for (let times = 0; times < 2; times += 1) {
      const login = await begin()
      redirects.push(new URL(login.address).searchParams.get('redirect_uri'))
      await logInAsBrowser(login.address)
      await login.done
    }
    // Another program may have taken the port meanwhile. Then it is another address, which has to be registered.
    const registered = server.asked().filter((request) => request === 'POST /reg')
    expect(registered).toHaveLength(new Set(redirects).size)
    const [first, second] = [await begin(), await begin()]
    const apart = [first, second].map(({ address }) => new URL(address).searchParams.get('redirect_uri'))
    expect(apart[0]).not.toBe(apart[1])
  })

  it('asks for the rights that a call lacked', async () => {
    const { server, logIn, connect } = await world()
    await logIn()
    server.scope = 'write'
    const before = await connect()
    await expect(before.call('add', numbers, never)).rejects.toMatchObject({ code: 'login' })
    await logIn()
    expect(await (await connect()).call('add', numbers, never)).toEqual(sum)
  })

  it('is forgotten here and there', async () => {
    const { server, connector, transport, logIn, connect } = await world()
    await logIn()
    await connector.logOut(transport)
    expect(server.asked()).toContain('POST /token/revocation')
    expect(await connector.account(transport)).toBeNull()
    await expect(connect()).rejects.toMatchObject({ code: 'login' })
  })

  it('is no matter of a server with a key of its own, or of a program', async () => {
    const { connector, server } = await world()
    const keyed = { kind: 'http', url: server.url, headers: { Authorization: 'Bearer mine' } } as const
    await expect(connector.connect(keyed, never)).rejects.toMatchObject({ code: 'not_started' })
    const program = { kind: 'stdio', command: 'x', args: [], env: {} } as const
    await expect(connector.login(program, true, never)).rejects.toMatchObject({ code: 'login' })
    expect(await connector.account(program)).toBeNull()
  })
})

describe('a login that is no longer valid', () => {
  // Mutation: without the renewals in common, the second one takes the login away, and calls ask for a new one.
  it('is renewed once for all calls that meet it', async () => {
    const { server, logIn, connect, tokensAsked } = await world()
    await logIn()
    const connection = await connect()
    server.expire()
    const calls = Array.from({ length: 5 }, () => connection.call('add', numbers, never))
    expect(await Promise.all(calls)).toEqual(Array(5).fill(sum))
    expect(tokensAsked()).toBe(2)
  })

  it('is renewed when the authorization server signs with another key', async () => {
    const { server, logIn, connect } = await world()
    await logIn()
    const connection = await connect()
    server.rotateKeys()
    expect(await connection.call('add', numbers, never)).toEqual(sum)
  })

  it('has to be given anew when it cannot be renewed', async () => {
    const { server, connector, transport, logIn, connect } = await world()
    await logIn()
    const connection = await connect()
    server.expire()
    server.dropRefreshTokens()
    const message = 'Its login is no longer valid. Log in again.'
    await expect(connection.call('add', numbers, never)).rejects.toMatchObject({ code: 'login', message })
    expect(await connector.account(transport)).toBeNull()
    await logIn()
    expect(await connection.call('add', numbers, never)).toEqual(sum)
  })

  it('is kept while the one who gave it does not answer', async () => {
    const { server, connector, transport, logIn, connect } = await world()
    await logIn()
    const connection = await connect()
    server.expire()
    server.intercept = (place, _, response) => {
      if (place === 'login') response.writeHead(503).end('out of order')
      return place === 'login'
    }
    await expect(connection.call('add', numbers, never)).rejects.toMatchObject({ code: 'login' })
    expect(await connector.account(transport)).not.toBeNull()
    server.intercept = () => false
    expect(await connection.call('add', numbers, never)).toEqual(sum)
  })

  // Mutation: discover the authorization server again in `renewed`, and the other one gets the login.
  it('is renewed by the one who gave it alone, whomever the server names by now', async () => {
    const { server, logIn, connect } = await world()
    await logIn()
    const connection = await connect()
    await using other = await startLoginServer()
    server.expire()
    server.intercept = (place, request, response) => {
      const isAsked = place === 'server' && request.url?.includes('oauth-protected-resource') === true
      if (isAsked) response.end(JSON.stringify({ resource: server.url, authorization_servers: [other.issuer] }))
      return isAsked
    }
    expect(await connection.call('add', numbers, never)).toEqual(sum)
    expect(other.asked()).toEqual([])
  })
})

describe('a login that somebody else ends', () => {
  // Mutation: without the look at `state`, the code of somebody else is redeemed here.
  it('does not hear of a browser without its state, and goes on', async () => {
    const { begin, tokensAsked } = await world()
    const login = await begin()
    const url = await callbackOf(login)
    const forged = new URL(url)
    forged.searchParams.set('state', 'guessed')
    const answers = [await fetch(forged), await fetch(new URL('/callback', url)), await fetch(new URL('/', url))]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 404])
    expect(tokensAsked()).toBe(0)
    await fetch(url)
    await login.done
  })

  // Mutation: without the look at the name, a page of another site reads the answers of this machine under its own name.
  it('does not hear of a browser that knows this machine by another name', async () => {
    const { begin } = await world()
    const login = await begin()
    const { host, pathname, search, port } = await callbackOf(login)
    const { request } = await import('node:http')
    const status = await new Promise((resolve) => {
      const asked = { host: '127.0.0.1', port, path: `${pathname}${search}`, headers: { host: `evil.test:${port}` } }
      request(asked, ({ statusCode }) => resolve(statusCode)).end()
    })
    expect([host.startsWith('127.0.0.1:'), status]).toEqual([true, 404])
  })

  // Mutation: without the comparison of `iss`, the code goes to a place that it is not from.
  it.each(['another', 'no'])('takes nothing from a browser that comes from %s issuer', async (which) => {
    const { begin, tokensAsked } = await world()
    const login = await begin()
    const url = await callbackOf(login)
    if (which === 'no') url.searchParams.delete('iss')
    else url.searchParams.set('iss', 'https://evil.test')
    const response = await fetch(url)
    await expect(login.done).rejects.toMatchObject({ code: 'login', message: expect.stringContaining('another place') })
    expect([response.status, await response.text()]).toEqual([400, expect.not.stringContaining('evil')])
    expect(tokensAsked()).toBe(0)
  })

  it('shows no words of a stranger, and says when it was declined', async () => {
    const { begin, server } = await world()
    const [strange, declined] = [await begin(), await begin()]
    const end = async (login: McpLogin, issuer: string) => {
      const url = await callbackOf(login)
      url.searchParams.delete('code')
      for (const [name, value] of [
        ['error', 'access_denied'],
        ['error_description', 'Call 555'],
        ['iss', issuer],
      ] as const)
        url.searchParams.set(name, value)
      await fetch(url)
      return login.done.then(String, ({ message }: Error) => message)
    }
    expect(await end(strange, 'https://evil.test')).not.toMatch(/declined|555|evil/)
    expect(await end(declined, server.issuer)).toBe('The login was declined in the browser.')
  })
})

describe('a login that does not end', () => {
  it('ends by itself', async () => {
    const { begin } = await world(1)
    await expect((await begin()).done).rejects.toMatchObject({ code: 'timed_out' })
  })

  it('is cancelled', async () => {
    const { begin } = await world()
    const login = await begin()
    const url = await callbackOf(login)
    await login[Symbol.asyncDispose]()
    await expect(login.done).rejects.toThrow('The login was cancelled.')
    await expect(fetch(url)).rejects.toThrow()
  })

  it('is cancelled while the authorization server says nothing', async () => {
    const { connector, transport, server } = await world()
    const asked = Promise.withResolvers<void>()
    server.intercept = (place) => {
      if (place === 'login') asked.resolve()
      return place === 'login'
    }
    const stop = new AbortController()
    const beginning = connector.login(transport, true, stop.signal)
    await asked.promise
    stop.abort(new Error('stopped'))
    await expect(beginning).rejects.toThrow('stopped')
  })
})

describe('a login that leads elsewhere', () => {
  async function elsewhere() {
    let reached = 0
    const server = createServer((_, response) => {
      reached += 1
      response.end('{}')
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    open.push({ [Symbol.asyncDispose]: async () => void server.close() })
    return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, reached: () => reached }
  }

  // Mutation: let `fetch` follow redirects, and the code or the token goes to the other place.
  it.each(['/token', '/reg', '/.well-known/openid-configuration'])(
    'does not follow %s to another place',
    async (path) => {
      const { server, begin, logIn } = await world()
      const { address, reached } = await elsewhere()
      server.intercept = (place, request, response) => {
        const isSent =
          place === 'login' &&
          (request.url === path || (path.startsWith('/.') && request.url?.startsWith('/.') === true))
        if (isSent) response.writeHead(307, { location: address }).end()
        return isSent
      }
      const work = path === '/token' ? logIn() : begin()
      await expect(work).rejects.toMatchObject({ code: 'login' })
      expect(reached()).toBe(0)
    },
  )

  it.each([
    ['says nothing of logins', 404, 'does not say where to log in'],
    ['does not take new clients', 403, 'Register it there yourself'],
  ])('is explained where a server %s', async (_, status, sentence) => {
    const { server, begin } = await world()
    server.intercept = (place, request, response) => {
      const isRefused = status === 404 ? request.url !== '/mcp' : place === 'login' && request.url === '/reg'
      if (isRefused) response.writeHead(status).end('{}')
      return isRefused
    }
    await expect(begin()).rejects.toThrow(sentence)
  })

  it('opens no page that is no page of the web', async () => {
    const { server, begin } = await world()
    server.intercept = (place, request, response) => {
      const isAsked = place === 'login' && request.url?.startsWith('/.well-known/') === true
      const metadata = {
        ...{ issuer: server.issuer, authorization_endpoint: 'file:///etc/passwd', response_types_supported: ['code'] },
        ...{ token_endpoint: `${server.issuer}/token`, registration_endpoint: `${server.issuer}/reg` },
      }
      if (isAsked) response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata))
      return isAsked
    }
    await expect(begin()).rejects.toMatchObject({ code: 'login' })
  })
})
