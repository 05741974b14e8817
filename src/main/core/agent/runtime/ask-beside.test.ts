import { expect, it } from 'vitest'
import type { ScriptedAnswer } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import type { Question } from './ask-beside.ts'

const question: Question = { purpose: 'delivery', system: 's', task: 'name it', outputSchema: {}, maxTokens: 2_000 }
const signal = new AbortController().signal
const usage = { modelCalls: 1, cacheWriteTokens: 10, outputTokens: 5, cost: 0.5 }
const none = { cost: null, tokens: null, modelCalls: null, minutes: null }
const budgetsOf = (thread: object) => ({ run: none, batch: none, subagent: none, thread: { ...none, ...thread } })

async function open(answer: () => ScriptedAnswer, thread: object = {}) {
  const world = await openWorld({
    script: (request) => (request.origin?.purpose === 'delivery' ? answer() : { text: 'Done.' }),
    settings: { budgets: budgetsOf(thread) },
    costOf: () => 0,
  })
  return { world, id: await world.run('main') }
}

it('asks beside the runs, stores what it cost, and leaves the conversation alone', async () => {
  const { world, id } = await open(() => ({ text: 'A name.', usage }))
  const before = world.thread(id)
  const said = await world.runtime.ask(id, question, signal)
  expect(said).toMatchObject({ ok: true, value: { text: 'A name.', usage: { cost: 0.5 } } })
  expect(world.requests.at(-1)).toMatchObject({ system: 's', tools: [], maxTokens: 2_000 })
  expect(world.entries('usage').at(-1)).toMatchObject({ threadId: id, for: 'delivery', usage: { cost: 0.5 } })
  const { messages, contextTokens, status } = world.thread(id)
  expect([messages, contextTokens, status]).toEqual([before.messages, before.contextTokens, before.status])
})

// Mutation: when the request does not go through `reserve`, it is made.
it('asks nothing that a budget has no room for, and says so', async () => {
  const { world, id } = await open(() => ({ text: 'x', usage }), { modelCalls: 1 })
  expect(await world.runtime.ask(id, question, signal)).toEqual({
    ok: false,
    error: expect.stringContaining('budget of this thread'),
  })
  expect(world.requests).toHaveLength(1)
})

it('tries a second time after an error that passes, then gives its words', async () => {
  const { world, id } = await open(() => ({ fault: { afterEvents: 0, with: 'overloaded', message: 'Too busy.' } }))
  expect(await world.runtime.ask(id, question, signal)).toEqual({ ok: false, error: 'Too busy.' })
  expect(world.requests).toHaveLength(3)
  expect(world.entries('usage')).toHaveLength(1)
})

// Mutation: when the question holds its room in the thread's name, the end of the run gives that room away.
it('keeps its room in a budget when a run of the thread ends meanwhile', async () => {
  let answered = (): void => undefined
  const until = new Promise<void>((resolve) => {
    answered = resolve
  })
  const { world, id } = await open(() => ({ text: 'x', usage, until }), { modelCalls: 3 })
  const first = world.runtime.ask(id, question, signal)
  await world.say(id, 'again')
  const second = world.runtime.ask(id, question, signal)
  answered()
  expect([(await first).ok, (await second).ok]).toEqual([true, false])
})

// Mutation: when only runs are woken, nobody asks again.
it('asks again when the machine slept', async () => {
  const answers: ScriptedAnswer[] = [{ until: new Promise(() => undefined) }, { text: 'x' }]
  const { world, id } = await open(() => answers.shift() ?? {})
  const asked = world.runtime.ask(id, question, signal)
  await expect.poll(() => world.requests.length).toBe(2)
  world.runtime.wake()
  expect(await asked).toMatchObject({ ok: true, value: { text: 'x' } })
})

it('ends with the app', async () => {
  const { world, id } = await open(() => ({ text: 'x', until: new Promise(() => undefined) }))
  const asked = world.runtime.ask(id, question, signal)
  const ended = expect(asked).rejects.toThrow()
  await world.runtime[Symbol.asyncDispose]()
  await ended
})
