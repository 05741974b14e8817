import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import { byTask, type Call } from '../e2e/model-server/scenario.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import { openWorld } from './world.testkit.ts'

const execute = (command: string): Call => ({ name: 'execute', input: { command } })
const setup =
  'mkdir -p node_modules/.bin && cp lock node_modules/ && printf "#!/bin/sh\\necho ran" > node_modules/.bin/tool && chmod +x node_modules/.bin/tool && echo h > "$HOME/made"'
const environment = { setup, inputs: ['lock'] }
const files = { '.gitignore': 'node_modules/\n', lock: 'one\n' }
const look = 'cat node_modules/lock "$HOME/made"; node_modules/.bin/tool'

type World = Awaited<ReturnType<typeof openWorld>>
const resultsOf = ({ thread }: World, id: ThreadId): readonly string[] =>
  [...thread(id).calls.values()].map((call) =>
    (resultOf(call)?.content ?? []).map((part) => ('text' in part ? part.text : '')).join(''),
  )

describe('the setup of a project', () => {
  it('runs before a process as before a command, and commands find the same', async () => {
    const world = await openWorld(
      byTask({
        main: [
          { calls: [{ name: 'execute', input: { command: look, background: true } }] },
          { calls: [{ name: 'process_output', input: { id: 'process_0', since: 0 } }] },
          { calls: [execute(look)] },
          { text: 'Done.' },
        ],
      }),
      { files, approving: true, settings: { environment } },
    )
    const id = await world.run('main')
    const [begun = '', , after] = resultsOf(world, id)
    expect(begun).toMatch(/^one\nh\nran\n.*ran before your commands/s)
    expect(after).toMatch(/^one\nh\nran\n\nExit code 0/)
    expect(after).not.toContain('ran before your commands')
  })

  it('runs once before the first command of parallel agents, and again when an input changed', async () => {
    const world = await openWorld(
      byTask({
        main: [
          { calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'child' }, { task: 'child' }] } }] },
          { calls: [execute(`${look}; echo own > own`)] },
          { text: 'Done.' },
        ],
        child: [{ calls: [execute(look)] }, { text: 'Done.' }],
        later: [{ calls: [execute(look)] }, { text: 'Done.' }],
      }),
      { files, approving: true, settings: { environment } },
    )
    const ran: string[] = []
    world.project.events.listen((event) => {
      if (event.type === 'setup.changed' && event.setup.kind !== 'running') ran.push(event.setup.kind)
    })
    const id = await world.run('main')
    const [, own = ''] = resultsOf(world, id)
    expect(own).toMatch(/^one\nh\nran\n\nExit code 0.*ran before your commands/s)
    for (const { id: child } of childrenOf(world.project.services.log.state, id))
      expect(resultsOf(world, child)[0]).toMatch(/^one\nh\nran\n\nExit code 0/)
    expect(ran).toEqual(['ready'])
    expect(existsSync(join(world.folder, 'node_modules'))).toBe(false)
    const { environments, setup: usage } = await world.project.storage.view()
    expect(usage?.bytes).toBeGreaterThan(0)
    expect(environments.every(({ removable }) => removable === 0)).toBe(true)
    writeFileSync(join(world.folder, 'lock'), 'two\n')
    expect(resultsOf(world, await world.run('later'))[0]).toMatch(/^two\nh\nran/)
    expect(ran).toEqual(['ready', 'ready'])
    await world.project.storage.cleanUp(new Set(['views']))
    await world.project.storage.dropSetup()
    expect(resultsOf(world, await world.run('later'))[0]).toMatch(/^two\nh\nran/)
    expect(ran).toHaveLength(3)
  })

  it('is there after a restart, with the modes of its files, and says so where a command waits', async () => {
    const script = byTask({ main: [{ calls: [execute(look)] }, { text: 'Done.' }] })
    const world = await openWorld(script, { files, approving: true, settings: { environment } })
    await world.run('main')
    await world.host[Symbol.asyncDispose]()
    await using host = await openTestHost(world.data, undefined, {
      ANTHROPIC_API_KEY: 'sk-test',
      ANTHROPIC_BASE_URL: world.server.url,
    })
    const project = await host.projects.open(world.folder)
    const content = [{ type: 'text', text: 'main' }] as const
    const id = project.runtime.begin({ title: 'm', model: 'scripted', approvalMode: 'auto-edit' }, () => content)
    await project.runtime.whenIdle(id)
    const [interrupt] = readThread(project.services.log, id)?.interrupts ?? []
    const [request] = interrupt?.action_requests ?? []
    expect(request?.environment).toMatch(/^ready for new branches \(set up .* ago, /)
    if (interrupt && request) project.runtime.decide(id, interrupt.id, [{ type: 'approve', callId: request.callId }])
    await project.runtime.whenIdle(id)
    const calls = readThread(project.services.log, id)?.calls.values() ?? []
    expect(JSON.stringify(resultOf([...calls][0])?.content)).toContain('one\\nh\\nran\\n')
  })

  it('of a project runs only in the sandbox and when the person trusts it, and reaches no host that they did not allow', async ({
    skip,
  }) => {
    const own = { environment: { ...environment, hosts: ['proposed.example.com'] } }
    const script = byTask({ main: [{ calls: [execute(look)] }, { text: 'Done.' }] })
    const options = { files: { ...files, '.coppice/settings.json': JSON.stringify(own) }, approving: true } as const
    const sandbox = await openSandbox([])
    onTestFinished(() => sandbox[Symbol.asyncDispose]())
    skip(sandbox.state.state !== 'on', sandbox.state.reason)
    for (const open of [{ openSandbox: async () => sandbox }, { trusted: true }]) {
      const world = await openWorld(script, { ...options, ...open })
      expect(resultsOf(world, await world.run('main'))[0]).toContain('No such file')
    }
    const world = await openWorld(script, { ...options, trusted: true, openSandbox: async () => sandbox })
    expect(resultsOf(world, await world.run('main'))[0]).toMatch(/^one\nh\nran/)
    expect(world.project.setup.choice()).toMatchObject({
      definition: { hosts: [] },
      origin: 'project',
      proposedHosts: ['proposed.example.com'],
    })
  })
})
