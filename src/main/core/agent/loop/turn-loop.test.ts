import { describe, expect, it } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import type { StopReason } from '#shared/model/message.ts'
import { executeCommand } from '../../commands/command.ts'
import { replaceTodos } from '../../commands/todos.ts'
import { byTask, type ModelScript, type ScriptedAnswer, turnOf } from '../../ports/model-client.testkit.ts'
import { type AgentWorld, openWorld, shownMessage } from '../agent-world.testkit.ts'

const write = (file_path: string, content: string) => ({ name: 'write_file', input: { file_path, content } })
const ls = { name: 'ls', input: {} }
const asks = (id: string) => ({ name: 'ask_user', id, input: { question: 'Go on?' } })
const forever: ModelScript = () => ({ calls: [ls] })
const lastMessage = ({ requests }: AgentWorld) =>
  shownMessage(requests.at(-1)?.messages.at(-1) ?? { role: 'user', content: [] })

describe('a turn', () => {
  it('is a fixed sequence of entries, each step with its checkpoint', async () => {
    const world = await openWorld({ script: byTask({ main: [{ calls: [write('/c.txt', 'three\n')] }] }) })
    const id = await world.run('main')
    expect(world.kinds()).toEqual([
      'thread.created',
      'branch.forked',
      'message',
      'thread.prepared',
      'run.started',
      'message',
      'usage',
      'checkpoint',
      'tool.started',
      'tree.changed',
      'tool.finished',
      'checkpoint',
      'message',
      'usage',
      'checkpoint',
      'run.ended',
    ])
    expect(await world.files(id)).toEqual({ '/c.txt': 'three\n' })
  })

  it('stores a thread and its first message together', async () => {
    const world = await openWorld()
    const stored: string[][] = []
    world.failStore((drafts) => {
      stored.push(drafts.map(({ type }) => type))
      return false
    })
    await world.run('first words')
    expect(stored[0]).toEqual(['thread.created', 'branch.forked', 'message'])
  })

  it('repeats in every request what was sent before, byte for byte', async () => {
    const world = await openWorld({
      script: (request) => (turnOf(request) < 3 ? { text: 'On. ', calls: [ls] } : { text: 'ok' }),
    })
    await world.run('look')
    const sent = world.requests.map(({ system, tools }) => JSON.stringify([system, tools]))
    expect(new Set(sent).size).toBe(1)
    for (const [index, { messages }] of world.requests.slice(1).entries()) {
      const before = world.requests[index]?.messages ?? []
      expect(JSON.stringify(messages.slice(0, before.length))).toBe(JSON.stringify(before))
      expect(messages.length).toBe(before.length + 2)
    }
  })

  it('shows a reply piece by piece before it is stored', async () => {
    const world = await openWorld({ script: () => ({ thinking: 'Hm. ', text: 'I am done.' }) })
    await world.run('main')
    const shown = world.services.live.map((event) =>
      event.type === 'message.delta' ? `${event.part} ${event.text}` : event.type,
    )
    expect(shown).toEqual(['thinking Hm. ', 'text I ', 'text am ', 'text done.'])
  })
})

describe('a run ends', () => {
  it('as done after a reply without calls', async () => {
    const world = await openWorld({ script: () => ({ text: 'All is well.' }) })
    const id = await world.run('main')
    expect(world.thread(id).end).toMatchObject({ status: 'done', reason: 'completed', message: '' })
    expect(world.answer(id)).toBe('All is well.')
    expect(world.requests).toHaveLength(1)
  })

  it.each<[string, ScriptedAnswer]>([
    ['nothing', {}],
    ['blanks', { text: ' \n' }],
    ['thoughts alone', { thinking: 'Hm.' }],
    ['a call that is missing', { stopReason: 'tool_use' }],
    ['nothing and no known reason', { stopReason: 'unknown' }],
    ['a pause without anything', { stopReason: 'pause_turn' }],
  ])('as failed after two replies in a row with %s, and says after the first what is missing', async (_, answer) => {
    const world = await openWorld({ script: () => answer })
    const id = await world.run('main')
    expect(world.thread(id).end).toMatchObject({ status: 'failed', reason: 'model_error' })
    expect(world.requests).toHaveLength(2)
    expect(JSON.stringify(world.requests[1]?.messages.at(-1))).toContain('neither text nor a call')
  })

  it('as done when the model answers after one empty reply, each time', async () => {
    const look = { calls: [{ name: 'ls', input: {} }] }
    const world = await openWorld({ script: (_, { count }) => [{}, look, {}, { text: 'Two files.' }][count] ?? {} })
    const id = await world.run('main')
    expect([world.thread(id).status, world.answer(id)]).toEqual(['done', 'Two files.'])
    expect(world.requests).toHaveLength(4)
  })

  it.each<[StopReason, string, string]>([
    ['stop_sequence', 'done', 'completed'],
    ['max_tokens', 'failed', 'max_tokens'],
    ['refusal', 'failed', 'refusal'],
    ['context_window_exceeded', 'failed', 'context_window_exceeded'],
    ['unknown', 'failed', 'model_error'],
    ['tool_use', 'done', 'completed'],
  ])('after a reply without calls that stopped by %s, as %s', async (stopReason, status, reason) => {
    const world = await openWorld({ script: () => ({ text: 'So far.', stopReason }) })
    const id = await world.run('main')
    expect(world.thread(id).end).toMatchObject({ status, reason })
    expect(world.thread(id).end?.message === '').toBe(status === 'done')
  })

  it('not after a reply that only paused: the model is asked to continue', async () => {
    const world = await openWorld({
      script: byTask({ main: [{ text: 'Wait.', stopReason: 'pause_turn' }, { text: 'Done.' }] }),
    })
    const id = await world.run('main')
    expect([world.thread(id).status, world.requests.length, world.answer(id)]).toEqual(['done', 2, 'Done.'])
  })

  it('as failed when a reply was cut before its calls could run, and cancels them', async () => {
    const world = await openWorld({
      script: () => ({ calls: [{ ...write('/a', 'x'), id: 'cut' }], stopReason: 'max_tokens' }),
    })
    const id = await world.run('main')
    expect(world.thread(id).end).toMatchObject({ status: 'failed', reason: 'max_tokens' })
    expect(world.outcomes(id)).toEqual({ cut: 'cancelled' })
    expect(await world.files(id)).toEqual({})
  })

  it("as failed with the model's message when the model fails for good", async () => {
    const world = await openWorld({
      script: () => ({ fault: { afterEvents: 0, with: 'unauthorized', message: 'The key is wrong.' } }),
    })
    const id = await world.run('main')
    expect(world.thread(id).end).toMatchObject({
      status: 'failed',
      reason: 'model_error',
      message: 'The key is wrong.',
    })
    expect(world.requests).toHaveLength(1)
  })

  it('as failed with the message of a bug', async () => {
    const world = await openWorld({
      script: () => {
        throw new Error('a bug of the client')
      },
    })
    const id = await world.run('main')
    expect(world.thread(id).end).toMatchObject({
      status: 'failed',
      reason: 'internal_error',
      message: 'a bug of the client',
    })
  })

  it('by its budget of replies, and the next run has a new budget', async () => {
    const world = await openWorld({ script: forever, settings: { maxIterations: 3 } })
    const id = await world.run('main')
    expect(world.thread(id).end).toMatchObject({ status: 'stopped', reason: 'budget' })
    expect(world.thread(id).end?.message).toContain('3 model replies (max_iterations)')
    // The fourth reply is the report, for which calls are forbidden.
    expect([world.requests.length, world.requests[2]?.toolChoice, world.requests[3]?.toolChoice]).toEqual([
      4,
      undefined,
      'none',
    ])
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect(world.requests).toHaveLength(8)
  })

  it('by a person, while a request is open', async () => {
    const world = await openWorld({ script: () => ({ text: 'Now. ', until: new Promise(() => {}) }) })
    const id = world.begin('main')
    while (world.requests.length === 0) await Promise.resolve()
    world.runtime.stop(id)
    await world.whenIdle(id)
    expect(world.thread(id).end).toMatchObject({ status: 'stopped', reason: 'user', message: 'Stopped by the user.' })
    expect(world.thread(id).messages).toHaveLength(1)
  })

  it('by a person, while a call runs; the call is cancelled and leaves nothing', async () => {
    const world = await openWorld({
      script: byTask({
        main: [
          {
            calls: [
              {
                name: 'run_js_code',
                id: 'js',
                input: { code: "await fs.write('/a', 'x'); await new Promise(() => {})" },
              },
            ],
          },
        ],
      }),
    })
    const id = world.begin('main')
    while (!world.kinds(id).includes('tool.started')) await Promise.resolve()
    world.runtime.stop(id)
    await world.whenIdle(id)
    expect(world.results(id)).toEqual({ js: 'Cancelled while it ran: the run ended.' })
    expect([world.thread(id).status, await world.files(id)]).toEqual(['stopped', {}])
  })

  it('by a person, while a command runs; what it printed stays in its result', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [{ name: 'execute', id: 'e', input: { command: 'echo one; echo two; sleep infinity' } }] }],
      }),
    })
    const id = await world.run('main')
    const approved = world.approve('e')
    while (!world.services.live.some(({ type }) => type === 'tool.output')) await Promise.resolve()
    world.runtime.stop(id)
    await approved
    expect(world.results(id).e).toMatch(
      /^Stopped after \d+ s, before it ended\. None of its changes were kept\. It had printed:\none/,
    )
    expect(world.outcomes(id)).toEqual({ e: 'cancelled' })
  })

  it('as paused after every turn of a run in steps', async () => {
    const world = await openWorld({ script: byTask({ main: [{ calls: [ls] }, { calls: [ls] }, { text: 'Done.' }] }) })
    const first = () => [{ type: 'text', text: 'main' }] as const
    const id = world.runtime.begin({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' }, first, {
      step: true,
    })
    await world.whenIdle(id)
    expect(world.thread(id).end).toMatchObject({ status: 'interrupted', reason: 'step' })
    expect(world.requests).toHaveLength(1)
    world.runtime.resume(id, { step: true })
    await world.whenIdle(id)
    expect([world.thread(id).status, world.requests.length]).toEqual(['paused', 2])
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect([world.thread(id).status, world.requests.length]).toEqual(['done', 3])
  })
})

describe('what a person types while an agent works', () => {
  /** Types while the model answers its first request. */
  const typing = async (delivery: 'steer' | 'queue') => {
    let world: AgentWorld | undefined
    const script: ModelScript = (request, { count }) => {
      if (count === 0)
        for (const { id } of world?.services.log.state.threads.values() ?? [])
          world?.runtime.send(id, [{ type: 'text', text: 'typed words' }], delivery)
      return turnOf(request) < 2 ? { calls: [ls] } : { text: `Reply ${turnOf(request)}` }
    }
    world = await openWorld({ script })
    const id = await world.run('main')
    const told = world.requests.map(({ messages }) =>
      messages.some((message) => shownMessage(message).includes('typed words')),
    )
    return { world, id, told }
  }

  it('comes with the next request when it steers, beside the results of the calls', async () => {
    const { world, id, told } = await typing('steer')
    expect(told).toEqual([false, true, true])
    expect(shownMessage(world.requests[1]?.messages.at(-1) ?? { role: 'user', content: [] })).toMatch(
      /^user: = .* \| typed words$/s,
    )
    expect(world.thread(id)).toMatchObject({ status: 'done', queue: [] })
  })

  it('comes after the run when it is queued, and is answered', async () => {
    const { world, id, told } = await typing('queue')
    expect(told).toEqual([false, false, false, true])
    expect(world.answer(id)).toBe('Reply 3')
    expect(world.kinds().filter((kind) => kind === 'run.ended')).toHaveLength(1)
  })

  it('waits behind calls that a person must decide on first', async () => {
    const world = await openWorld({ script: byTask({ main: [{ calls: [asks('q')] }, { text: 'Done.' }] }) })
    const id = await world.run('main')
    world.runtime.send(id, [{ type: 'text', text: 'and another thing' }], 'queue')
    await world.decide({ callId: 'q' as never, type: 'respond', message: 'yes' })
    expect(lastMessage(world)).toContain('and another thing')
    expect(world.thread(id)).toMatchObject({ status: 'done', queue: [] })
  })

  it('includes a list that a person changed, in the next step', async () => {
    const world = await openWorld({ script: byTask({ main: [{ calls: [asks('q')] }, { text: 'Done.' }] }) })
    const id = await world.run('main')
    executeCommand(world.services.log, replaceTodos(world.services, id, [{ content: 'by hand', status: 'pending' }]))
    await world.decide({ callId: 'q' as never, type: 'respond', message: 'yes' })
    expect(lastMessage(world)).toContain('The user changed the todo list. It is now:')
    expect(lastMessage(world)).toContain('by hand')
  })

  it('does not start a finished agent when it is only a changed list', async () => {
    const world = await openWorld()
    const id = await world.run('main')
    executeCommand(world.services.log, replaceTodos(world.services, id, [{ content: 'by hand', status: 'pending' }]))
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect(world.requests).toHaveLength(1)
    await world.say(id, 'and now?')
    expect(world.requests).toHaveLength(2)
    expect(JSON.stringify(world.requests[1]?.messages)).toContain('by hand')
  })
})

describe('a run that starts again', () => {
  it('sends no request after a final reply', async () => {
    const world = await openWorld()
    const id = await world.run('main')
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect(world.requests).toHaveLength(1)
    expect(world.thread(id).end).toMatchObject({ status: 'done', reason: 'completed' })
  })

  it('says Continue once after a reply that was cut', async () => {
    const world = await openWorld({
      script: byTask({ main: [{ text: 'Half of', stopReason: 'max_tokens' }, { text: ' it.' }] }),
    })
    const id = await world.run('main')
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect(world.requests[1]?.messages.map(shownMessage)).toEqual([
      'user: main',
      'assistant: Half of',
      'user: Continue.',
    ])
    expect(world.thread(id).status).toBe('done')
  })

  it('does not say Continue when a person says something', async () => {
    const world = await openWorld({
      script: byTask({ main: [{ text: 'Half of', stopReason: 'max_tokens' }, { text: ' it.' }] }),
    })
    const id = await world.run('main')
    await world.say(id, 'Shorter, please.')
    expect(world.requests[1]?.messages.map(shownMessage)).toEqual([
      'user: main',
      'assistant: Half of',
      'user: Shorter, please.',
    ])
  })

  it('gives the model one result for every call, even after a stop in the middle of a reply', async () => {
    const world = await openWorld({
      script: (request, { count }) =>
        count === 0 ? { calls: [asks('one'), { ...ls, id: 'two' }] } : { text: `${turnOf(request)}` },
    })
    const id = await world.run('main')
    await world.runtime.halt(id)
    await world.say(id, 'go on')
    expect(
      world.requests[1]?.messages.map(({ content }) =>
        content.map((part) => ('callId' in part ? `${part.type} ${part.callId}` : part.type)),
      ),
    ).toEqual([['text'], ['tool_call one', 'tool_call two'], ['tool_result one', 'tool_result two', 'text']])
    expect(world.outcomes(id)).toMatchObject({ one: 'cancelled', two: 'ok' })
  })

  it('does not outlive the app that closes right after a stop and another message', async () => {
    const world = await openWorld({ script: () => ({ text: 'Now. ', until: new Promise(() => {}) }) })
    const id = world.begin('main')
    while (world.requests.length === 0) await Promise.resolve()
    world.runtime.stop(id)
    world.runtime.send(id, [{ type: 'text', text: 'and now?' }], 'queue')
    await world.runtime[Symbol.asyncDispose]()
    expect(world.thread(id).end).toMatchObject({ status: 'interrupted', reason: 'restart' })
  })

  it('answers a message that is sent while a stopped run is still ending', async () => {
    const world = await openWorld({ script: () => ({ text: 'Now. ', until: new Promise(() => {}) }) })
    const id = world.begin('main')
    while (world.requests.length === 0) await Promise.resolve()
    world.runtime.stop(id)
    world.runtime.send(id, [{ type: 'text', text: 'and now?' }], 'queue')
    await eventually(() => expect(world.requests).toHaveLength(2))
    expect(JSON.stringify(world.requests[1]?.messages)).toContain('and now?')
    await world.runtime.halt(id)
  })
})
