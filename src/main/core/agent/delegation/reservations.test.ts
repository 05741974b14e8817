import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { tokensOf, type Usage } from '#shared/model/models/usage.ts'
import { type ModelScript, taskOf } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { type Budget, type Budgets, unlimited } from '../types/settings.ts'

/** US dollars: one for a million tokens of input, five for a million of output. */
const costOf = (_: string, tokens: Pick<Usage, 'inputTokens' | 'cacheWriteTokens' | 'outputTokens'>) =>
  (tokens.inputTokens + tokens.cacheWriteTokens + 5 * tokens.outputTokens) / 1_000_000

const limits = (given: Partial<Record<keyof Budgets, Partial<Budget>>>): Budgets => ({
  run: { ...unlimited, ...given.run },
  thread: { ...unlimited, ...given.thread },
  batch: { ...unlimited, ...given.batch },
  subagent: { ...unlimited, ...given.subagent },
})

/** Subagents that all ask at once. Each reply uses a share of what it may, and as long as it likes. */
async function runMany(budgets: Budgets, count: number, share: (call: number) => number, isBatch: boolean) {
  const tasks = Array.from({ length: count }, (_, at) => `task ${at}`)
  let call = 0
  const script: ModelScript = (request) => {
    call += 1
    const outputTokens = Math.floor(request.maxTokens * share(call))
    const usage = {
      inputTokens: 100,
      outputTokens,
      cost: costOf('', { inputTokens: 100, cacheWriteTokens: 0, outputTokens }),
    }
    const isFirst = taskOf(request) === 'main' && request.messages.length === 1
    if (!isFirst) return { calls: taskOf(request) === 'main' ? [] : [{ name: 'ls', input: {} }], text: 'x', usage }
    const spawn = { name: isBatch ? 'batch_task' : 'spawn_subagents', input: { tasks } }
    return { calls: [spawn], usage }
  }
  const world = await openWorld({ script, costOf, settings: { budgets, maxTokens: 8_000, maxSubagentIterations: 3 } })
  const id = await world.run('main')
  const all = [world.thread(id), ...world.children(id)]
  return {
    world,
    id,
    all,
    sum: (count: (usage: Usage) => number) => all.reduce((whole, one) => whole + count(one.usage), 0),
  }
}

/** Mutation: when `reserve` gives every request its room at once, the sums are several times the limits. */
describe('calls that run at once', () => {
  const share = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 })

  it('spend no more together than a limit says', async () => {
    await fc.assert(
      fc.asyncProperty(
        share,
        fc.integer({ min: 2, max: 12 }),
        fc.constantFrom('run', 'thread') as fc.Arbitrary<'run' | 'thread'>,
        fc.constantFrom<Partial<Budget>>({ cost: 0.15 }, { tokens: 40_000 }, { modelCalls: 7 }),
        fc.boolean(),
        async (shares, count, of, budget, isBatch) => {
          const { sum } = await runMany(limits({ [of]: budget }), count, (call) => shares[call % 5] ?? 0, isBatch)
          expect(sum(({ cost }) => cost ?? 0)).toBeLessThanOrEqual(budget.cost ?? Number.POSITIVE_INFINITY)
          expect(sum(tokensOf)).toBeLessThanOrEqual(budget.tokens ?? Number.POSITIVE_INFINITY)
          expect(sum(({ modelCalls }) => modelCalls)).toBeLessThanOrEqual(budget.modelCalls ?? Number.POSITIVE_INFINITY)
        },
      ),
      { numRuns: 15 },
    )
  })

  it('of a batch spend no more than its limit, and each subagent no more than its own', async () => {
    const budgets = limits({ batch: { modelCalls: 9 }, subagent: { tokens: 20_000 } })
    const { world, id } = await runMany(budgets, 8, () => 0.9, true)
    const children = world.children(id)
    expect(children.reduce((whole, { usage }) => whole + usage.modelCalls, 0)).toBe(9)
    expect(children.every(({ usage }) => tokensOf(usage) <= 20_000)).toBe(true)
  })

  it('wait for each other near a limit, and all of them go on when they cost less than they might', async () => {
    const { all } = await runMany(limits({ run: { tokens: 60_000 } }), 6, () => 0.01, false)
    // A subagent ends by its number of replies.
    expect(all.filter(({ end }) => end?.message.includes('budget of this'))).toEqual([])
    expect(all).toHaveLength(7)
  })
})

it('the last reply before a limit is shorter, and a reply that is cut for it ends by the limit', async () => {
  const script: ModelScript = ({ maxTokens }) => ({
    text: 'x',
    usage: { outputTokens: maxTokens },
    stopReason: 'max_tokens',
  })
  const world = await openWorld({
    script,
    settings: { budgets: limits({ run: { tokens: 20_000 } }), maxTokens: 32_000 },
  })
  const id = await world.run('main')
  expect(world.requests[0]?.maxTokens).toBeLessThan(20_000)
  expect(world.thread(id as ThreadId).end).toMatchObject({ status: 'stopped', reason: 'budget' })
})

it('a limit without room for any reply ends the run before it asks', async () => {
  const world = await openWorld({
    script: () => ({ text: 'x' }),
    settings: { budgets: limits({ run: { tokens: 500 } }) },
  })
  const id = await world.run('main')
  expect([world.requests.length, world.thread(id).end?.reason]).toEqual([0, 'budget'])
  expect(world.thread(id).end?.message).toContain('the rest of the budget of this run (500 tokens) is too small')
})
