import { expect, it } from 'vitest'
import { createAskedTools } from './asked-tools.ts'

const never = new AbortController().signal
const done = { ok: true, content: [{ type: 'text', text: 'done' }] } as const

it('gives all calls that wait to the turn, and their results to the agent', async () => {
  const asked = createAskedTools()
  using _turn = asked.begin()
  const next = asked.next()
  const results = [asked.call('task', {}, never), asked.call('ls', { path: '/memories/' }, never)]
  const calls = await next
  expect(calls.map(({ name, input }) => [name, input])).toEqual([
    ['task', {}],
    ['ls', { path: '/memories/' }],
  ])
  for (const call of calls) call.answer(done)
  expect(await Promise.all(results)).toEqual([done, done])
})

it('takes a thousand calls in a turn, and as many in the next', async () => {
  const asked = createAskedTools()
  const call = async () => {
    const result = asked.call('ls', {}, never)
    if (await Promise.race([result.then(() => true), Promise.resolve(false)])) return result
    for (const one of await asked.next()) one.answer(done)
    return result
  }
  for (let turn = 0; turn < 2; turn += 1) {
    using _turn = asked.begin()
    for (let one = 0; one < 1_000; one += 1) expect(await call()).toEqual(done)
    expect(await asked.call('ls', {}, never)).toMatchObject({ ok: false })
  }
})

it('refuses what comes outside of a turn, and at its end what nobody has taken', async () => {
  const asked = createAskedTools()
  expect(await asked.call('task', {}, never)).toMatchObject({ ok: false })
  const turn = asked.begin()
  const left = asked.call('task', {}, never)
  turn[Symbol.dispose]()
  expect(await left).toMatchObject({ ok: false })
  using _second = asked.begin()
  const later = asked.call('later', {}, never)
  const [call, ...more] = await asked.next()
  expect([call?.name, more]).toEqual(['later', []])
  call?.answer(done)
  expect(await later).toEqual(done)
})
