import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type RegistryRequest, type RegistryToken, tokenFor } from './registry-token.ts'

const token: RegistryToken = {
  ...{ protocol: 'https:', host: 'one.example', port: 443, path: '/npm/', authorization: 'Bearer one' },
}
const request: RegistryRequest = { ...token, path: '/npm/thing', method: 'GET', headerNames: ['accept'] }

/** Notices each check that is missing. */
it.each<readonly [string, Partial<RegistryRequest>]>([
  ['another host', { host: 'two.example' }],
  ['a host below it', { host: 'x.one.example' }],
  ['another port', { port: 8443 }],
  ['the same place without encryption', { protocol: 'http:' }],
  ['a path that begins with the same letters', { path: '/npmjs/thing' }],
  ['a path above', { path: '/' }],
  ['a write', { method: 'PUT' }],
  ['a request that is echoed', { method: 'TRACE' }],
  ['steps upwards', { path: '/npm/../v4/user' }],
  ['encoded steps', { path: '/npm/..%2f..%2fv4/user' }],
  ['encoded dots', { path: '/npm/%2e%2e/v4/user' }],
  ['steps that were encoded twice', { path: '/npm/%252e%252e%252fv4/user' }],
  ['steps that were encoded too often', { path: `/npm/%${'25'.repeat(9)}2e` }],
  ['steps with a backslash', { path: '/npm/..%5cv4' }],
  ['steps with a parameter', { path: '/npm/..;x=1/v4/user' }],
  ['letters that some servers read as dots', { path: '/npm/%ef%bc%8e%ef%bc%8e/v4' }],
  ['one dot leader in place of two dots', { path: '/npm/\u2025/v4' }],
  ['bytes that are no text', { path: '/npm/%c0%ae%c0%ae/v4' }],
  ['a NUL', { path: '/npm/x%00/../v4' }],
  ['letters that some servers read as slashes', { path: '/npm/..\uff0f..\uff0fv4/user' }],
  ['encoded letters that some servers read as slashes', { path: '/npm/..%ef%bc%8f..%ef%bc%8fv4/user' }],
  ['a slash of fractions', { path: '/npm/..%e2%81%84v4' }],
  ['a letter that some servers read as a percent sign', { path: '/npm/%ef%bc%852e%ef%bc%852e/v4' }],
  ['a letter of another width in the name', { path: '/npm/x%ef%bc%9by' }],
  ['steps with a space behind, which Windows leaves out', { path: '/npm/..%20/v4' }],
  ['steps with a plus behind', { path: '/npm/..+/v4' }],
  ['steps with a space between', { path: '/npm/.%20./v4' }],
  ['steps with a stream of Windows', { path: '/npm/..::$DATA/v4' }],
  ['steps with a colon', { path: '/npm/..:/v4' }],
  ['steps with a parameter after a comma', { path: '/npm/..,x=1/v4' }],
  ['steps with an equals sign', { path: '/npm/..=/v4' }],
  ['steps with a sign before', { path: '/npm/~../v4' }],
  ['steps with a bar, which is written otherwise', { path: '/npm/..%7c/v4' }],
  ['one step with a stream of Windows', { path: '/npm/.::$INDEX_ALLOCATION/v4' }],
  ['numbers of letters that are no encoding of addresses', { path: '/npm/%u002e%u002e/v4' }],
  ['an entity of a page', { path: '/npm/&#46;&#46;/v4' }],
  ['a tab behind steps', { path: '/npm/..%09/v4' }],
  ['a line end behind steps', { path: '/npm/..%0d%0a/v4' }],
  ['a name with a slash in it', { path: '/npm%2fthing' }],
  ['a name with a slash that was encoded twice', { path: '/npm%252fthing' }],
  ['other letters', { path: '/NPM/thing' }],
  ['a method of others', { method: 'QUERY' }],
  ['a request to go on', { headerNames: ['expect'] }],
  ['another protocol', { headerNames: ['upgrade'] }],
  ['settings of another protocol', { headerNames: ['http2-settings'] }],
  ['an encoded question mark', { path: '/npm/x%3f/../../v4' }],
  ['a header with another path', { headerNames: ['x-original-url'] }],
  ['a header with another prefix', { headerNames: ['accept', 'x-forwarded-prefix'] }],
  ['a header with an underscore, which CGI reads like a dash', { headerNames: ['x_original_url'] }],
  ['a header with another path of Envoy', { headerNames: ['x-envoy-original-path'] }],
  ['a header with another place of a script', { headerNames: ['script-name'] }],
  ['a header with another path of a framework', { headerNames: ['x-middleware-rewrite'] }],
  ['the standard header about forwarding', { headerNames: ['forwarded'] }],
  ['a header with another address', { headerNames: ['request-uri'] }],
  ['a body', { headerNames: ['content-length'] }],
  ['a body in pieces', { headerNames: ['transfer-encoding'] }],
  ['a header with another method', { headerNames: ['x-http-method-override'] }],
])('a login is not for %s', (_what, change) => {
  expect(tokenFor([token], request)).toBe(token)
  expect(tokenFor([token], { ...request, ...change })).toBeUndefined()
})

// Mutation: a list of headers that are refused lets through each one that nobody thought of.
it('is only for headers that readers of packages send', () => {
  const sent = [
    ...['accept', 'accept-encoding', 'authorization', 'cache-control', 'cargo-protocol', 'connection', 'host'],
    ...['if-none-match', 'npm-command', 'npm-in-ci', 'pacote-req-type', 'range', 'user-agent'],
  ]
  expect(tokenFor([token], { ...request, headerNames: sent })).toBe(token)
  const dashes = fc.constantFrom('-', '_')
  const first = fc.constantFrom('x', 'http', 'cf', 'base', 'request', 'destination')
  const second = fc.constantFrom('url', 'uri', 'path', 'method', 'host', 'prefix', 'rewrite')
  fc.assert(
    fc.property(first, dashes, second, (one, dash, other) => {
      expect(tokenFor([token], { ...request, headerNames: [...sent, `${one}${dash}${other}`] })).toBeUndefined()
    }),
  )
})

// Mutation: without the look at its parts, a login for the packages of a group is given to a project that is called so.
it('is for a place with a slash in a name, and for none that is written like it', () => {
  const group = { ...token, path: '/projects/group%2fone/npm/' }
  expect(tokenFor([group], { ...request, path: '/projects/group%2Fone/npm/thing' })).toBe(group)
  expect(tokenFor([group], { ...request, path: '/projects/group/one/npm/thing' })).toBeUndefined()
  expect(tokenFor([group], { ...request, path: '/projects/group%252fone/npm/thing' })).toBeUndefined()
})

it('takes the login with the longest path, and the first of two', () => {
  const above = { ...token, path: '/' }
  const other = { ...token, authorization: 'Bearer two' }
  expect(tokenFor([above, token, other], request)).toBe(token)
  expect(tokenFor([token, above], { ...request, path: '/other' })).toBe(above)
  expect(tokenFor([token], { ...request, path: '/npm' })).toBe(token)
})

it('fits the names that registries use, and nothing that leads above its place in any encoding', () => {
  for (const path of [
    '/npm/@scope%2fname',
    '/npm/@scope/name/-/name-1.0.0.tgz',
    '/npm/a%20b',
    '/npm/x%2Bcpu.whl',
    '/npm//x',
    '/npm/.well-known/x',
    '/npm/x/-/x-1.0.0-rc.1+build.5.tgz',
    '/npm/x_y~z/!1.0',
  ])
    expect([path, tokenFor([token], { ...request, path })]).toEqual([path, token])
  const dot = fc.constantFrom('.', '%2e', '%2E', '%252e', '%25252e', '\uff0e', '%ef%bc%8e')
  const slash = fc.constantFrom('/', '%2f', '%5c', '%252F', '\\', '%255c', '\uff0f', '%ef%bc%8f', '%E2%81%84', '%20/')
  const part = fc.constantFrom('a', '@s', ';p=1', '%20', 'b.c', '')
  const upwards = fc.tuple(
    fc.array(part),
    slash,
    dot,
    dot,
    part.filter((one) => !/^[@ab%]/.test(one)),
    slash,
    fc.array(part),
  )
  fc.assert(
    fc.property(upwards, ([before, ...rest]) => {
      const [first, one, two, tail, second, after] = rest
      const path = `/npm/${before.join('/')}${first}${one}${two}${tail}${second}${after.join('/')}`
      expect(tokenFor([token], { ...request, path })).toBeUndefined()
    }),
  )
})
