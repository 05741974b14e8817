import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { certificateFor, onlyFor, serveRegistry } from '#adapters/shell/registries/registry-server.testkit.ts'
import { sandboxHere } from '#adapters/shell/sandbox-here.testkit.ts'
import { openCommandsWorld, type WorldOptions } from './commands-world.testkit.ts'

const { state } = await sandboxHere('registries')

const bearer = 'Bearer npm_canary0123456789'
const name = 'localhost'
/** Another host for every check, though it is the same machine. */
const otherName = '127.0.0.1'
/** Clients do not ask the proxy for names of the loopback, unless they are told to. */
const curl = 'NO_PROXY= no_proxy= curl -sS -m 30'
/** Says how often the login is in variables, and which readable files hold it. */
const search = `cat /proc/*/environ 2> /dev/null | grep -ac canary0123
env | grep -c canary0123; grep -rla canary0123 ~ /tmp /run /etc . 2> /dev/null || echo none`

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

async function open(home: WorldOptions['home'], environment: NodeJS.ProcessEnv = {}) {
  const world = await openCommandsWorld({
    ...(home && { home }),
    environment: { PATH: process.env.PATH, ...environment },
  })
  opened.push(world)
  return world
}

async function serve(...parts: Parameters<typeof serveRegistry>) {
  const server = await serveRegistry(...parts)
  opened.push(server)
  return server
}

describe.skipIf(state !== 'on')('a registry that needs a login', () => {
  it('answers a command that may reach it, which never sees the login', async () => {
    const version = { name: 'thing', version: '1.2.3' }
    const facts = { name: 'thing', 'dist-tags': { latest: '1.2.3' }, versions: { '1.2.3': version } }
    const registry = await serve(onlyFor(bearer, JSON.stringify(facts)))
    const at = `${name}:${registry.port}`
    const npmrc = `registry=http://${at}/npm/\n//${at}/npm/:_authToken=\${CANARY}\n`
    const world = await open({ '.npmrc': npmrc }, { CANARY: 'npm_canary0123456789' })
    const script = `${curl} -v http://${at}/npm/thing 2>&1; NO_PROXY= no_proxy= npm view thing version --no-update-notifier; cat $NPM_CONFIG_USERCONFIG; ${search}`
    const { output, changes, environment, ...outcome } = await world.run(script, { hosts: [name] })
    expect(output).toContain(JSON.stringify(facts))
    expect(output).toContain(`1.2.3\nregistry=http://${at}/npm/\n0\n0\nnone\n`)
    expect(JSON.stringify([output, changes, environment, outcome])).not.toContain('canary0123')
    expect(readFileSync(world.place('home/.npmrc'), 'utf8')).toBe(npmrc)
    const request = { method: 'GET', path: '/npm/thing', authorization: bearer }
    expect(registry.seen).toEqual([request, request])
  })

  it('is not reached by a command with other hosts, for which nothing changes and which hears the name', async () => {
    const own = await certificateFor(otherName)
    const other = await serve((_, response) => response.end('other'), own)
    const registry = await serve(onlyFor(bearer, 'the package'))
    const at = `${name}:${registry.port}`
    const world = await open({ '.npmrc': `registry=http://${at}/\n//${at}/:_authToken=npm_canary0123456789\n` })
    writeFileSync(join(world.root, 'own.pem'), own.authority)
    const asked = `${curl} http://${at}/thing > /dev/null; ${curl} --cacert own.pem https://${otherName}:${other.port}/`
    const script = `${asked}; echo; env | grep -E 'CA_|CERT|CAINFO' | grep -v =/etc/; ${search}`
    const { output, denied } = await world.run(script, { hosts: [otherName] })
    expect(output).toBe('other\n0\n0\nnone\n')
    expect(denied).toEqual([at])
    expect(registry.seen).toEqual([])
  })

  /** Noticed missing checks of the host, the port, the path and the method. */
  it('alone gets the login: not another granted host, port or path, not the target of a redirect, not a write', async () => {
    const other = await serve((_, response) => response.end('other'))
    const registry = await serve((request, response) => {
      const moved = request.url?.endsWith('/moved')
      response.writeHead(moved ? 302 : 200, { location: `http://${otherName}:${other.port}/moved-here` }).end('own')
    })
    const at = `${name}:${registry.port}`
    const otherAt = `${otherName}:${registry.port}`
    const npmrc = `registry=http://${at}/npm/\n//${at}/npm/:_authToken=npm_canary0123456789
@other:registry=http://${otherAt}/elsewhere/\n//${otherAt}/elsewhere/:_authToken=another\n`
    const world = await open({ '.npmrc': npmrc })
    const script = [
      `${curl} http://${otherAt}/npm/same-server`,
      `${curl} http://${otherName}:${other.port}/npm/other-host`,
      `${curl} http://${name}:${other.port}/npm/other-port`,
      `${curl} -L http://${at}/npm/moved`,
      `${curl} http://${at}/other-path`,
      `${curl} -X PUT -d x http://${at}/npm/publish`,
      `${curl} -H 'Host: ${at}' http://${otherName}:${other.port}/npm/pretends`,
    ].join('; ')
    await world.run(script, { hosts: [name, otherName] })
    expect(other.seen.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/npm/other-host', '/npm/other-port', '/moved-here']),
    )
    expect(other.seen.filter(({ authorization }) => authorization)).toEqual([])
    expect(registry.seen.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/npm/same-server', null],
      ['/npm/moved', bearer],
      ['/other-path', null],
      ['/npm/publish', null],
    ])
  })

  it('is reached with https as well, and must prove who it is', async () => {
    const own = await certificateFor(name)
    const registry = await serve(onlyFor(bearer, 'the package'), own)
    const forged = await serve(onlyFor(bearer, 'forged'), await certificateFor(name))
    const logins = [registry, forged].map(({ port }) => `//${name}:${port}/:_authToken=npm_canary0123456789\n`)
    const world = await open({})
    mkdirSync(world.place('home'), { recursive: true })
    writeFileSync(world.place('home/own.pem'), own.authority)
    writeFileSync(world.place('home/.npmrc'), `${logins.join('')}cafile=${world.place('home/own.pem')}\n`)
    const ask = (port: number) => `${curl} https://${name}:${port}/thing`
    const { output } = await world.run(
      `${ask(registry.port)}; echo; ${ask(forged.port)}; echo; grep -rsl 'PRIVATE KEY' /run /tmp ~; grep -c BEGIN $SSL_CERT_FILE; ${search}`,
      { hosts: [name] },
    )
    expect(output).toMatch(/^the package\n/)
    expect(output).not.toContain('forged')
    expect(output).toMatch(/\n\d{2,}\n0\n0\nnone\n$/)
    expect(registry.seen).toEqual([{ method: 'GET', path: '/thing', authorization: bearer }])
    expect(forged.seen).toEqual([])
  })
})

it('needs no sandbox to be known without its login', async () => {
  const world = await openCommandsWorld({
    home: { '.npmrc': '@own:registry=https://one.example/\n//one.example/:_authToken=npm_canary0123456789\n' },
    environment: {},
    isUnconfined: true,
  })
  opened.push(world)
  expect((await world.run('cat $NPM_CONFIG_USERCONFIG')).output).toBe('@own:registry=https://one.example/\n')
})
