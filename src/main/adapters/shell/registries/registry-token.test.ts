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
  ['an encoded question mark', { path: '/npm/x%3f/../../v4' }],
  ['a header with another path', { headerNames: ['x-original-url'] }],
  ['a header with another prefix', { headerNames: ['accept', 'x-forwarded-prefix'] }],
  ['a header with another method', { headerNames: ['x-http-method-override'] }],
])('a login is not for %s', (_what, change) => {
  expect(tokenFor([token], request)).toBe(token)
  expect(tokenFor([token], { ...request, ...change })).toBeUndefined()
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
  ])
    expect([path, tokenFor([token], { ...request, path })]).toEqual([path, token])
  const dot = fc.constantFrom('.', '%2e', '%2E', '%252e', '%25252e', '\uff0e', '%ef%bc%8e')
  const slash = fc.constantFrom('/', '%2f', '%5c', '%252F', '\\', '%255c')
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
