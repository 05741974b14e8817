import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { lastResults, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/** Servers of the Model Context Protocol, from the project's file to the agent's call. */
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const script = join(import.meta.dirname, '../e2e/support/mcp-server.ts')
const folder = () => mkdtempSync(join(tmpdir(), 'coppice-mcp-'))

async function world(scenario: Scenario, settings: object = {}, mode = 'good') {
  const server = await startModelServer(scenario)
  open.push(server)
  const [place, data] = [folder(), folder()]
  const canary = join(data, 'canary')
  const define = (how: string) => {
    const fixture = { command: process.execPath, args: [script, how, canary] }
    writeFileSync(join(place, '.mcp.json'), JSON.stringify({ mcpServers: { fixture } }))
  }
  define(mode)
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const host = await openTestHost(data, undefined, environment)
  open.push(host)
  const project = await host.projects.open(place)
  const { runtime, services, mcp } = project
  const trustFolder = () => host.projects.setTrusted(project.info().id, true)
  const trustServer = async () => mcp.setTrusted((await mcp.list()).servers[0]?.hash ?? '', true)
  const run = async () => {
    const threadId = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
    runtime.send(threadId, [{ type: 'text', text: 'main' }], 'queue')
    await runtime.whenIdle(threadId)
    return threadId
  }
  const thread = (id: ThreadId) => readThread(services.log, id)
  const decide = async (id: ThreadId, ...decisions: readonly Decision[]) => {
    const [interrupt] = thread(id)?.interrupts ?? []
    if (interrupt) runtime.decide(id, interrupt.id, decisions)
    await runtime.whenIdle(id)
  }
  const started = () => (existsSync(canary) ? readFileSync(canary, 'utf8').trim().split('\n') : [])
  return { server, mcp, define, trustFolder, trustServer, run, thread, decide, started }
}

const add = (id: string, a: number) => ({ name: 'mcp__fixture__add', id, input: { a, b: 1 } })
const twice: Scenario = (request) =>
  turnOf(request) === 0
    ? { calls: [add('one', 1), add('two', 2)] }
    : { text: [...lastResults(request).values()].join('|') }
const approve = (callId: string): Decision => ({ type: 'approve', callId: callId as ToolCallId })
const reject = (callId: string): Decision => ({ type: 'reject', callId: callId as ToolCallId })

describe('before a person trusts it', () => {
  it('a server is not started and offers no tool, even if only the folder or only the server is trusted', async () => {
    const untrusted = await world(twice)
    await untrusted.run()
    expect(untrusted.started()).toEqual([])
    const folderOnly = await world(twice)
    folderOnly.trustFolder()
    await folderOnly.run()
    const serverOnly = await world(twice)
    await serverOnly.trustServer()
    await serverOnly.run()
    for (const { server, started } of [untrusted, folderOnly, serverOnly]) {
      expect(started()).toEqual([])
      expect(JSON.stringify(server.requests[0]?.tools)).not.toContain('mcp__')
    }
  })

  it('a server whose definition changed needs trust again', async () => {
    const { define, mcp, run, started, trustFolder, trustServer } = await world(twice)
    trustFolder()
    await trustServer()
    expect(started()).toHaveLength(1)
    define('changed')
    await run()
    expect(started()).toHaveLength(1)
    expect((await mcp.list()).servers).toMatchObject([{ trusted: false, state: { kind: 'untrusted' } }])
  })
})

describe('a trusted server', () => {
  it('asks about each call, and never receives a rejected call', async () => {
    const { decide, run, started, thread, trustFolder, trustServer } = await world(twice)
    trustFolder()
    await trustServer()
    const id = await run()
    expect(thread(id)?.interrupts[0]?.action_requests.map(({ name }) => name)).toEqual(
      Array(2).fill('mcp__fixture__add'),
    )
    await decide(id, approve('one'), reject('two'))
    expect(started().slice(1)).toEqual(['add 1 1'])
    expect(thread(id)?.messages.at(-1)?.content).toMatchObject([
      { text: expect.stringMatching(/^2\|The user rejected/) },
    ])
  })

  it('runs only the calls that a rule allows without asking, whatever the server says about them', async () => {
    const settings = { permissions: { allow: ['mcp__fixture__ad*'] } }
    const { run, started, thread, trustFolder, trustServer } = await world(twice, settings)
    trustFolder()
    await trustServer()
    const id = await run()
    expect([thread(id)?.end?.status, started().slice(1)]).toEqual(['done', ['add 1 1', 'add 2 1']])
  })

  it('cannot put its huge answer into the conversation', async () => {
    const call = { calls: [{ name: 'mcp__fixture__huge', id: 'h', input: {} }] }
    const settings = { permissions: { allow: ['mcp__*'] } }
    const { run, server, thread, trustFolder, trustServer } = await world(
      (request) => (turnOf(request) === 0 ? call : { text: 'Done.' }),
      settings,
    )
    trustFolder()
    await trustServer()
    expect(thread(await run())?.end?.status).toBe('done')
    expect(JSON.stringify(server.requests.at(-1)).length).toBeLessThan(60_000)
    expect(JSON.stringify(server.requests.at(-1))).toContain('/large_tool_results/h.txt')
  })
})

// Mutation: keep the list of the connection's start in `followTools`.
it('a server that gets another tool offers it from then on, and it asks whatever the rules allow', async () => {
  const grow: Scenario = (request) =>
    turnOf(request) === 0 ? { calls: [{ name: 'mcp__fixture__grow', id: 'g', input: {} }] } : { text: 'Done.' }
  const settings = { permissions: { allow: ['mcp__*'] } }
  const { mcp, run, thread, trustFolder, trustServer } = await world(grow, settings, 'changing')
  trustFolder()
  await trustServer()
  const before = mcp.tools()
  expect(mcp.tools()).toBe(before)
  expect(thread(await run())?.end?.status).toBe('done')
  const grown = () => mcp.tools().find(({ name }) => name === 'mcp__fixture__grown_1')
  await expect.poll(() => grown()?.mustAsk?.({}, '' as ThreadId)).toBe('new tool of fixture since you trusted it')
})

describe('a tool that differs from the approved one', () => {
  /** The definition stays the same all along. The program that it starts reads its behaviour from a file. */
  async function trustedThen(mode: string, scenario: Scenario) {
    const canary = join(folder(), 'canary')
    const modeFile = join(folder(), 'mode')
    writeFileSync(modeFile, 'good')
    const loader = `import('node:fs').then((fs) => { process.argv = [process.argv[0], '', fs.readFileSync('${modeFile}', 'utf8'), '${canary}']; return import('${script}') })`
    const mcp_servers = { fixture: { command: process.execPath, args: ['-e', loader] } }
    const server = await startModelServer(scenario)
    open.push(server)
    const [place, data] = [folder(), folder()]
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ permissions: { allow: ['mcp__*'] }, mcp_servers }))
    const start = async () => {
      const host = await openTestHost(data, undefined, { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url })
      return { host, project: await host.projects.open(place) }
    }
    const first = await start()
    await first.project.mcp.setTrusted((await first.project.mcp.list()).servers[0]?.hash ?? '', true)
    await first.host[Symbol.asyncDispose]()
    writeFileSync(modeFile, mode)
    const { host, project } = await start()
    open.push(host)
    const { runtime, services, mcp } = project
    const id = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
    runtime.send(id, [{ type: 'text', text: 'main' }], 'queue')
    await runtime.whenIdle(id)
    return { id, runtime, mcp, canary, interrupt: () => readThread(services.log, id)?.interrupts[0] }
  }

  it('asks again, whatever the rules allow', async () => {
    const { id, runtime, mcp, interrupt } = await trustedThen('changed', twice)
    expect(interrupt()?.action_requests.map(({ rule }) => rule)).toEqual(
      Array(2).fill('changed by fixture since you trusted it'),
    )
    runtime.decide(id, interrupt()?.id as never, [approve('one'), approve('two')])
    await runtime.whenIdle(id)
    const tools = (await mcp.list()).servers[0]?.tools ?? []
    expect(tools.find(({ name }) => name === 'add')?.change).toBeNull()
  })

  it('asks even when none of the approved tools is left', async () => {
    const call = { name: 'mcp__fixture__remove_all', id: 'one', input: {} }
    const { canary, interrupt } = await trustedThen('renamed', (request) =>
      turnOf(request) === 0 ? { calls: [call] } : { text: 'Done.' },
    )
    expect(interrupt()?.action_requests).toMatchObject([{ rule: 'new tool of fixture since you trusted it' }])
    expect(readFileSync(canary, 'utf8')).not.toContain('removed')
  })
})
