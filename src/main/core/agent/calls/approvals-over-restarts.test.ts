import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { ScriptedCall } from '../../ports/model-client.testkit.ts'
import { lastResults, turnOf } from '../../ports/model-client.testkit.ts'
import { repeats, testSeed, timeLimit } from '../../ports/test-size.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'

/**
 * A turn with several calls that ask. A person decides on one after the other, in any order, and the app is closed or
 * killed in between as often as chance wants it.
 */
const approvals = repeats(120, 5_000)

interface Plan {
  readonly answer: 'approve' | 'edit' | 'reject'
  readonly tool: 'execute' | 'write_file'
  readonly order: number
  /** What happens to the app before the decision. */
  readonly before: 'nothing' | 'restart' | 'crash'
}

const turns: fc.Arbitrary<readonly Plan[]> = fc.array(
  fc.record({
    answer: fc.constantFrom('approve', 'edit', 'reject'),
    tool: fc.constantFrom('execute', 'write_file'),
    order: fc.nat(),
    before: fc.constantFrom('nothing', 'restart', 'crash'),
  }),
  { minLength: 1, maxLength: 6 },
)

const idOf = (index: number) => `c${index}` as ToolCallId

function callOf({ tool }: Plan, index: number): ScriptedCall {
  const input =
    tool === 'execute' ? { command: `echo shown >> ${index}.txt` } : { file_path: `/${index}.txt`, content: 'shown\n' }
  return { name: tool, id: idOf(index), input }
}

function decisionOn(plan: Plan, index: number): Decision {
  const { input } = callOf(plan, index)
  if (plan.answer !== 'edit') return { callId: idOf(index), type: plan.answer }
  const args = plan.tool === 'execute' ? { command: `echo edited >> ${index}.txt` } : { ...input, content: 'edited\n' }
  return { callId: idOf(index), type: 'edit', args }
}

const asked = (world: AgentWorld) => world.waiting().interrupts.map(({ id, action_requests }) => [id, action_requests])

it(
  `${approvals} approvals over restarts: each call runs once and as it was decided, or never`,
  async () => {
    const seed = testSeed()
    let decided = 0
    for (const plan of fc.sample(turns, { numRuns: approvals, seed })) {
      if (decided >= approvals) break
      decided += plan.length
      await expectAsDecided(plan, `seed ${seed}: ${JSON.stringify(plan)}`)
    }
    expect(decided).toBeGreaterThanOrEqual(approvals)
  },
  timeLimit(120_000),
)

async function expectAsDecided(plan: readonly Plan[], about: string): Promise<void> {
  const calls = plan.map(callOf)
  let world = await openWorld({
    files: { '/a.txt': 'plain\n' },
    script: (request) => (turnOf(request) === 0 ? { calls } : { text: [...lastResults(request).values()].join('|') }),
  })
  const id = await world.run('main', 'ask')
  const inOrder = plan.map((one, index) => ({ ...one, index })).sort((a, b) => a.order - b.order)
  for (const one of inOrder) {
    const before = asked(world)
    if (one.before !== 'nothing') {
      world = one.before === 'restart' ? await world.restart() : await world.crash()
      expect(asked(world), `${about}: what is asked stays the same`).toEqual(before)
    }
    await world.decide(decisionOn(one, one.index))
  }
  const files = await world.files(id)
  const wanted = { approve: 'shown\n', edit: 'edited\n', reject: undefined }
  expect(
    plan.map((_, index) => files[`/${index}.txt`]),
    about,
  ).toEqual(plan.map(({ answer }) => wanted[answer]))
  expect(world.thread(id).status, about).toBe('done')
  const started = world.entries('tool.started').map(({ callId, input }) => JSON.stringify([callId, input]))
  const due = plan.flatMap((one, index) => {
    const decision = decisionOn(one, index)
    if (decision.type === 'reject') return []
    return [JSON.stringify([idOf(index), decision.type === 'edit' ? decision.args : calls[index]?.input])]
  })
  expect(started.sort(), about).toEqual(due.sort())
}
