import { describe, expect, it } from 'vitest'
import { environmentOf } from '#core/branches/branch-trees.ts'
import { readThread } from '#core/journal/read-thread.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import { byTask, type Call } from '../e2e/model-server/scenario.ts'
import { redoRewind, rewindTo } from '../src/main/host/testing/person.testkit.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import { openWorld } from './world.testkit.ts'

const execute = (command: string, timeout?: number): Call => ({
  name: 'execute',
  input: { command, ...(timeout !== undefined && { timeout }) },
})
const install =
  'mkdir -p node_modules/dep "$HOME/.cache" && echo one > node_modules/dep/index.js && echo c > "$HOME/.cache/dep"'
const look = 'cat node_modules/dep/index.js "$HOME/.cache/dep"'
const files = { '.gitignore': 'node_modules/\n', 'package.json': '{}\n' }

type World = Awaited<ReturnType<typeof openWorld>>
const resultsOf = ({ thread }: World, id: ThreadId): readonly string[] =>
  [...thread(id).calls.values()].map((call) =>
    (resultOf(call)?.content ?? []).map((part) => ('text' in part ? part.text : '')).join(''),
  )

describe('what a command installed', () => {
  it('is there for subagents and their next commands, and what they add stays theirs', async () => {
    const world = await openWorld(
      byTask({
        main: [
          { calls: [execute(install)] },
          { calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'child' }, { task: 'other' }] } }] },
          { calls: [execute(`${look}; ls node_modules`)] },
          { text: 'Done.' },
        ],
        child: [
          { calls: [execute(`${look}; mkdir node_modules/mine`)] },
          { calls: [execute('ls node_modules')] },
          { text: 'Done.' },
        ],
        other: [{ calls: [execute('ls node_modules; rm -r node_modules')] }, { text: 'Done.' }],
      }),
      { files, approving: true },
    )
    const id = await world.run('main')
    expect(resultsOf(world, id)[2]).toMatch(/^one\nc\ndep\n\nExit code 0/)
    const [child, other] = childrenOf(world.project.services.log.state, id)
    expect(child && resultsOf(world, child.id).map((text) => text.split('\n\n')[0])).toEqual(['one\nc', 'dep\nmine'])
    expect(other && resultsOf(world, other.id)[0]).toMatch(/^dep\n\n/)
  })

  it('is there after the app was closed, goes with a rewind and comes back with a redo', async () => {
    const script = {
      main: [
        { text: 'Hello.' },
        { calls: [execute(install)] },
        { text: 'Installed.' },
        { calls: [execute(look)] },
        { text: 'Done.' },
      ],
    }
    const world = await openWorld(byTask(script), { files, approving: true })
    const id = await world.run('main')
    const { log } = world.project.services
    const [before] = log.entries(['checkpoint'])
    world.project.runtime.send(id, [{ type: 'text', text: 'install' }], 'queue')
    await world.project.runtime.whenIdle(id)
    const { branchId } = world.thread(id)
    const layers = environmentOf(log.trees, branchId)
    expect(layers).toHaveLength(1)
    const checkpoint = { threadId: id, to: before?.sequence ?? 0, files: true, conversation: false }
    const rewound = await rewindTo(world.project, checkpoint)
    expect(environmentOf(log.trees, branchId)).toEqual([])
    await redoRewind(world.project, id, rewound)
    expect(environmentOf(log.trees, branchId)).toEqual(layers)

    await world.host[Symbol.asyncDispose]()
    await using host = await openTestHost(world.data, undefined, {
      ANTHROPIC_API_KEY: 'sk-test',
      ANTHROPIC_BASE_URL: world.server.url,
    })
    const project = await host.projects.open(world.folder)
    project.runtime.send(id, [{ type: 'text', text: 'go on' }], 'queue')
    await project.runtime.whenIdle(id)
    const [interrupt] = readThread(project.services.log, id)?.interrupts ?? []
    if (interrupt)
      project.runtime.decide(
        id,
        interrupt.id,
        interrupt.action_requests.map(({ callId }): Decision => ({ type: 'approve', callId })),
      )
    await project.runtime.whenIdle(id)
    const calls = [...(readThread(project.services.log, id)?.calls.values() ?? [])]
    expect(JSON.stringify(resultOf(calls.at(-1))?.content)).toContain('one\\nc\\n')
  })

  it('is dropped when the command was cut off, and the result says so', async () => {
    const world = await openWorld(
      byTask({
        main: [
          { calls: [execute('mkdir node_modules; echo half > node_modules/half; sleep 60', 1)] },
          { calls: [execute('ls -A')] },
          { text: 'Done.' },
        ],
      }),
      { files, approving: true },
    )
    const id = await world.run('main')
    const [cut, next] = resultsOf(world, id)
    expect(cut).toContain('were dropped, because it did not end by itself')
    expect(next).toMatch(/^\.gitignore\npackage\.json\n\n/)
  })

  it('is shown by thread with its size and last use, and one press removes it, which the next command says', async () => {
    const world = await openWorld(
      byTask({
        main: [
          { calls: [execute(`${install}; head -c 100000 /dev/zero > node_modules/dep/large`)] },
          { text: 'Done.' },
          { calls: [execute('ls -A')] },
          { text: 'Done.' },
        ],
        other: [
          { calls: [execute('mkdir node_modules; touch node_modules/o; echo o > node_modules/p')] },
          { text: 'Done.' },
        ],
      }),
      { files, approving: true },
    )
    const { storage, runtime } = world.project
    expect((await storage.view()).environments).toEqual([])
    const began = Date.now()
    const [main, other] = [await world.run('main'), await world.run('other')]
    const { environments, parts } = await storage.view()
    expect(environments.map(({ title }) => title)).toEqual(['main', 'other'])
    expect(environments[0]?.bytes).toBeGreaterThan(100_000)
    expect(environments[0]?.removable).toBe(environments[0]?.bytes)
    expect(environments[0]?.usedAt).toBeGreaterThanOrEqual(Math.floor(began / 1000) * 1000)
    expect(parts.find(({ kind }) => kind === 'views')?.bytes).toBeGreaterThan(100_000)

    expect(await storage.dropEnvironment(main)).toBe(environments[0]?.bytes)
    expect((await storage.view()).environments.map(({ threadId }) => threadId)).toEqual([other])
    runtime.send(main, [{ type: 'text', text: 'go on' }], 'queue')
    await runtime.whenIdle(main)
    const next = resultsOf(world, main)[1]
    expect(next).toMatch(/^\.gitignore\npackage\.json\n\n/)
    expect(next).toContain('were dropped to free space')
  })

  it('is dropped beyond the budget, the least recently used first, and never the one that a command just used', async () => {
    const world = await openWorld(
      byTask({
        old: [{ calls: [execute(install)] }, { text: 'Done.' }, { calls: [execute(look)] }, { text: 'Done.' }],
        main: [{ calls: [execute(install)] }, { calls: [execute(look)] }, { text: 'Done.' }],
      }),
      { files, approving: true, settings: { environments: { max_gb: 0 } } },
    )
    const old = await world.run('old')
    const main = await world.run('main')
    expect(resultsOf(world, main)[1]).toMatch(/^one\nc\n/)
    const { environments } = await world.project.storage.view()
    expect(environments.map(({ threadId }) => threadId)).toEqual([main])
    world.project.runtime.send(old, [{ type: 'text', text: 'go on' }], 'queue')
    await world.project.runtime.whenIdle(old)
    expect(resultsOf(world, old)[1]).toContain('were dropped to free space')
  })
})
