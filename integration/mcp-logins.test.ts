import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { lastResults, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { logInAsBrowser, startLoginServer } from '../e2e/support/login-server.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import { coppice, keyFor } from './command-line/coppice.testkit.ts'

/** Servers of the Model Context Protocol behind a login, from the settings to the agent's call. */
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-login-'))
const call = { calls: [{ name: 'mcp__tracker__add', id: 'one', input: { a: 1, b: 2 } }] }
const once: Scenario = (request) =>
  turnOf(request) === 0 ? call : { text: `It said: ${[...lastResults(request).values()].join('|')}` }

/** A folder and the settings of a person who has the server. */
async function place(scenario: Scenario = once) {
  const [server, model] = [await startLoginServer(), await startModelServer(scenario)]
  open.push(server, model)
  const [project, data] = [folder(), folder()]
  const settings = { mcp_servers: { tracker: { url: server.url } }, permissions: { allow: ['mcp__*'] } }
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  return { server, model, project, data }
}

async function world() {
  const { server, model, project: path, data } = await place()
  const host = await openTestHost(data, undefined, keyFor(model.url))
  open.push(host)
  const { mcp, runtime, services } = await host.projects.open(path)
  const hash = async () => (await mcp.list()).servers[0]?.hash ?? ''
  await mcp.setTrusted(await hash(), true)
  const logIn = async () => {
    const { address } = await mcp.logins.begin(await hash(), true)
    await logInAsBrowser(address)
    await mcp.logins.wait(await hash())
  }
  const run = async () => {
    const id = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
    runtime.send(id, [{ type: 'text', text: 'main' }], 'queue')
    await runtime.whenIdle(id)
    return id
  }
  const result = (id: ThreadId) => resultOf([...(readThread(services.log, id)?.calls.values() ?? [])].at(0))
  return { server, model, mcp, data, hash, logIn, run, result }
}

const stateOf = async ({ mcp }: Awaited<ReturnType<typeof world>>) => (await mcp.list()).servers[0]

it('a run goes on without a server that needs a login, and says what to do', async () => {
  const { mcp, model, run } = await world()
  await run()
  expect(JSON.stringify(model.requests[0]?.tools)).not.toContain('mcp__tracker__add')
  expect(await mcp.warnings()).toEqual([
    'The server tracker: Its tools are missing. It needs a login. Run: coppice mcp login "tracker"',
  ])
})

it('a login gives agents the tools, and is kept in a private file', async () => {
  const opened = await world()
  const { server, data, logIn, run, result } = opened
  await logIn()
  expect(await stateOf(opened)).toMatchObject({
    state: { kind: 'ready' },
    login: { address: null, account: { issuer: server.issuer, name: null } },
  })
  expect(result(await run())).toMatchObject({ outcome: 'ok', content: [{ text: '3' }] })
  const [file = ''] = readdirSync(data).filter((name) => name.startsWith('key-'))
  expect(statSync(join(data, file)).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(data, file), 'utf8')).toContain(server.issuer)
})

it('a call whose login has ended says so to the agent and to the window, and works after another login', async () => {
  const opened = await world()
  const { server, logIn, run, result, mcp, hash } = opened
  await logIn()
  server.expire()
  server.dropRefreshTokens()
  const failed = result(await run())
  expect(failed).toMatchObject({ outcome: 'error', login: 'tracker' })
  expect(JSON.stringify(failed?.content)).toContain('Only the user can log in.')
  expect((await stateOf(opened))?.state.kind).toBe('login')
  await logIn()
  expect(result(await run())).toMatchObject({ outcome: 'ok' })
  await mcp.logins.end(await hash())
  expect(await stateOf(opened)).toMatchObject({ state: { kind: 'login' }, login: { account: null } })
})

it('no login begins at a server that is not trusted, and none outlives the trust', async () => {
  const { mcp, hash, server } = await world()
  await mcp.logins.begin(await hash(), true)
  const waiting = expect(mcp.logins.wait(await hash())).rejects.toThrow('The login was cancelled.')
  await mcp.setTrusted(await hash(), false)
  await waiting
  const asked = server.asked().length
  await expect(mcp.logins.begin(await hash(), true)).rejects.toThrow('Trust tracker first.')
  expect(server.asked()).toHaveLength(asked)
})

/** Logs in with the command line, in a browser that the test is. */
function logInWith(
  { project, data }: { readonly project: string; readonly data: string },
  end: (address: string, stop: () => void) => unknown,
  flags: readonly string[] = [],
) {
  let isSeen = false
  return coppice(
    ['mcp', 'login', 'tracker', project, '--no-browser', '--data-dir', data, ...flags],
    {},
    {
      during({ stdout, stop }) {
        const [address] = /http:\S+(?=\s)/.exec(stdout()) ?? []
        if (address === undefined || isSeen) return
        isSeen = true
        void end(address, stop)
      },
    },
  )
}

it('coppice mcp login, servers and logout', async () => {
  const given = await place()
  const { project, data, server, model } = given
  const done = await logInWith(given, (address) => logInAsBrowser(address))
  expect(done.stderr).toContain(`Trusted: the server tracker (${server.url}).`)
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(`Logged in at ${server.issuer}`)])
  const ran = await coppice(['run', project, '--task', 'add', '--data-dir', data, '--json'], keyFor(model.url))
  expect(ran.events.at(-1)).toMatchObject({ status: 'done', answer: expect.stringContaining('It said: 3') })
  const listed = await coppice(['mcp', 'servers', project, '--data-dir', data, '--json'])
  expect(JSON.parse(listed.stdout)).toMatchObject({ servers: [{ name: 'tracker', login: { issuer: server.issuer } }] })
  const out = await coppice(['mcp', 'logout', 'tracker', project, '--data-dir', data])
  expect([out.code, out.stdout]).toEqual([0, 'Logged out of tracker.\n'])
  const after = await coppice(['mcp', 'servers', project, '--data-dir', data])
  expect(after.stdout).toMatch(/tracker +needs a login +none/)
})

it('coppice mcp login trusts no server that the folder defines', async () => {
  const { data, server } = await place()
  const [ours, theirs] = [folder(), { mcpServers: { tracker: { url: server.url } } }]
  writeFileSync(join(ours, '.mcp.json'), JSON.stringify(theirs))
  writeFileSync(join(data, 'settings.json'), '{}')
  const given = { project: ours, data }
  const untrusted = await logInWith(given, () => undefined)
  expect([untrusted.code, server.asked()]).toEqual([1, []])
  const done = await logInWith(given, (address) => logInAsBrowser(address), ['--trust', '--trust-mcp', 'tracker'])
  expect(done.code).toBe(0)
})

it('coppice mcp login is cancelled, and names the servers that there are', async () => {
  const given = await place()
  const cancelled = await logInWith(given, (_, stop) => stop())
  expect([cancelled.code, cancelled.stdout]).toEqual([130, expect.stringContaining('The login was cancelled.')])
  const wrong = await coppice(['mcp', 'login', 'traker', given.project, '--data-dir', given.data])
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('There is no server "traker". Servers: tracker.'),
  ])
})
