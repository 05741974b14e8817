import fc from 'fast-check'
import { expect, it } from 'vitest'
import { streamEvents } from '../e2e/model-server/events.ts'
import {
  type Answer,
  type ApiRequest,
  type Fault,
  type Scenario,
  taskOf,
  turnOf,
} from '../e2e/model-server/scenario.ts'
import { repeats, testSeed, timeLimit } from '../src/main/core/ports/test-size.testkit.ts'
import { openWorld } from './world.testkit.ts'

/**
 * A reply breaks at a random event of its stream, or is refused. The turn goes on with the next try, no call of the
 * broken reply runs, and nothing of it stays in the conversation.
 */
const points = repeats(60, 2_000)

interface Point {
  readonly reply: Pick<Answer, 'text' | 'calls'>
  readonly fault: Fault
}

const calls = fc
  .array(fc.string({ unit: 'grapheme', maxLength: 120 }), { maxLength: 4 })
  .map((words) =>
    words.map((text, at) => ({ name: 'execute', id: `c${at}`, input: { command: `echo ${at} # ${text}` } })),
  )
const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 })
const statuses = fc.constantFrom(408, 429, 500, 502, 503, 529)
const bodies = fc.constantFrom(undefined, '', '<html>Bad gateway</html>', '{', '{"type":"error"}', '\u0000')

/** Any event of the reply, from before the first to before the last. */
const anyPoint: fc.Arbitrary<Point> = fc
  .tuple(
    texts,
    calls,
    fc.constantFrom('cut', 'garbage', 'status'),
    fc.double({ min: 0, max: 1, noNaN: true }),
    statuses,
    bodies,
  )
  .map(([text, made, kind, share, status, body]) => {
    const reply = { text, calls: made }
    const events = streamEvents({ model: 'm', messages: [] } satisfies ApiRequest, reply, 'm').length
    const fault: Fault =
      kind === 'status'
        ? { kind, status, ...(body !== undefined && { body }) }
        : { kind: kind as 'cut', afterEvents: Math.min(events - 1, Math.floor(share * events)) }
    return { reply, fault }
  })

it(
  `${points} faults of a model: every turn goes on, and no call of a broken reply runs`,
  async () => {
    const seed = testSeed()
    const plan = fc.sample(anyPoint, { numRuns: points, seed })
    const scenario: Scenario = (request, { tries }) => {
      const point = plan[Number(taskOf(request).split(' ')[1])]
      if (!point || turnOf(request) > 0) return { text: 'Done.' }
      return tries === 0 ? { ...point.reply, fault: point.fault } : point.reply
    }
    const settings = { retry: { attempts: 3, base_delay_ms: 1, max_delay_ms: 2 } }
    const { run, thread, project } = await openWorld(scenario, { settings })
    for (const [index, { reply, fault }] of plan.entries()) {
      const about = `seed ${seed}, point ${index}: ${JSON.stringify(fault)}`
      const { interrupts, messages, status } = thread(await run(`point ${index}`))
      const asking = interrupts.map(({ action_requests }) => action_requests.map(({ args }) => args))
      const wanted = reply.calls?.map(({ input }) => input) ?? []
      expect(asking, `${about}: the whole reply asks once`).toEqual(wanted.length > 0 ? [wanted] : [])
      if (wanted.length === 0) expect(status, about).toBe('done')
      const replies = messages.filter(({ role }) => role === 'assistant')
      expect(replies, `${about}: one reply stays`).toHaveLength(1)
      const texts = replies[0]?.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      expect(texts?.join(''), about).toBe(reply.text)
    }
    expect(project.services.log.entries().filter(({ type }) => type === 'tool.started')).toEqual([])
  },
  timeLimit(120_000),
)
