import { describe, expect, it } from 'vitest'
import type { InterruptId, ThreadId } from '#shared/model/ids.ts'
import { byTask, type ModelScript, taskOf, turnOf } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { generalPurpose } from '../types/agent-definition.ts'

const ask = (id: string) => ({ name: 'ask_user', id, input: { question: '?' } })
const hangs: ModelScript = () => ({ text: 'I wait. ', until: new Promise(() => {}) })
const answer = (id: string) => ({ callId: id as never, type: 'respond', message: 'yes' }) as const

describe('threads', () => {
  it('begin with a title of one line and their own workspace', async () => {
    const world = await openWorld()
    const long = 'x'.repeat(100)
    const titles = ['  first line\nsecond', '', long, 'a\u202eb'].map((title) =>
      world.runtime.createThread({ title, model: 'm', approvalMode: 'ask' }),
    )
    expect(titles.map((id) => world.thread(id).title)).toEqual([
      'first line',
      'New thread',
      `${'x'.repeat(79)}…`,
      'a\\u{202e}b',
    ])
    const branches = titles.map((id) => world.thread(id).branchId)
    expect(new Set(branches).size).toBe(4)
    expect(world.services.log.state.branches.get(branches[0] as never)).toMatchObject({
      parentId: null,
      name: 'Workspace',
    })
  })

  it('work at the same time, each on its own branch', async () => {
    const world = await openWorld({
      files: { '/a': 'base' },
      script: (request) =>
        turnOf(request) === 0
          ? { calls: [{ name: 'write_file', input: { file_path: '/a', content: taskOf(request) } }] }
          : { text: 'ok' },
    })
    const ids = await Promise.all(['one', 'two', 'three'].map((task) => world.run(task)))
    expect(await Promise.all(ids.map((id) => world.files(id)))).toEqual([
      { '/a': 'one' },
      { '/a': 'two' },
      { '/a': 'three' },
    ])
  })

  it('take the definition of their agent', async () => {
    const world = await openWorld()
    const id = world.runtime.createThread({ title: 'main', model: 'm', approvalMode: 'ask', agentType: 'reviewer' })
    expect(world.thread(id)).toMatchObject({ agent: 'reviewer', agentType: 'reviewer', depth: 0 })
  })
})

describe('a run', () => {
  it('is the only one of its thread: a second start changes nothing', async () => {
    const world = await openWorld({ script: byTask({ main: [{ calls: [ask('q')] }, { text: 'Done.' }] }) })
    const id = await world.run('main')
    world.runtime.resume(id)
    world.runtime.resume(id)
    await world.decide(answer('q'))
    expect([world.requests.length, world.kinds().filter((kind) => kind === 'run.started').length]).toEqual([2, 1])
  })

  it('goes on in steps after a decision that came after a restart, if it is told to', async () => {
    const world = await openWorld({
      script: byTask({ main: [{ calls: [ask('q')] }, { calls: [{ name: 'ls', input: {} }] }] }),
    })
    const first = () => [{ type: 'text', text: 'main' }] as const
    const begun = { title: 'main', model: 'scripted', approvalMode: 'auto-edit' } as const
    const id = world.runtime.begin(begun, first, { step: true })
    await world.whenIdle(id)
    const later = await world.crash()
    const { interrupts, stepping } = later.thread(id)
    expect(stepping).toBe(true)
    later.runtime.decide(id, interrupts[0]?.id as InterruptId, [answer('q')], { step: true })
    await later.whenIdle(id)
    expect(later.thread(id).end).toMatchObject({ status: 'interrupted', reason: 'step' })
  })

  it('of a missing thread is refused, and nothing is stored', async () => {
    const world = await openWorld()
    const none = 'none' as ThreadId
    expect(() => world.runtime.send(none, [{ type: 'text', text: 'x' }], 'queue')).toThrow('There is no thread none.')
    expect(() => world.runtime.resume(none)).toThrow('There is no thread none.')
    expect(() => world.runtime.compact(none)).toThrow('There is no thread none.')
    expect(world.kinds()).toEqual([])
  })

  it('that is stopped while it waits for a person cancels all waiting calls, subagents included', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [{ name: 'spawn_subagents', id: 's', input: { tasks: ['child'] } }] }],
        child: [{ calls: [ask('q')] }],
      }),
    })
    const id = await world.run('main')
    const again = await world.restart()
    again.runtime.stop(id)
    expect([again.thread(id).status, again.children(id)[0]?.status]).toEqual(['stopped', 'stopped'])
    expect(again.outcomes(id)).toEqual({ s: 'cancelled' })
    expect(again.outcomes(again.children(id)[0]?.id as ThreadId)).toEqual({ q: 'cancelled' })
  })

  it('has ended in the whole family once halt resolves, and waiting agents stay as they are', async () => {
    const world = await openWorld({
      script: (request) =>
        taskOf(request) === 'main' && turnOf(request) === 0
          ? { calls: [{ name: 'spawn_subagents', input: { tasks: ['a', 'b'] } }] }
          : { text: 'I wait. ', until: new Promise(() => {}) },
    })
    const id = world.begin('main')
    while (world.requests.length < 3) await Promise.resolve()
    await world.runtime.halt(world.children(id)[0]?.id as ThreadId)
    expect([world.thread(id), ...world.children(id)].map(({ status }) => status)).toEqual([
      'stopped',
      'stopped',
      'stopped',
    ])
    await world.whenIdle(id)
    await world.runtime.halt(id)
  })

  it('of a deleted thread can continue where it was when the thread is restored', async () => {
    const world = await openWorld({ script: byTask({ main: [{ calls: [ask('q')] }, { text: 'Done.' }] }) })
    const id = await world.run('main')
    const { interrupts } = world.thread(id)
    await world.runtime.suspend(id)
    expect(world.thread(id)).toMatchObject({
      status: 'needs_you',
      interrupts,
      end: { status: 'interrupted', reason: 'user' },
    })
    await world.decide(answer('q'))
    expect(world.thread(id).status).toBe('done')
  })

  it('of a subagent that waited across a restart continues together with the agents above it', async () => {
    const world = await openWorld({
      settings: { maxSubagentDepth: 2 },
      script: byTask({
        main: [{ calls: [{ name: 'task', input: { description: 'child' } }] }, { text: 'main is back' }],
        child: [{ calls: [{ name: 'task', input: { description: 'deep' } }] }, { text: 'child is back' }],
        deep: [{ calls: [ask('q')] }, { text: 'deep is done' }],
      }),
    })
    const id = await world.run('main')
    const again = await world.restart()
    await again.decide(answer('q'))
    await again.whenIdle(id)
    expect([...again.services.log.state.threads.values()].map(({ status }) => status)).toEqual(['done', 'done', 'done'])
    expect(again.answer(id)).toBe('main is back')
  })
})

describe('a message to a thread whose calls have waited since a restart', () => {
  it('comes before the next request, beside their results', async () => {
    const world = await openWorld({ script: byTask({ main: [{ calls: [ask('q')] }, { text: 'Done.' }] }) })
    const id = await world.run('main')
    const again = await world.restart()
    again.runtime.send(id, [{ type: 'text', text: 'one more thing' }], 'queue')
    await again.decide(answer('q'))
    expect(again.requests[0]?.messages.at(-1)?.content.map(({ type }) => type)).toEqual(['tool_result', 'text'])
    expect([again.requests.length, again.thread(id).queue]).toEqual([1, []])
  })
})

describe('quiet', () => {
  it('applies to a thread that never ran', async () => {
    const world = await openWorld()
    await world.whenIdle(world.runtime.createThread({ title: 'main', model: 'm', approvalMode: 'ask' }))
  })

  it('applies once one agent waits for a person and no other works, and not before', async () => {
    const release = Promise.withResolvers<void>()
    const world = await openWorld({
      script: (request) => {
        if (taskOf(request) === 'main')
          return turnOf(request) === 0
            ? { calls: [{ name: 'spawn_subagents', input: { tasks: ['asks', 'works'] } }] }
            : { text: 'ok' }
        if (taskOf(request) === 'asks') return turnOf(request) === 0 ? { calls: [ask('q')] } : { text: 'asked' }
        return { text: 'worked', until: release.promise }
      },
    })
    const id = world.begin('main')
    let isQuiet = false
    const quiet = world.whenIdle(id).then(() => {
      isQuiet = true
    })
    while (![...world.services.log.state.threads.values()].some(({ interrupts }) => interrupts.length > 0))
      await Promise.resolve()
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    expect(isQuiet).toBe(false)
    release.resolve()
    await quiet
    expect(world.waiting().title).toBe('asks')
  })
})

describe('closing', () => {
  it('ends every run and loses nothing that was stored', async () => {
    const world = await openWorld({ script: hangs })
    const ids = ['one', 'two'].map((task) => world.begin(task))
    while (world.requests.length < 2) await Promise.resolve()
    await world.runtime[Symbol.asyncDispose]()
    expect(ids.map((id) => world.thread(id).end?.reason)).toEqual(['restart', 'restart'])
  })
})

it('names models of the settings that no profile has, because they are left out', async () => {
  const settings = { fallback: ['b', 'away:c'], subagentModel: 'away:d', summaryModel: 'e' }
  const world = await openWorld({ settings })
  expect(world.runtime.warnings()).toEqual(['fallback: away:c is away', 'subagent_model: away:d is away'])
})

it('names a family of models that the profile of the run has nothing of', async () => {
  const agents = [generalPurpose, { ...generalPurpose, name: 'helper', source: 'a.md', model: 'sonnet' }]
  const { runtime } = await openWorld({ extensions: { agents } })
  expect(runtime.warnings('other')).toEqual([
    'The agent helper (a.md) works with the model of the agent that starts it: there is no sonnet here.',
  ])
  expect(runtime.warnings('maker:x')).toEqual([])
})

it.each([
  ['maker:x', 'maker:sonnet'],
  ['other', 'other'],
])('a definition for sonnet, started by an agent with %s, works with %s', async (model, used) => {
  const agents = [generalPurpose, { ...generalPurpose, name: 'helper', model: 'sonnet' }]
  const spawn = { name: 'spawn_subagents', input: { tasks: [{ task: 'one', subagent_type: 'helper' }] } }
  const script = byTask({ main: [{ calls: [spawn] }], one: [{ text: 'done' }] })
  const world = await openWorld({ extensions: { agents }, script })
  const content = [{ type: 'text', text: 'main' }] as const
  const id = world.runtime.begin({ title: 'main', model, approvalMode: 'auto-edit' }, () => content)
  await world.runtime.whenIdle(id)
  expect(world.requests.find((request) => taskOf(request) === 'one')?.model).toBe(used)
})
