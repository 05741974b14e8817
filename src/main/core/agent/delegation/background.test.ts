import { describe, expect, it } from 'vitest'
import { batchRows } from '#shared/model/derived/batch.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { eventually } from '../../ports/eventually.testkit.ts'
import {
  byTask,
  lastResults,
  type ModelScript,
  type ScriptedAnswer,
  type ScriptedCall,
  taskOf,
  turnOf,
} from '../../ports/model-client.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'

const write = (path: string): ScriptedAnswer => ({
  calls: [{ name: 'write_file', input: { file_path: path, content: path } }],
})
const call = (name: string, input: object, id = name): ScriptedCall => ({ name, id, input: input as never })
const spawn = (...tasks: readonly string[]) => call('spawn_subagents', { tasks, wait: false }, 'spawn')
/** What Coppice told the agent of the ends of subagents, in order. */
const told = (world: AgentWorld, id: ThreadId) =>
  world
    .thread(id)
    .messages.flatMap((message) =>
      message.role === 'user' && message.origin === 'notice' ? [textOf(message.content)] : [],
    )
    .filter((text) => text.startsWith('Subagents of yours have ended'))
const resultOf = (world: AgentWorld, id: ThreadId, callId: string) => JSON.parse(world.results(id)[callId] ?? '{}')
const held = () => Promise.withResolvers<void>()

describe('subagents in the background', () => {
  it('let their parent go on, which hears of each end once and is done after the last', async () => {
    const slow = held()
    const subagents = byTask({
      quick: [write('/quick'), { text: 'Quick.' }],
      slow: [write('/slow'), { text: 'Slow.', until: slow.promise }],
    })
    const world = await openWorld({
      script(request, seen) {
        if (taskOf(request) !== 'main') return subagents(request, seen)
        const turn = turnOf(request)
        if (turn < 2) return turn === 0 ? { calls: [spawn('quick', 'slow')] } : write('/own')
        if (lastResults(request).has('merge_subagent')) return { text: 'Merged.' }
        const hasHeard = JSON.stringify(request.messages.at(-1)).includes('Slow.')
        if (!hasHeard) return { text: 'I have nothing else to do.' }
        return { calls: [call('merge_subagent', { handle: ['subagent_0', 'subagent_1'] })] }
      },
    })
    const id = world.begin('main')
    await eventually(() => expect(told(world, id)).toHaveLength(1))
    expect(resultOf(world, id, 'spawn')).toMatchObject({
      subagents: [
        { handle: 'subagent_0', name: 'quick', task: 'quick', status: 'running' },
        { handle: 'subagent_1', name: 'slow', task: 'slow', status: 'running' },
      ],
    })
    expect(world.thread(id).end).toBeNull()
    slow.resolve()
    await world.whenIdle(id)
    expect(world.answer(id)).toBe('Merged.')
    expect(Object.keys(await world.files(id))).toEqual(['/own', '/quick', '/slow'])
    const all = told(world, id).join('\n')
    for (const handle of ['subagent_0', 'subagent_1']) expect(all.split(`"handle":"${handle}"`)).toHaveLength(2)
    expect(all).toContain('"result":"Slow."')
  })

  it('are waited for, one or all, looked at and told more, while they work and after', async () => {
    const [first, second] = [held(), held()]
    const world = await openWorld({
      script: byTask({
        main: [
          { calls: [spawn('one', 'two')] },
          { calls: [call('agent_status', {})] },
          { calls: [call('agent_message', { handle: 'subagent_1', text: 'Also this.' })] },
          { calls: [call('agent_wait', { for: 'any' }, 'any')] },
          { calls: [call('agent_wait', { handles: ['subagent_0', 'subagent_1'] }, 'all')] },
          { calls: [call('agent_message', { handle: 'subagent_0', text: 'Once more.' }, 'again')] },
          { calls: [call('agent_wait', { handles: 'subagent_0' }, 'last')] },
          { text: 'Done.' },
        ],
        one: [{ text: 'One.', until: first.promise }, { text: 'One again.' }],
        two: [{ ...write('/two'), until: second.promise }, { text: 'Two.' }],
      }),
    })
    const id = world.begin('main')
    await eventually(() => expect(world.requests).toHaveLength(6))
    first.resolve()
    await eventually(() => expect(world.results(id).any).toBeTruthy())
    second.resolve()
    await world.whenIdle(id)
    expect(world.answer(id)).toBe('Done.')
    expect(resultOf(world, id, 'agent_status').subagents).toMatchObject([
      { handle: 'subagent_0', status: 'working' },
      { handle: 'subagent_1', status: 'working' },
    ])
    expect(resultOf(world, id, 'any')).toMatchObject({
      subagents: [{ handle: 'subagent_0', result: 'One.' }],
      running: ['subagent_1'],
    })
    expect(resultOf(world, id, 'all').subagents).toMatchObject([{ result: 'One.' }, { result: 'Two.' }])
    expect(resultOf(world, id, 'last').subagents).toMatchObject([{ handle: 'subagent_0', result: 'One again.' }])
    const [, two] = world.children(id)
    expect(two?.messages.map(({ content }) => textOf(content))).toContain('Also this.')
    // What a result says is not said again.
    expect(told(world, id)).toEqual([])
  })

  /** Mutation: let `isAsked` in `turn-loop.ts` count messages of a person alone. */
  it('answer what they are told while they give their last reply', async () => {
    const last = held()
    const world = await openWorld({
      script: byTask({
        main: [
          { calls: [spawn('one')] },
          { calls: [call('agent_message', { handle: 'subagent_0', text: 'Also this.' })] },
          { calls: [call('agent_wait', {})] },
          { text: 'Done.' },
        ],
        one: [{ text: 'One.', until: last.promise }, { text: 'Also that.' }],
      }),
    })
    const id = world.begin('main')
    await eventually(() => expect(world.results(id).agent_message).toBeTruthy())
    last.resolve()
    await world.whenIdle(id)
    expect(resultOf(world, id, 'agent_wait').subagents).toMatchObject([{ result: 'Also that.' }])
    expect(world.children(id)[0]?.queue).toEqual([])
  })

  it('are stopped one by one, and with their parent, and what they wrote stays', async () => {
    const never = new Promise<void>(() => undefined)
    const hanging: readonly ScriptedAnswer[] = [write('/got'), { text: 'Never.', until: never }]
    const world = await openWorld({
      script: byTask({
        main: [
          { calls: [spawn('one', 'two')] },
          { calls: [call('agent_stop', { handle: 'subagent_0' })] },
          { text: 'Waiting.' },
          { text: 'It was stopped.' },
        ],
        one: hanging,
        two: hanging,
      }),
    })
    const id = world.begin('main')
    await eventually(() => expect(told(world, id)).toHaveLength(1))
    expect(told(world, id)[0]).toMatch(/"handle":"subagent_0".*"error":"Stopped by the agent above it."/)
    world.runtime.stop(id)
    await world.whenIdle(id)
    expect([world.thread(id), ...world.children(id)].map(({ end }) => [end?.status, end?.message])).toEqual([
      ['stopped', 'Stopped by the user.'],
      ['stopped', 'Stopped by the agent above it.'],
      ['stopped', 'Stopped by the user.'],
    ])
  })

  it.each(['restart', 'crash'] as const)('go on after a %s with their parent, which hears of them', async (way) => {
    const never = new Promise<void>(() => undefined)
    let isSlow = true
    const script: ModelScript = (request, seen) =>
      byTask({
        main: [{ calls: [spawn('one')] }, { text: 'Waiting.' }, { text: 'Heard.' }],
        one: [write('/one'), { text: 'One.', ...(isSlow && { until: never }) }],
      })(request, seen)
    const world = await openWorld({ script })
    const id = world.begin('main')
    await eventually(() => expect(world.answer(id)).toBe('Waiting.'))
    const again = await world[way]()
    isSlow = false
    again.runtime.resume(id)
    await again.whenIdle(id)
    expect(again.answer(id)).toBe('Heard.')
    expect(again.children(id)).toHaveLength(1)
    expect(told(again, id)).toHaveLength(1)
  })

  it('do not keep a person waiting who writes meanwhile, and ask a person by themselves', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [spawn('one')] }, { text: 'Waiting.' }, { text: 'To the person.' }, { text: 'All heard.' }],
        one: [{ calls: [{ name: 'execute', id: 'asks', input: { command: 'true' } }] }, { text: 'One.' }],
      }),
    })
    const id = await world.run('main', 'ask')
    expect(world.answer(id)).toBe('Waiting.')
    await world.say(id, 'Are you there?')
    expect(world.answer(id)).toBe('To the person.')
    await world.approve('asks')
    await world.whenIdle(id)
    expect(world.answer(id)).toBe('All heard.')
  })

  it('are named when there is none of that handle', async () => {
    const world = await openWorld({
      script: byTask({
        main: [
          { calls: [call('agent_wait', {}, 'none')] },
          { calls: [call('agent_status', { handle: 'subagent_7' })] },
          { calls: [call('agent_message', { handle: 'subagent_7', text: 'Hm.' })] },
          { calls: [call('agent_stop', { handle: 'subagent_7' })] },
          { text: 'Done.' },
        ],
      }),
    })
    const id = await world.run('main')
    expect(resultOf(world, id, 'none')).toMatchObject({ subagents: [], running: [] })
    const error = 'There is no subagent with the handle "subagent_7". Known handles: none.'
    for (const name of ['agent_status', 'agent_message', 'agent_stop']) expect(world.results(id)[name]).toBe(error)
  })

  /** Mutation: let `isStop` be true for the stop of a person alone. */
  it('may run a batch, which has a row for each task when the agent above stops it', async () => {
    const begun = held()
    const tasks = ['task 0', 'task 1']
    const asked = (world: AgentWorld, task: string) => world.requests.filter((one) => taskOf(one) === task).length
    const ofMain: readonly ScriptedAnswer[] = [
      { calls: [spawn('mid')] },
      { calls: [call('agent_stop', { handle: 'subagent_0' })], until: begun.promise },
    ]
    const world = await openWorld({
      script(request) {
        if (taskOf(request) === 'main') return ofMain[turnOf(request)] ?? { text: 'Done.' }
        return taskOf(request) === 'mid' ? { calls: [call('batch_task', { tasks })] } : { until: new Promise(() => {}) }
      },
      settings: { maxSubagentDepth: 2 },
    })
    const id = world.begin('main')
    await eventually(() => expect(tasks.map((task) => asked(world, task))).toEqual([1, 1]))
    begun.resolve()
    await world.whenIdle(id)
    const [mid] = world.children(id)
    expect(mid?.end?.message).toBe('Stopped by the agent above it.')
    const { batch, callId } = [...(mid?.calls.values() ?? [])].find((one) => one.batch !== null) ?? {}
    const rows = mid && callId ? batchRows(world.services.log.state, mid.id, callId) : []
    expect(rows.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    expect(world.scratch(id, `${batch?.folder}results.jsonl`).trim().split('\n')).toHaveLength(2)
  })
})
