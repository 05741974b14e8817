import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { noSandbox, type Sandbox } from '../src/main/adapters/shell/sandbox.ts'
import { openWorld } from './world.testkit.ts'

const call = { name: 'execute', id: 'cmd', input: { command: 'echo x > ran.txt', hosts: ['smuggled.example'] } }
const scenario: Scenario = (request) => (turnOf(request) === 0 ? { calls: [call] } : { text: 'done' })
const settings = { permissions: { allow: ['execute(echo *)', 'execute'] }, interrupt_on: { execute: false } }

/** A sandbox in the given state. `granted` records the hosts that it is asked to let through. */
function pretended(state: 'on' | 'partial' | 'off') {
  const granted: (readonly string[])[] = []
  const plain = noSandbox('pretended')
  const sandbox: Sandbox = {
    ...plain,
    state: { state, reason: 'pretended' },
    confine(program, request) {
      granted.push(request.hosts)
      return plain.confine(program, request)
    },
  }
  return { granted, openSandbox: async () => sandbox }
}

describe('a command that settings and rules allow', () => {
  it('runs without asking if the sandbox is on', async () => {
    const world = await openWorld(scenario, { settings, ...pretended('on') })
    const id = await world.run('go', 'auto')
    expect(world.thread(id)).toMatchObject({ status: 'done', interrupts: [] })
    expect(await world.fileOf(id, '/ran.txt')).toBe('x\n')
  })

  it.each(['partial', 'off'] as const)('still asks if the sandbox is %s', async (state) => {
    const { openSandbox, granted } = pretended(state)
    const world = await openWorld(scenario, { settings, openSandbox })
    const id = await world.run('go', 'auto')
    expect(world.thread(id).interrupts).toHaveLength(1)
    expect([await world.fileOf(id, '/ran.txt'), granted]).toEqual(['', []])
    world.decide(id, [{ type: 'approve', callId: 'cmd' as ToolCallId }])
    await world.project.runtime.whenIdle(id)
    expect(await world.fileOf(id, '/ran.txt')).toBe('x\n')
  })

  it('reaches the hosts that a person granted, and none that the model names', async () => {
    const { openSandbox, granted } = pretended('on')
    const world = await openWorld(scenario, { openSandbox })
    const id = await world.run('go', 'ask')
    world.decide(id, [{ type: 'approve', callId: 'cmd' as ToolCallId, hosts: ['packages.example.com'] }])
    await world.project.runtime.whenIdle(id)
    expect(granted).toEqual([['packages.example.com']])
    const again = await openWorld(scenario, { settings, openSandbox })
    await again.run('go', 'auto')
    expect(granted).toEqual([['packages.example.com'], []])
  })

  it('reaches the hosts that the user’s settings grant to its project, and none that the project names', async () => {
    const { openSandbox, granted } = pretended('on')
    const hosts = { '/': ['wanted.example'] }
    const files = { '.coppice/settings.json': JSON.stringify({ sandbox: { hosts } }) }
    const world = await openWorld(scenario, { settings, openSandbox, files, trusted: true })
    await world.run('go', 'auto')
    world.host.settings.grantHosts(world.project.rootFolder ?? '', ['packages.example.com'])
    await world.run('go', 'auto')
    expect(granted).toEqual([[], ['packages.example.com']])
  })

  it('commits as the user, of whose other settings of git it has none', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'coppice-git-')), 'config')
    writeFileSync(file, '[user]\nname = Ada\nemail = ada@example.com\nsigningKey = K\n[commit]\ngpgSign = true\n')
    const command =
      'git init -q . && git commit -q --allow-empty -m one; git log --format="%an <%ae>"; git config user.signingKey'
    const committing: Scenario = (request) =>
      turnOf(request) === 0 ? { calls: [{ name: 'execute', id: 'cmd', input: { command } }] } : { text: 'done' }
    const options = { settings: { interrupt_on: { execute: false } }, environment: { GIT_CONFIG_GLOBAL: file } }
    const world = await openWorld(committing, { ...options, ...pretended('on') })
    const [made] = [...world.thread(await world.run('go', 'auto')).calls.values()]
    expect(JSON.stringify(resultOf(made)?.content)).toContain('"Ada <ada@example.com>\\n\\nExit code 1.')
  })

  it('keeps its own output when its time limit ends it, and shows nothing of the process that ended it', async () => {
    const slow = {
      name: 'execute',
      id: 'cmd',
      input: { command: 'echo before; echo on error >&2; sleep 60', timeout: 1 },
    }
    const { run, thread } = await openWorld(
      (request) => (turnOf(request) === 0 ? { calls: [slow] } : { text: 'done' }),
      { settings: { interrupt_on: { execute: false } }, ...pretended('on') },
    )
    const [call] = [...thread(await run('go', 'auto')).calls.values()]
    const text = JSON.stringify(resultOf(call)?.content)
    expect(text).toContain('before\\non error\\n\\nTimed out;')
  })

  it('is the only call that can be granted hosts', async () => {
    const writing: Scenario = () => ({
      calls: [{ name: 'write_file', id: 'w', input: { file_path: '/a', content: '' } }],
    })
    const world = await openWorld(writing)
    const id = await world.run('go', 'ask')
    const decision = { type: 'approve', callId: 'w' as ToolCallId, hosts: ['x.org'] } as const
    expect(() => world.decide(id, [decision])).toThrow('only to execute')
  })

  it('runs without a sandbox, and asks, if the settings say so', async () => {
    const { openSandbox } = pretended('on')
    const world = await openWorld(scenario, { settings: { ...settings, sandbox: 'off' }, openSandbox })
    const id = await world.run('go', 'auto')
    expect(world.host.sandbox.state).toMatchObject({ state: 'off' })
    expect(world.thread(id).interrupts).toHaveLength(1)
  })
})
