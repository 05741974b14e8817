import { expect, it } from 'vitest'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { InterruptId, ToolCallId } from '#shared/model/ids.ts'
import { lastResults, turnOf } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'

const callId = (id: string) => id as ToolCallId
const approve = (id: string): Decision => ({ type: 'approve', callId: callId(id) })

/** A thread that asks about two commands and a question. */
async function asking() {
  const world = await openWorld({
    script: (request) =>
      turnOf(request) === 0
        ? {
            calls: [
              { name: 'execute', id: 'one', input: { command: 'echo one >> ran.txt' } },
              { name: 'execute', id: 'two', input: { command: 'echo two >> ran.txt' } },
              { name: 'ask_user', id: 'question', input: { question: 'Now?' } },
            ],
          }
        : { text: [...lastResults(request).values()].join('|') },
  })
  const id = await world.run('main')
  const interruptId = world.thread(id).interrupts[0]?.id as InterruptId
  const send = (decisions: readonly Decision[], to = interruptId): string => {
    try {
      world.runtime.decide(id, to, decisions)
      return 'accepted'
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  return { world, id, interruptId, send }
}

it.each<[string, readonly Decision[], string]>([
  ['on a call that was not asked about', [approve('three')], 'not_found'],
  ['of a kind that the call does not allow', [{ type: 'respond', callId: callId('one'), message: 'x' }], 'invalid'],
  ['that approve a question', [approve('question')], 'invalid'],
  ['that give the outcome of a call that never ran', [{ type: 'mark_done', callId: callId('one') }], 'invalid'],
  ['with invalid arguments', [{ type: 'edit', callId: callId('one'), args: { command: 7 } }], 'invalid'],
  ['that name one call twice', [approve('one'), approve('one')], 'invalid'],
  [
    'that grant hosts to a question',
    [{ type: 'approve', callId: callId('question'), hosts: ['example.com'] }],
    'invalid',
  ],
  ['that choose an answer where none is offered', [{ ...approve('one'), answer: 'yes' } as Decision], 'invalid'],
  ['with one wrong decision', [approve('two'), approve('three')], 'not_found'],
])('refuses decisions %s, and stores none of them', async (_, decisions, code) => {
  const { world, id, send } = await asking()
  expect(send(decisions)).toBe(code)
  expect(world.entries('interrupt.decided')).toEqual([])
  expect(world.thread(id).status).toBe('needs_you')
})

it('takes each decision once, in any order, and runs nothing twice', async () => {
  const { world, id, send } = await asking()
  expect(send([{ type: 'reject', callId: callId('two'), message: 'not now' }])).toBe('accepted')
  expect(send([approve('two')])).toBe('already_decided')
  expect(send([{ type: 'respond', callId: callId('question'), message: 'yes' }, approve('one')])).toBe('accepted')
  expect(send([approve('one')])).toBe('already_decided')
  await world.whenIdle(id)
  expect(send([approve('one')])).toBe('already_decided')
  expect(await world.files(id)).toEqual({ '/ran.txt': 'one\n' })
  expect(world.answer(id)).toContain('not now|yes')
})

it('refuses decisions on an approval that does not exist or whose run was stopped', async () => {
  const { world, id, send, interruptId } = await asking()
  expect(send([approve('one')], 'forged' as InterruptId)).toBe('already_decided')
  await world.runtime.halt(id)
  expect(send([approve('one')], interruptId)).toBe('already_decided')
})

it('accepts an empty list of decisions without deciding anything', async () => {
  const { world, id, send } = await asking()
  expect(send([])).toBe('accepted')
  expect(world.thread(id).interrupts).toHaveLength(1)
})

it('names the problem and stores nothing when decisions are only checked', async () => {
  const { world, id, interruptId } = await asking()
  const check = (decisions: readonly Decision[]) => world.runtime.checkDecisions(id, interruptId, decisions)
  expect(() => check([{ type: 'respond', callId: callId('one'), message: 'x' }])).toThrow(
    'execute can be answered with approve, edit, reject, not respond.',
  )
  expect(() => check([{ type: 'edit', callId: callId('one'), args: {} }])).toThrow(
    'The edited arguments do not fit execute:',
  )
  check([approve('one')])
  expect(world.thread(id).calls.get(callId('one'))?.state.kind).toBe('asking')
})

it('refuses decisions for a thread that does not exist', async () => {
  const { world, interruptId } = await asking()
  expect(() => world.runtime.decide('none' as never, interruptId, [])).toThrow('There is no thread none.')
})
