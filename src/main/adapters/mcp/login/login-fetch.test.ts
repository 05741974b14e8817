import { expect, it } from 'vitest'
import { addressProblem, createLoginFetch } from './login-fetch.ts'

const [remote, here] = ['https://mcp.example.org/mcp', 'http://127.0.0.1:8080/mcp'].map((text) => new URL(text)) as [
  URL,
  URL,
]

// Mutation: without the look at this machine, a server far away has Coppice send requests to programs that run here.
it.each([
  ['https://login.example.org/token', true, true],
  ['http://login.example.org/token', false, false],
  ['http://127.0.0.1:9000/token', false, true],
  ['https://localhost/token', false, true],
  ['https://a.localhost./token', false, true],
  ['http://[::1]:80/token', false, true],
  ['http://2130706433/token', false, true],
  ['http://0.0.0.0/token', false, true],
  ['http://[::ffff:127.0.0.1]/token', false, true],
  ['file:///etc/passwd', false, false],
  ['javascript:alert(1)', false, false],
  ['vscode://run', false, false],
])('sends a login to %s: %s from a server far away, %s from one here', (text, fromFar, fromHere) => {
  const isFree = (server: URL) => addressProblem(new URL(text), server) === undefined
  expect([isFree(remote), isFree(here)]).toEqual([fromFar, fromHere])
})

it('asks nobody at such an address', async () => {
  const ask = createLoginFetch(remote, new AbortController().signal)
  await expect(ask('http://127.0.0.1:1/token')).rejects.toMatchObject({ code: 'login' })
})
