import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ServicesOptions } from '../agent/agent-services.testkit.ts'
import { type AgentWorld, openWorld } from '../agent/agent-world.testkit.ts'
import { generalPurpose } from '../agent/types/agent-definition.ts'
import { noRules } from '../approval/rules.ts'
import { executeCommand } from '../commands/command.ts'
import { configureThread } from '../commands/threads.ts'
import type { Program } from '../ports/machine-programs.testkit.ts'
import { byTask, callingInTurn, type ModelScript, type ScriptedAnswer } from '../ports/model-client.testkit.ts'
import type { ModelRequest } from '../ports/model-client.ts'
import type { RecordLine } from './record-format.ts'
import { decideAll, parsed, recordOf, replayIn } from './record-world.testkit.ts'

const write = (file_path: string, content: string): ScriptedAnswer => ({
  calls: [{ name: 'write_file', input: { file_path, content } }],
})
const done: ScriptedAnswer = { text: 'Done.' }

/** Replays a thread of a world in a fresh one, and expects the recorded trees and the same record. */
async function expectSame(world: AgentWorld, id: ThreadId, options: ServicesOptions = {}) {
  const record = parsed(recordOf(world, id))
  const replayed = await replayIn(record, options)
  expect(replayed.difference).toBeUndefined()
  expect(kindsOf(parsed(recordOf(replayed.world, replayed.threadId)).lines)).toEqual(kindsOf(record.lines))
  expect(await replayed.world.files(replayed.threadId)).toEqual(await world.files(id))
  return { ...replayed, record }
}

/** What is the same in every run of one record. */
function kindsOf(lines: readonly RecordLine[]): readonly string[] {
  return lines.map(({ kind, agent }) => `${agent}: ${kind}`)
}

const copy = "await fs.write('/copy', await fs.read('/inputs/data.json'))"
const asked = (request: ModelRequest) => JSON.stringify(request.messages)

it('a command narrows a replay as it narrowed the run', async () => {
  const command = { name: 'look', allowedTools: [], model: 'another', effort: null }
  const world = await openWorld({ script: (_, { count }) => (count === 0 ? write('/a', 'x') : done) })
  const first = () => [{ type: 'text', text: '/look' }] as const
  const begun = { title: '/look', model: 'scripted', approvalMode: 'auto-edit' } as const
  const id = world.runtime.begin(begun, first, { step: false, command })
  await world.whenIdle(id)
  expect(world.thread(id).interrupts).toHaveLength(1)
  await decideAll(world, id, () => ({ type: 'approve' }))
  const { record } = await expectSame(world, id)
  expect(record.lines.find(({ kind }) => kind === 'message')).toMatchObject({ command })
})

describe('what people did meanwhile', () => {
  it('a message during a run is taken up before the same reply', async () => {
    const world = await openWorld({
      script: (_, { count }) => {
        if (count === 1) world.runtime.send(id, [{ type: 'text', text: 'and quickly' }], 'steer')
        return count < 3 ? write(`/${count}`, 'x') : done
      },
    })
    const id = world.begin('main')
    await world.whenIdle(id)
    const { world: again } = await expectSame(world, id)
    const texts = again.entries('message').flatMap(({ message }) => (message.role === 'user' ? [message.content] : []))
    expect(JSON.stringify(texts)).toContain('and quickly')
  })

  it('messages after a run, also one that waited for its end, begin the same runs', async () => {
    const world = await openWorld({
      script: (_, { count }) => {
        if (count === 0) world.runtime.send(id, [{ type: 'text', text: 'then this' }], 'queue')
        return count % 2 === 0 ? write(`/${count}`, 'x') : done
      },
    })
    const id = world.begin('main')
    await world.whenIdle(id)
    await world.say(id, 'once more')
    await world.say(id, 'and again')
    const { record } = await expectSame(world, id)
    expect(record.lines.filter(({ kind }) => kind === 'start')).toHaveLength(3)
  })

  it('another mode, and what was decided differently each time', async () => {
    const script = callingInTurn(
      ['/a', '/b', '/c', '/d'].map((file_path) => ['write_file', { file_path, content: 'x' }]),
    )
    const world = await openWorld({ script })
    const id = world.begin('main', 'ask')
    let asks = 0
    await decideAll(world, id, () => {
      asks += 1
      if (asks === 1) return { type: 'reject', message: 'no' }
      if (asks === 2) return { type: 'edit', args: { file_path: '/b', content: 'edited' } }
      executeCommand(world.services.log, configureThread(world.services, { threadId: id, approvalMode: 'auto-edit' }))
      return { type: 'approve' }
    })
    expect(await world.files(id)).toEqual({ '/b': 'edited', '/c': 'x', '/d': 'x' })
    await expectSame(world, id)
  })

  it('what was approved waits for the person who wants no approvals', async () => {
    const script = callingInTurn([['write_file', { file_path: '/a', content: 'x' }]])
    const world = await openWorld({ script })
    const id = world.begin('main', 'ask')
    await decideAll(world, id, () => ({ type: 'approve' }))
    const { difference, world: again, threadId } = await replayIn(parsed(await recordOf(world, id)), {}, false)
    expect(difference?.message).toContain('waits for a decision')
    expect(await again.files(threadId)).toEqual({})
  })

  it('what the app said to an agent at rest, such as that its answer fits no schema', async () => {
    const world = await openWorld({ script: (_, { count }) => (count < 2 ? write(`/${count}`, 'x') : done) })
    const id = await world.run('main')
    world.runtime.send(id, [{ type: 'text', text: 'Reply again with JSON.' }], 'queue', {
      step: false,
      origin: 'notice',
    })
    await world.whenIdle(id)
    const { world: again, threadId } = await expectSame(world, id)
    const origins = again.thread(threadId).messages.map((one) => (one.role === 'user' ? one.origin : 'reply'))
    expect(origins.filter((one) => one !== 'reply')).toEqual(['person', 'notice'])
  })

  it('a file that a person gave', async () => {
    const place = '/inputs/data.json'
    const world = await openWorld({ script: callingInTurn([['run_js_code', { code: copy }]]) })
    const content = (id: ThreadId) => {
      world.services.scratch.write(id, place, new TextEncoder().encode('{"total": 6}'))
      return [{ type: 'text', text: `Read ${place}` }] as const
    }
    const id = world.runtime.begin({ title: 'main', model: 'scripted', approvalMode: 'auto' }, content)
    await world.whenIdle(id)
    expect(await world.files(id)).toEqual({ '/copy': '{"total": 6}' })
    await expectSame(world, id)
  })

  it('an answer to a question', async () => {
    const world = await openWorld({
      script: callingInTurn([
        ['ask_user', { question: 'Which?' }],
        ['write_file', { file_path: '/a', content: 'x' }],
      ]),
    })
    const id = world.begin('main')
    await decideAll(world, id, () => ({ type: 'respond', message: 'this one' }))
    await expectSame(world, id)
  })

  it('pauses after every turn', async () => {
    const world = await openWorld({ script: callingInTurn([['write_file', { file_path: '/a', content: 'x' }]]) })
    const first = () => [{ type: 'text', text: 'main' }] as const
    const id = world.runtime.begin({ title: 'main', model: 'scripted', approvalMode: 'auto' }, first, { step: true })
    await world.whenIdle(id)
    world.runtime.resume(id, { step: true })
    await world.whenIdle(id)
    expect(world.thread(id).status).toBe('done')
    await expectSame(world, id)
  })

  it('a stop, after which the work went on', async () => {
    const never = Promise.withResolvers<void>()
    let reply = 0
    const world = await openWorld({
      script: () => {
        reply += 1
        if (reply === 3) return { text: 'Never said.', until: never.promise }
        return reply < 5 ? write(`/${reply}`, 'x') : done
      },
    })
    const id = world.begin('main')
    await expect.poll(() => world.requests.length).toBe(3)
    world.runtime.stop(id)
    await world.whenIdle(id)
    await world.say(id, 'go on')
    const { steps } = await expectSame(world, id)
    expect(steps).toBe(4)
  })

  it('a stop during a command, which would have changed files', async () => {
    const started = Promise.withResolvers<void>()
    const slow: Program = async () => {
      started.resolve()
      await new Promise((resolve) => setImmediate(resolve))
      return undefined
    }
    const options = { programs: { slow }, settings: { policy: { interruptOn: new Map(), rules: noRules } } }
    const world = await openWorld({
      ...options,
      script: callingInTurn([
        ['write_file', { file_path: '/a', content: 'x' }],
        ['execute', { command: 'slow; slow; slow; echo x > b' }],
        ['write_file', { file_path: '/c', content: 'x' }],
      ]),
    })
    const id = world.begin('main', 'auto')
    await started.promise
    world.runtime.stop(id)
    await world.whenIdle(id)
    await world.say(id, 'go on')
    expect(await world.files(id)).toEqual({ '/a': 'x', '/c': 'x' })
    const { record } = await expectSame(world, id, options)
    expect(record.lines.find(({ kind }) => kind === 'end')).toMatchObject({ reason: 'user', running: [1] })
  })

  it('a restart of the app in the middle of a reply', async () => {
    const never = Promise.withResolvers<void>()
    let replies = 0
    const script: ModelScript = () => {
      replies += 1
      if (replies === 2) return { text: 'Never said.', until: never.promise }
      return replies < 5 ? write(`/${replies}`, 'x') : done
    }
    const world = await openWorld({ script })
    const id = world.begin('main')
    await expect.poll(() => replies).toBe(2)
    const again = await world.restart({ script })
    again.runtime.resume(id)
    await again.whenIdle(id)
    expect(again.thread(id).status).toBe('done')
    const replayed = await replayIn(parsed(recordOf(again, id)))
    expect([replayed.difference, replayed.steps]).toEqual([undefined, 4])
    expect(await replayed.world.files(replayed.threadId)).toEqual(await again.files(id))
  })

  it('a stop while subagents worked', async () => {
    const never = Promise.withResolvers<void>()
    const spawn = { name: 'spawn_subagents', input: { tasks: ['one', 'two'] } }
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [spawn] }],
        one: [{ text: 'Never said.', until: never.promise }],
        two: [write('/two', '1'), write('/two', '2'), { text: 'Never said.', until: never.promise }],
      }),
    })
    const id = world.begin('main')
    await expect.poll(() => world.requests.length).toBe(5)
    world.runtime.stop(id)
    await world.whenIdle(id)
    const { steps } = await expectSame(world, id)
    expect(steps).toBe(3)
  })

  it('a merge by hand ends a replay that would go on after it, and is named', async () => {
    const world = await openWorld({ script: () => write('/a', 'x'), settings: { maxIterations: 1 } })
    const id = await world.run('main')
    const { branchId } = world.thread(id)
    executeCommand(world.services.log, {
      ok: true,
      value: {
        entries: [{ type: 'branch.discarded', threadId: id, branchId, patch: [], whole: false, by: 'person' }],
        answer: undefined,
        movedOn: '',
      },
    })
    const { difference } = await replayIn(parsed(recordOf(world, id)), { settings: { maxIterations: 1 } })
    expect(difference, 'nothing comes after it').toBeUndefined()
    await world.say(id, 'go on')
    const { difference: found } = await replayIn(parsed(recordOf(world, id)))
    expect(found).toMatchObject({ kind: 'act', agent: 'main', step: 2 })
    expect(found?.message).toContain('a person changed the thread by hand (branch.discarded)')
  })
})

describe('what models were asked besides', () => {
  const files = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e'].map((name) => [`/${name}`, `${name.repeat(80)}\n`.repeat(50)]),
  )
  const isSummary = ({ system }: ModelRequest) => system.includes('You summarise the working')
  const reader: () => ModelScript = () => {
    let reads = 0
    return (request) => {
      const usage = { inputTokens: Math.round(asked(request).length / 4) }
      if (isSummary(request)) return { text: 'THE SUMMARY', usage }
      const name = ['a', 'b', 'c', 'd', 'e'][reads]
      reads += 1
      return name ? { calls: [{ name: 'read_file', input: { file_path: `/${name}` } }], usage } : { ...done, usage }
    }
  }

  it('summaries, when the conversation became too long', async () => {
    const settings = { summarisation: { tokens: 4_000, share: 1 } }
    const world = await openWorld({ files, script: reader(), settings })
    const id = await world.run('main')
    const { world: again, record } = await expectSame(world, id, { files })
    expect(record.lines.some(({ kind }) => kind === 'summary')).toBe(true)
    expect(again.entries('compacted').map(({ summary }) => summary)).toContain('THE SUMMARY')
  })

  it('summaries in several parts, after the provider found it too long, and on request', async () => {
    let refused = false
    const script = reader()
    const world = await openWorld({
      files,
      contextWindow: 1_500,
      settings: { summarisation: { tokens: 1_000_000, share: 1_000 } },
      script(request, seen) {
        if (!isSummary(request) && !refused && request.messages.length > 6) {
          refused = true
          return { fault: { afterEvents: 0, with: 'context_window_exceeded' } }
        }
        return script(request, seen)
      },
    })
    const id = await world.run('main')
    expect(world.requests.filter(isSummary).length).toBeGreaterThan(1)
    await world.say(id, 'more')
    await world.say(id, 'and more')
    world.runtime.compact(id)
    await world.whenIdle(id)
    const replayed = await expectSame(world, id, { files, contextWindow: 1_500 })
    const summaries = ({ entries }: AgentWorld) => entries('compacted').map(({ messages }) => messages)
    expect(summaries(replayed.world)).toEqual(summaries(world))
    expect(summaries(world).length).toBeGreaterThan(1)
  })

  it('the verdict on a goal', async () => {
    let graded = 0
    const world = await openWorld({
      settings: { goal: { checks: null, criteria: 'It is good.', attempts: 2 } },
      script: (request) => {
        if (request.origin?.purpose === 'grade') {
          graded += 1
          return { text: JSON.stringify({ met: graded > 1, why: 'It is not.' }) }
        }
        return asked(request).includes('It is not') ? done : { text: 'I am done.' }
      },
    })
    const id = await world.run('main')
    expect(graded).toBe(2)
    const { record } = await expectSame(world, id)
    expect(record.lines.filter(({ kind }) => kind === 'grade')).toHaveLength(2)
  })

  it('requests that failed, also one that was repeated', async () => {
    let tries = 0
    const world = await openWorld({
      script: (_, { count }) => {
        if (count === 0) return write('/a', 'x')
        tries += 1
        return tries < 9 ? { fault: { afterEvents: 0, with: 'overloaded' } } : done
      },
    })
    const id = await world.run('main')
    expect(world.thread(id).status).toBe('failed')
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect(world.thread(id).status).toBe('done')
    const { record } = await expectSame(world, id)
    expect(record.lines.filter(({ kind }) => kind === 'error')).toMatchObject([{ number: 2, code: 'overloaded' }])
  })
})

describe('names that are others in every run', () => {
  it('are those of the replay in what its models say', async () => {
    // The ids of a world are counted, so another thread before makes the next ones others.
    const other = await openWorld({
      script: (_, { count }) => (count === 1 ? write('/a', `thread ${second}`) : done),
    })
    await other.run('before')
    const second: ThreadId = other.begin('main')
    await other.whenIdle(second)
    const { threadId: replayed, world: again, difference } = await replayIn(parsed(recordOf(other, second)))
    expect(replayed).not.toBe(second)
    expect(await again.files(replayed)).toEqual({ '/a': `thread ${replayed}` })
    expect(difference, 'the file itself holds another name').toMatchObject({ kind: 'tree', files: ['/a'] })
  })
})

describe('what an agent does to its own conversation', () => {
  // Mutation: when the request of a call becomes a line of its own, the replay asks for two summaries.
  it('a summary that it asked for by a call, and one that never came', async () => {
    for (const summary of ['SUMMARY', '']) {
      const world = await openWorld({
        files: { '/a': 'a', '/b': 'b' },
        script: (request, { count }) => {
          if (request.origin?.purpose === 'summary') return { text: summary }
          const read = { calls: [{ name: 'read_file', input: { file_path: count % 2 === 0 ? '/a' : '/b' } }] }
          if (count < 6) return read
          return count === 6 ? { calls: [{ name: 'compact', input: {} }] } : done
        },
      })
      const id = await world.run('read them')
      const { record } = await expectSame(world, id, { files: { '/a': 'a', '/b': 'b' } })
      expect(record.lines.filter(({ kind }) => kind === 'summary')).toHaveLength(1)
      expect(record.lines.filter(({ kind }) => kind === 'compact')).toEqual([])
    }
  })

  it('a subagent whose answer did not fit at first, and a fork of the agent', async () => {
    const agents = [
      generalPurpose,
      { ...generalPurpose, name: 'counter', answerSchema: { required: ['total'] } },
      { ...generalPurpose, name: 'twin', forks: true },
    ]
    const call = (id: string, type: string) => ({
      name: 'task',
      id,
      input: { description: `child ${type}`, subagent_type: type },
    })
    const world = await openWorld({
      extensions: { agents },
      script: (request, { count }) => {
        if (count === 0) return { calls: [call('c', 'counter')] }
        if (count === 3) return { calls: [call('t', 'twin')] }
        return { text: asked(request).includes('does not fit') ? '{"total": 1}' : 'words' }
      },
    })
    const id = await world.run('main')
    const replayed = await expectSame(world, id, { extensions: { agents } })
    expect(Object.keys(replayed.world.results(replayed.threadId))).toEqual(['c', 't'])
    expect(replayed.world.results(replayed.threadId).c).toContain('{"total":1}')
  })

  it('code that waited for subagents, and wrote what they said', async () => {
    const code = `const [a, b] = await Promise.all([runSubagent('child a'), runSubagent('child b')])
      await fs.write('/first', a.result + b.result + Math.floor(1.5))
      await fs.write('/second', (await runSubagent('child of ' + a.handle)).name)`
    const world = await openWorld({
      script: (request, { count }) => {
        if (count === 0) return { calls: [{ name: 'run_js_code', id: 'code', input: { code } }] }
        return { text: asked(request).includes('child') ? 'said' : 'Done.' }
      },
    })
    const id = await world.run('main')
    const { record } = await expectSame(world, id)
    expect(record.lines.filter(({ kind }) => kind === 'agent')).toHaveLength(4)
    expect(Object.keys(await world.files(id))).toEqual(['/first', '/second'])
  })
})
