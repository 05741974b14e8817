import { describe, expect, it } from 'vitest'
import { type ScriptedAnswer, turnOf } from '../../ports/model-client.testkit.ts'
import type { ModelRequest } from '../../ports/model-client.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'
import { type AgentDefinition, generalPurpose } from '../types/agent-definition.ts'

const twin: AgentDefinition = { ...generalPurpose, name: 'twin', forks: true }
const asText = (request: ModelRequest | undefined) =>
  JSON.stringify([request?.tools, request?.system, request?.messages])
const isTwin = ({ messages }: ModelRequest) => JSON.stringify(messages).includes('You are a subagent')

/** Characters with which two texts begin alike. */
function commonPrefix(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

/** The main agent reads a file, then starts twins with a call. */
async function open(call: ScriptedAnswer, twinAnswers: readonly ScriptedAnswer[] = []) {
  const main: readonly ScriptedAnswer[] = [{ calls: [{ name: 'read_file', input: { file_path: '/a.txt' } }] }, call]
  const world = await openWorld({
    files: { '/a.txt': 'what is in the file\n' },
    extensions: { agents: [generalPurpose, twin], instructions: [{ file: '/AGENTS.md', text: 'Be kind.' }] },
    script: (request) =>
      (isTwin(request) ? twinAnswers[turnOf(request) - 1] : main[turnOf(request)]) ?? { text: 'Done.' },
  })
  const id = await world.run('look at the file')
  return { world, id }
}

const twinsIn = ({ requests }: AgentWorld) => requests.filter(isTwin)
const doors = [
  { name: 'task', input: { description: 'try one way', subagent_type: 'twin' } },
  { name: 'spawn_subagents', input: { tasks: [{ task: 'try one way', subagent_type: 'twin' }] } },
  { name: 'batch_task', input: { tasks: [{ description: 'try one way', type: 'twin' }] } },
]

describe('a fork of an agent', () => {
  // Mutation: with a prompt of its own, the two part at the first tool.
  it.each(doors)('begins with the last request of its parent, started by $name', async ({ name, input }) => {
    const { world } = await open({ calls: [{ name, id: 'c', input }] })
    const [child] = twinsIn(world)
    // The request that was answered with the call: what the cache holds when the twin starts.
    const before = asText(world.requests[1])
    expect(commonPrefix(before, asText(child))).toBe(before.length - 2)
    expect([child?.model, child?.system]).toEqual([world.requests[1]?.model, world.requests[1]?.system])
    expect(JSON.stringify(child?.messages.slice(-2))).toMatch(/try one way.*# You are a subagent/)
  })

  it('is refused what its depth forbids, and told so beforehand', async () => {
    const again = { calls: [{ name: 'task', id: 'deep', input: { description: 'deeper' } }] }
    const { world, id } = await open({ calls: [{ ...doors[0], id: 'c' } as never] }, [again, { text: 'Tried.' }])
    const [child] = world.children(id)
    expect(asText(twinsIn(world)[0])).toContain('may not call these tools any more: write_todos, task, spawn_subagents')
    expect(world.results(child?.id ?? id).deep).toContain('There is no tool named task')
    expect(JSON.parse(world.results(id).c ?? '')).toMatchObject({ result: 'Tried.' })
  })

  it('goes on with the same beginning after a restart', async () => {
    const { world, id } = await open({ calls: [{ ...doors[0], id: 'c' } as never] })
    const again = await world.restart()
    const [child] = again.children(id)
    await again.say(child?.id ?? id, 'and more')
    const before = asText(twinsIn(world)[0])
    expect(commonPrefix(before, asText(again.requests.at(-1)))).toBeGreaterThanOrEqual(before.length - 2)
  })
})
