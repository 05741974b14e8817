import { mkdirSync, writeFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { certificateFor, serveRegistry } from '#adapters/shell/registries/registry-server.testkit.ts'
import { sandboxHere } from '#adapters/shell/sandbox-here.testkit.ts'
import { openConnectProxy } from '#adapters/system/outgoing/connect-proxy.testkit.ts'
import { applyOutgoing } from '#adapters/system/outgoing/outgoing.ts'
import { openCommandsWorld } from './commands-world.testkit.ts'

const { state } = await sandboxHere('company networks')

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]()
})
const keep = <One extends AsyncDisposable>(one: One): One => {
  opened.push(one)
  return one
}

/** A world behind a company's proxy, and a server that only the company's authority signs for. */
async function openCompany(login?: string) {
  const certificate = await certificateFor('packages.example')
  const server = keep(await serveRegistry((_, response) => response.end('the package'), certificate))
  const proxy = keep(await openConnectProxy(server.port, login))
  const environment: NodeJS.ProcessEnv = { PATH: process.env.PATH }
  const world = keep(await openCommandsWorld({ environment }))
  mkdirSync(world.place('home'), { recursive: true })
  environment.NODE_EXTRA_CA_CERTS = world.place('home/company.pem')
  writeFileSync(world.place('home/company.pem'), `${certificate.authority}\n${certificate.key}`)
  return { proxy, world, at: `127.0.0.1:${proxy.port}` }
}

/**
 * Mutations: without `parentProxy` in `configWith` the host is not found, without `hiddenAuthorities` it is not trusted.
 */
it.skipIf(state !== 'on').each([
  ['the environment', 'me:pass5ecret', (at: string) => applyOutgoing({ HTTPS_PROXY: `http://me:pass5ecret@${at}` })],
  ['the system', undefined, (at: string) => applyOutgoing({}, async () => `PROXY ${at}; DIRECT`)],
])(
  'a command reaches a granted host through the proxy of %s, and trusts whom the person trusts',
  async (_, login, apply) => {
    const { proxy, world, at } = await openCompany(login)
    using __ = apply(at)
    const script = `curl -sS -m 20 https://packages.example/thing; echo
curl -sS -m 20 https://other.example/ || echo refused
env | grep -c pass5ecret; grep -rl 'PRIVATE KEY' /run ~ 2> /dev/null || echo none; grep -c BEGIN "$NODE_EXTRA_CA_CERTS"`
    const { output } = await world.run(script, { hosts: ['packages.example'] })
    expect(output).toMatch(/^the package\n[\s\S]*refused\n0\nnone\n\d+\n$/)
    expect(proxy.asked).toEqual(['CONNECT packages.example:443'])
  },
)

it.skipIf(state !== 'on')('a command without hosts is given no certificates', async () => {
  const { world } = await openCompany()
  const { output } = await world.run('env | grep -E "CERT|CA_" | grep -v =/etc/; echo end')
  expect(output).toBe('end\n')
})
