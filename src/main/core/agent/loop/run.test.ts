import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { byTask, type ModelScript, type ScriptedAnswer } from '../../ports/model-client.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'

const write = (file_path: string, content: string) => ({ name: 'write_file', input: { file_path, content } })
const done: ScriptedAnswer = { text: 'Done.' }
const twoSteps = byTask({ main: [{ calls: [write('/a', '1')] }, { calls: [write('/b', '2')] }, done] })

describe('a full disk', () => {
  it('interrupts the run, keeps what was stored, and lets the run continue when there is room again', async () => {
    const world = await openWorld({ script: twoSteps })
    let full = true
    world.failStore(
      (drafts) => full && drafts.some((draft) => draft.type === 'tree.changed' && draft.patch[0]?.[0] === '/b'),
    )
    const id = await world.run('main')
    expect(world.thread(id).end).toMatchObject({
      status: 'interrupted',
      reason: 'storage',
      message: 'The disk is full.',
    })
    expect(await world.files(id)).toEqual({ '/a': '1' })
    full = false
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect(world.thread(id).status).toBe('done')
    expect(await world.files(id)).toEqual({ '/a': '1', '/b': '2' })
  })

  it('is announced when the end cannot be stored either, and the run can be continued later', async () => {
    const world = await openWorld({ script: twoSteps })
    world.failStore((drafts) => drafts.some(({ type }) => type === 'tree.changed' || type === 'run.ended'))
    const id = await world.run('main')
    expect(world.services.live.at(-1)).toMatchObject({
      type: 'run.unstored',
      threadId: id,
      message: 'The disk is full.',
    })
    expect(world.thread(id)).toMatchObject({ status: 'working', end: null })
    world.failStore(undefined)
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect(world.thread(id).status).toBe('done')
    expect(await world.files(id)).toEqual({ '/a': '1', '/b': '2' })
  })

  it('starts no run that could not be stored', async () => {
    const world = await openWorld({ script: twoSteps })
    world.failStore((drafts) => drafts.some(({ type }) => type === 'run.started'))
    await world.run('main')
    expect(world.requests).toHaveLength(0)
    expect(world.services.live.map(({ type }) => type)).toEqual(['run.unstored'])
  })
})

describe('an app that is closed', () => {
  it('interrupts a run that waits for the model, and sends the request again when it is continued', async () => {
    let held = true
    const script: ModelScript = () => ({ text: 'Now.', ...(held && { until: new Promise(() => {}) }) })
    const world = await openWorld({ script })
    const id = world.begin('main')
    while (world.requests.length === 0) await Promise.resolve()
    const again = await world.restart()
    expect(again.thread(id).end).toMatchObject({ status: 'interrupted', reason: 'restart' })
    held = false
    again.runtime.resume(id)
    await again.whenIdle(id)
    expect([again.thread(id).status, again.requests.length]).toEqual(['done', 1])
  })

  it('keeps waiting approvals, with the same ids', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [{ name: 'execute', id: 'cmd', input: { command: 'echo x > ran.txt' } }] }, done],
      }),
    })
    const id = await world.run('main')
    const { interrupts } = world.thread(id)
    const again = await world.restart()
    expect(again.thread(id).interrupts).toEqual(interrupts)
    await again.approve('cmd')
    expect(again.thread(id).status).toBe('done')
    expect(await again.files(id)).toEqual({ '/ran.txt': 'x\n' })
  })

  it('repeats no finished work', async () => {
    const world = await openWorld({ script: twoSteps })
    const id = await world.run('main')
    const again = await world.restart()
    again.runtime.resume(id)
    await again.whenIdle(id)
    expect([again.requests.length, again.kinds().filter((kind) => kind === 'tool.started').length]).toEqual([0, 2])
  })
})

describe('an app that is killed', () => {
  const script = byTask({
    main: [
      {
        calls: [
          write('/a', '1'),
          { name: 'edit_file', input: { file_path: '/base', old_string: 'old', new_string: 'new' } },
        ],
      },
      {
        calls: [
          { name: 'ls', input: {} },
          { name: 'spawn_subagents', input: { tasks: ['child one', 'child two'] } },
        ],
      },
      { calls: [{ name: 'merge_subagent', input: { handle: ['subagent_0', 'subagent_1'] } }] },
      { calls: [{ name: 'task', input: { description: 'tasked' } }] },
      { calls: [{ name: 'run_js_code', input: { code: "await fs.write('/js', await fs.read('/a') + '!')" } }] },
      done,
    ],
    child: [
      { calls: [{ name: 'run_js_code', input: { code: "await fs.write('/child', 'same')" } }] },
      { text: 'child is done' },
    ],
    tasked: [
      { calls: [write('/tasked', 't'), { name: 'delete', input: { path: '/gone' } }] },
      { text: 'tasked is done' },
    ],
  })
  const options = { script, files: { '/base': 'old\n', '/gone': 'x' } }
  const expected = { '/a': '1', '/base': 'new\n', '/child': 'same', '/js': '1!', '/tasked': 't' }

  /** Kills the app at its nth commit. Undefined when it ended before. */
  async function killedAt(world: AgentWorld, commits: number, start: () => ThreadId): Promise<AgentWorld | undefined> {
    let left = commits
    const killed = Promise.withResolvers<void>()
    world.failStore(() => {
      left -= 1
      if (left === 0) killed.resolve()
      return left <= 0
    })
    const id = start()
    await Promise.race([killed.promise, world.whenIdle(id)])
    if (left <= 0) return world.crash()
    return undefined
  }

  it('reaches the same end from any point at which it was killed, once or twice', async () => {
    const whole = await openWorld(options)
    const id = await whole.run('main')
    expect(await whole.files(id)).toEqual(expected)
    const commits = whole.kinds().length
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: 2, max: commits }), { minLength: 1, maxLength: 3 }),
      async (kills) => {
        let world = await openWorld(options)
        let thread: ThreadId | undefined
        for (const commit of kills) {
          const start = (): ThreadId => {
            if (thread === undefined) thread = world.begin('main')
            else world.runtime.resume(thread)
            return thread
          }
          world = (await killedAt(world, commit, start)) ?? world
        }
        if (thread === undefined) throw new Error('nothing began')
        world.failStore(undefined)
        world.runtime.resume(thread)
        await world.whenIdle(thread)
        expect(world.thread(thread).status).toBe('done')
        expect(await world.files(thread)).toEqual(expected)
        const handles = world.children(thread).map(({ parent }) => parent?.handle)
        expect(handles).toEqual(['subagent_0', 'subagent_1', 'subagent_2'])
        const calls = world.entries('tool.finished').map(({ callId }) => callId)
        expect(new Set(calls).size).toBe(calls.length)
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })
})
