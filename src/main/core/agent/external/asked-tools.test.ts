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
