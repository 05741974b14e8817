import { expect, it } from 'vitest'
import { type RegistryRequest, type RegistryToken, tokenFor } from './registry-token.ts'

const token: RegistryToken = {
  ...{ protocol: 'https:', host: 'one.example', port: 443, path: '/npm/', authorization: 'Bearer one' },
}
const request: RegistryRequest = { ...token, path: '/npm/thing', method: 'GET' }

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
