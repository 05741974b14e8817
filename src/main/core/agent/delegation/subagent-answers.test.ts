import { describe, expect, it } from 'vitest'
import type { JsonValue } from '#shared/base/json.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { type ModelScript, type ScriptedAnswer, taskOf, turnOf } from '../../ports/model-client.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'
import { type AgentDefinition, generalPurpose } from '../types/agent-definition.ts'

const schema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } } as const
const counter: AgentDefinition = { ...generalPurpose, name: 'counter', answerSchema: schema }

/** The main agent makes one call; its subagents give these replies in turn. */
async function ask(
  call: { readonly name: string; readonly input: Record<string, JsonValue> },
  replies: readonly ScriptedAnswer[],
  definition: Partial<AgentDefinition> = {},
) {
  const script: ModelScript = (request) => {
    if (taskOf(request).startsWith('count')) return replies[turnOf(request)] ?? { text: 'and nothing more' }
    return turnOf(request) === 0 ? { calls: [{ ...call, id: 'c' }] } : { text: 'Done.' }
  }
  const world = await openWorld({ script, extensions: { agents: [generalPurpose, { ...counter, ...definition }] } })
  const id = await world.run('main')
  return { world, id, ...readResult(world, id, call.name) }
}

/** What the parent learns of its one subagent, whichever tool started it. */
function readResult(world: AgentWorld, id: ThreadId, tool: string): { result?: JsonValue; error?: string } {
  const said = JSON.parse(world.results(id).c ?? '{}')
  if (tool === 'task') return said
  if (tool === 'spawn_subagents') return said.subagents[0]
  return JSON.parse(world.scratch(id, said.results_file))
}

const doors = {
  task: { name: 'task', input: { description: 'count', subagent_type: 'counter' } },
  spawn_subagents: { name: 'spawn_subagents', input: { tasks: [{ task: 'count', subagent_type: 'counter' }] } },
  batch_task: { name: 'batch_task', input: { tasks: [{ description: 'count', type: 'counter' }] } },
} as const
const modes = ['handoff', 'tool'] as const
const cases = Object.values(doors).flatMap((door) => modes.map((mode) => ({ door, mode, name: door.name })))

describe('a definition with an answer schema', () => {
  it.each(cases)('$name, $mode: an answer that fits is JSON for the parent', async ({ door, mode }) => {
    const { world, result, error } = await ask(door, [{ text: '{"total": 6}' }], { mode })
    expect({ result, error }).toEqual({ result: { total: 6 }, error: undefined })
    const [request, ...more] = world.requests.filter((one) => taskOf(one).startsWith('count'))
    expect(request?.outputSchema).toEqual(schema)
    expect(JSON.stringify(request?.messages[0])).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1))
    expect(more).toEqual([])
  })

  // Mutation: without `endWithAnswer`, the parent reads "six".
  it.each(cases)('$name, $mode: one that does not fit is asked for once more', async ({ door, mode }) => {
    const { result, world } = await ask(door, [{ text: 'six' }, { text: '{"total": 6}' }], { mode })
    expect(result).toEqual({ total: 6 })
    const asked = world.requests.filter((one) => taskOf(one).startsWith('count')).at(-1)
    expect(JSON.stringify(asked?.messages.at(-1))).toContain('does not fit the schema: it is not JSON')
  })

  it.each(cases)('$name, $mode: a second misfit is an error, and its text is not lost', async ({ door, mode }) => {
    const { result, error, world } = await ask(door, [{ text: 'six' }, { text: '{}' }], { mode })
    expect({ result, error }).toEqual({ result: '{}', error: 'The answer does not fit the schema: total is missing' })
    expect(world.entries('run.ended').map(({ reason }) => reason)).toContain('invalid_answer')
    expect(world.requests.filter((one) => taskOf(one).startsWith('count'))).toHaveLength(2)
  })

  // Mutation: without the look at the replies of this run, it fails again and asks nobody.
  it('is asked once more when a person lets it go on after its second misfit', async () => {
    const { world, id } = await ask(doors.task, [{ text: 'six' }, { text: 'seven' }, { text: '{"total": 7}' }])
    const [child] = world.children(id)
    expect(child?.end?.reason).toBe('invalid_answer')
    world.runtime.resume(child?.id ?? id)
    await world.whenIdle(id)
    expect(world.children(id).map(({ end }) => end?.status)).toEqual(['done'])
    expect(world.answer(child?.id ?? id)).toBe('{"total": 7}')
  })

  it('withholds what its output filter withholds', async () => {
    const { result } = await ask(doors.task, [{ text: '{"total": 6}' }], { outputFilter: 'strict' })
    expect(result).toContain('withheld')
  })

  it('asks once, also when work comes between two answers, and not at the end of its replies', async () => {
    const work = { calls: [{ name: 'ls', input: {} }] }
    const { result } = await ask(doors.task, [work, { text: 'six' }, work, { text: '{"total": 1}' }])
    expect(result).toEqual({ total: 1 })
  })
})

// Mutation: with `budget` and `goal` alone in `endsWithReport`, the result is missing.
describe('a subagent whose reply is cut', () => {
  const ends = [
    ['max_tokens', 'The reply was cut at the model’s output limit'],
    ['refusal', 'The model refused'],
    ['context_window_exceeded', 'no longer fits the model’s window'],
  ] as const

  it.each(ends.flatMap(([reason, why]) => cases.map((one) => ({ ...one, reason, why }))))(
    '$reason, $name, $mode: the parent reads the text and the reason',
    async ({ door, mode, reason, why }) => {
      const said = { text: 'I found three of', stopReason: reason }
      const { result, error } = await ask(door, [said], { mode, answerSchema: null })
      expect(result).toBe('I found three of')
      expect(error).toContain(why)
    },
  )

  it('has no result when it ended in the middle of its work', async () => {
    const first = { text: 'Let me look.', calls: [{ name: 'ls', input: {} }] }
    const { result, error } = await ask(doors.task, [first, { fault: { afterEvents: 0, with: 'bad_request' } }])
    expect({ result, failed: error !== undefined }).toEqual({ result: undefined, failed: true })
  })
})
