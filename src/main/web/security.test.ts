import { expect, it } from 'vitest'
import { mayEnter, originPolicyFor, sameToken } from './security.ts'

const door = originPolicyFor('127.0.0.1', 4200)
const [own, page] = ['127.0.0.1:4200', 'http://127.0.0.1:4200']

// Mutation: do not look at the host, or not at the origin.
it.each([
  ['the page itself', { host: own, origin: page }, [true, true]],
  ['a load without an origin, but no socket', { host: own }, [true, false]],
  ['no host', { origin: page }, [false, false]],
  ['another name that leads here', { host: 'evil.example:4200', origin: page }, [false, false]],
  ['another port', { host: '127.0.0.1:4201', origin: page }, [false, false]],
  ['a name that begins like it', { host: '127.0.0.1:42000', origin: page }, [false, false]],
  ['a page of another origin', { host: own, origin: 'http://127.0.0.1:4201' }, [false, false]],
  ['a page without an origin of its own', { host: own, origin: 'null' }, [false, false]],
  ['a secure page', { host: own, origin: 'https://127.0.0.1:4200' }, [false, false]],
])('the door for %s', (_, headers, answers) => {
  expect([mayEnter(door, headers, false), mayEnter(door, headers, true)]).toEqual(answers)
})

it('takes the token and nothing like it', () => {
  const others = ['', 'toke', 'token ', 'TOKEN', null, undefined, 5, ['token']]
  expect([sameToken('token', 'token'), ...others.map((one) => sameToken('token', one))]).toEqual([
    true,
    ...others.map(() => false),
  ])
})
