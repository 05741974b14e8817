import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { expect, it } from 'vitest'
import { configureThread } from '#core/commands/threads.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import { callingInTurn } from '../e2e/model-server/scenario.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import { coppice } from './command-line/coppice.testkit.ts'
import { told } from './external-agent.testkit.ts'
import { openExternalWorld } from './external-world.testkit.ts'

const offering = (options: object) => ({ env: { OPTIONS: JSON.stringify(options) } })

const open = (...[settings, definition, scenario]: Parameters<typeof openExternalWorld>) =>
  openExternalWorld(settings, { ...offering({ model: ['usual', 'fast', 'maker/deep'] }), ...definition }, scenario)

/** Begins a thread that names one of the agent's models, and has it say which one it works with. */
async function askWith(
  { project }: Awaited<ReturnType<typeof open>>,
  model: string,
  steps: readonly object[] = [{ chosen: true }],
) {
  const { runtime } = project
  const content = [{ type: 'text', text: told(steps) }] as const
  const id = runtime.begin({ title: 'job', model, approvalMode: 'auto' }, () => content)
  await runtime.whenIdle(id)
  return id
}

it('works with the one of its models that its thread names, and a change reaches the session that goes on', async () => {
  const world = await open()
  const id = await askWith(world, 'agent/scripted/maker/deep')
  const { project } = world
  for (const model of ['agent/scripted/THE FAST', 'agent/scripted']) {
    project.run(configureThread(project.services, { threadId: id, model }))
    await world.say(id, [{ chosen: true }])
  }
  expect(world.said(id)).toEqual(['with maker/deep', 'with fast', 'with usual'])
  expect(project.services.log.entries(['session.began'])).toHaveLength(1)
})

/** Mutation: without the throw in `chooseModel` of `choose-own.ts`, the agent works with another model than the person wanted. */
it.each([
  [
    { model: ['usual', 'fast'] },
    /scripted has no model "slow"\. It offers usual, fast\. agent\/scripted leaves the choice to it/,
  ],
  [{}, /scripted offers no choice of models/],
])('is not begun with a model that it does not offer, of %j', async (options, problem) => {
  const world = await open({}, offering(options))
  const id = await askWith(world, 'agent/scripted/slow')
  expect(world.thread(id).end).toMatchObject({ status: 'failed', message: expect.stringMatching(problem) })
  expect(world.said(id)).toEqual([])
})

it('works in the mode of its own that its definition names, plans in Plan, and is not begun in another one', async () => {
  const mode = ['ask', 'docs', 'plan']
  const world = await open({}, { ...offering({ mode }), acp_mode: 'docs' })
  const { project } = world
  const id = await askWith(world, 'agent/scripted')
  project.run(configureThread(project.services, { threadId: id, approvalMode: 'plan' }))
  await world.say(id, [{ chosen: true }])
  expect(world.said(id)).toEqual(['with docs', 'with plan'])
  const other = await open({}, { ...offering({ mode }), acp_mode: 'essays' })
  const failed = other.thread(await askWith(other, 'agent/scripted'))
  const message = 'scripted has no mode "essays". It offers ask, docs, plan. Change acp_mode in its definition.'
  expect(failed.end).toMatchObject({ status: 'failed', message })
})

it('works in the mode of its own that a person chose for the thread, before that of its definition, until it is taken back', async () => {
  const world = await open({}, { ...offering({ mode: ['ask', 'docs', 'bold', 'plan'] }), acp_mode: 'docs' })
  const { project } = world
  const id = await askWith(world, 'agent/scripted')
  const chosen = [
    { agentMode: 'bold' },
    { approvalMode: 'plan' },
    { approvalMode: 'auto' },
    { agentMode: null },
  ] as const
  for (const options of chosen) {
    project.run(configureThread(project.services, { threadId: id, ...options }))
    await world.say(id, [{ chosen: true }])
  }
  expect(world.said(id)).toEqual(['docs', 'bold', 'plan', 'bold', 'docs'].map((one) => `with ${one}`))
  project.run(configureThread(project.services, { threadId: id, agentMode: 'gone' }))
  await world.say(id, [{ chosen: true }])
  const message = expect.stringMatching(
    /no mode "gone"\. It offers ask, docs, bold, plan\. Choose another one in the menu/,
  )
  expect(world.thread(id).end).toMatchObject({ status: 'failed', message })
})

it('thinks as long as its thread says where it offers that, and else as it would', async () => {
  const world = await open({}, offering({ thought_level: ['usual', 'low', 'high'] }))
  const { project } = world
  const id = await askWith(world, 'agent/scripted')
  for (const effort of ['high', 'max', 'low', null] as const) {
    project.run(configureThread(project.services, { threadId: id, effort }))
    await world.say(id, [{ chosen: true }])
  }
  expect(world.said(id)).toEqual(['usual', 'high', 'usual', 'low', 'usual'].map((one) => `with ${one}`))
})

it('has its models in the menus once it has said them, with the window that each has', async () => {
  const world = await open(
    {},
    offering({ model: ['usual', 'fast', 'maker/deep'], thought_level: ['high', 'odd', 'low'] }),
  )
  const agents = (host: typeof world.host) =>
    host.provider.info().models.filter(({ provider }) => provider?.startsWith('Agents'))
  expect(agents(world.host).map(({ id }) => id)).toEqual(['agent/scripted'])
  const usage = { sessionUpdate: 'usage_update', used: 40, size: 1_000 }
  const id = await askWith(world, 'agent/scripted/fast')
  await world.say(id, [{ update: usage }, { say: 'Done.' }])
  expect(world.thread(id).contextTokens).toBe(40)
  await world.host[Symbol.asyncDispose]()
  await using host = await openTestHost(world.data)
  expect(agents(host).map(({ id, name, provider, contextWindow }) => [id, name, provider, contextWindow])).toEqual([
    ['agent/scripted', 'scripted', 'Agents', 200_000],
    ['agent/scripted/usual', 'scripted › The usual', 'Agents › scripted', 200_000],
    ['agent/scripted/fast', 'scripted › The fast', 'Agents › scripted', 1_000],
    ['agent/scripted/maker/deep', 'scripted › The maker/deep', 'Agents › scripted', 200_000],
  ])
  expect(agents(host).map(({ efforts }) => efforts)).toEqual(agents(host).map(() => ['low', 'high']))
  expect(await host.provider.contextWindow('agent/scripted/fast')).toBe(1_000)
})

it('works as a subagent with the model of its definition', async () => {
  const task = { subagent_type: 'scripted', description: told([{ chosen: true }]) }
  const world = await open({}, { model: 'fast' }, callingInTurn([{ name: 'task', input: task }]))
  const id = await world.run('delegate', 'auto')
  const [child] = childrenOf(world.state(), id)
  expect(child?.model).toBe('agent/scripted/fast')
  const [call] = world.thread(id).calls.values()
  expect(JSON.stringify(call && resultOf(call)?.content)).toContain('with fast')
})

/** Mutation: without the test of `isSameAgent` in `subagents.ts`, it gets the model that the agent would take. */
it('gives a subagent of the same agent the model that it has', async () => {
  const world = await open()
  const tasks = [told([{ chosen: true }])]
  const id = await askWith(world, 'agent/scripted/fast', [{ use: [{ name: 'spawn_subagents', args: { tasks } }] }])
  expect(world.said(id).join()).toContain('with fast')
})

it('is given a model of its own, or told that it has none of that name, by the command line', async () => {
  const { host, folder, data } = await open()
  await host[Symbol.asyncDispose]()
  const run = (model: string) => {
    const task = ['--task', told([{ chosen: true }]), '--agent', 'scripted', '--model', model]
    return coppice(['run', folder, ...task, '--data-dir', data])
  }
  const done = await run('maker/deep')
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('with maker/deep')])
  const failed = await run('slow')
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('It offers usual, fast, maker/deep.')])
})

/** Mutation: expand a word of the agent's commands as a skill or a command of a file, or list one that the window keeps. */
it('offers its own commands, and reads them as they are whatever else has their names', async () => {
  const world = await openExternalWorld({}, { env: { COMMANDS: 'review init odd/name help' } })
  const { project, host, data } = world
  mkdirSync(join(data, 'commands'), { recursive: true })
  writeFileSync(join(data, 'commands/review.md'), 'Our own review.')
  writeFileSync(join(data, 'commands/ours.md'), 'Ours.')
  const projectId = project.info().id
  const send = async (threadId: ThreadId | null, text: string) => {
    const more = { images: [], inputs: [], ...(threadId === null && { model: 'agent/scripted' }) }
    const sent = await call(host.router.threads.send, { projectId, threadId, text, ...more })
    await world.idle(sent.threadId)
    return sent.threadId
  }
  const id = await send(null, 'hello')
  const listed = await call(host.router.extensions.slash, { projectId, servers: false, model: 'agent/scripted' })
  expect(listed.entries.map(({ kind, word, source }) => [kind, word, source])).toEqual([
    ['command', 'ours', expect.stringContaining('ours.md')],
    ['agent', 'review', 'the agent scripted'],
    ['agent', 'init', 'the agent scripted'],
  ])
  await send(id, '/review a.txt')
  await send(id, '/ours')
  expect(world.said(id)).toEqual([
    'heard: hello',
    'heard: /review a.txt',
    expect.stringMatching(/^heard: \/ours.*Ours\./s),
  ])
  // A conversation that it does not remember stands behind its command.
  await world.reopen()
  await world.say(id, '/review b.txt')
  expect(world.said(id).at(-1)).toMatch(/^heard: \/review b\.txt.*<user [^>]+>\nhello\n.*message above\.$/s)
})
