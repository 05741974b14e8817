import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LayeredMap } from '#shared/base/layered-map.ts'
import { noUsage, type Usage } from '#shared/model/models/usage.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { byTask, type ModelScript, taskOf } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { type Budget, type defaultBudgets, unlimited } from '../types/settings.ts'
import { spentBudget } from './budgets.ts'

const ls = { name: 'ls', input: {} }
/** Each reply costs ten cents and a hundred thousand tokens. */
const usage: Partial<Usage> = { inputTokens: 100_000, cost: 0.1 }
const forever: ModelScript = () => ({ calls: [ls], usage })
const budgets = (given: Partial<Record<keyof typeof defaultBudgets, Partial<Budget>>>) => {
  const free = { run: unlimited, thread: unlimited, batch: unlimited, subagent: unlimited }
  const limited = Object.entries(given).map(([of, budget]) => [of, { ...unlimited, ...budget }])
  return { budgets: { ...free, ...Object.fromEntries(limited) } as typeof defaultBudgets }
}

describe('a budget', () => {
  it.each<[Partial<Budget>, number, string]>([
    [{ cost: 0.25 }, 3, '$0.25'],
    [{ tokens: 250_000 }, 3, '250000 tokens'],
    [{ modelCalls: 2 }, 2, '2 model calls'],
  ])('of a run of %j ends it before the request that it does not cover', async (budget, requests, words) => {
    const world = await openWorld({ script: forever, settings: budgets({ run: budget }) })
    const id = await world.run('main')
    expect(world.thread(id).end).toMatchObject({ status: 'stopped', reason: 'budget' })
    expect(world.thread(id).end?.message).toContain(`the budget of this run is spent (${words})`)
    expect(world.requests).toHaveLength(requests)
  })

  it('of a run is new with every run and announced at its start', async () => {
    const world = await openWorld({ script: forever, settings: budgets({ run: { cost: 0.25 } }) })
    const id = await world.run('main')
    expect(world.thread(id).costLimit).toBe(0.25)
    await world.say(id, 'go on')
    expect(world.requests).toHaveLength(6)
  })

  it('of a thread is not renewed', async () => {
    const world = await openWorld({ script: forever, settings: budgets({ thread: { tokens: 250_000 } }) })
    const id = await world.run('main')
    await world.say(id, 'go on')
    expect(world.requests).toHaveLength(3)
    expect(world.thread(id).end?.message).toContain('the budget of this thread is spent (250000 tokens)')
  })

  it('of minutes counts the time of the run, not of the replies', async () => {
    const world = await openWorld({
      script(_, { count }) {
        world.services.clock.advance(count < 2 ? 60_000 : 0)
        return { calls: [ls] }
      },
      settings: budgets({ run: { minutes: 2 } }),
    })
    const id = await world.run('main')
    expect(world.requests).toHaveLength(2)
    expect(world.thread(id).end?.message).toContain('(2 minutes)')
  })

  it('of money does not stop a model of unknown price, and the other budgets do', async () => {
    const unknown: ModelScript = () => ({ calls: [ls], usage: { cost: null } })
    const world = await openWorld({ script: unknown, settings: budgets({ run: { cost: 0.01, modelCalls: 5 } }) })
    const id = await world.run('main')
    expect([world.requests.length, world.thread(id).end?.message]).toEqual([
      5,
      expect.stringContaining('(5 model calls)'),
    ])
  })

  it('with a limit of zero prevents every request', async () => {
    const world = await openWorld({ script: forever, settings: budgets({ run: { modelCalls: 0 } }) })
    const id = await world.run('main')
    expect([world.requests.length, world.thread(id).end?.reason]).toEqual([0, 'budget'])
  })

  it('of a subagent stops only that subagent, and its usage counts for the run', async () => {
    const script: ModelScript = (request, seen) => {
      if (taskOf(request).startsWith('child')) return forever(request, seen)
      return seen.count === 0
        ? { calls: [{ name: 'spawn_subagents', input: { tasks: ['child'] } }], usage }
        : { text: 'Done.', usage }
    }
    const world = await openWorld({
      script,
      settings: budgets({ subagent: { modelCalls: 2 }, run: { modelCalls: 4 } }),
    })
    const id = await world.run('main')
    const [child] = world.children(id)
    expect(child?.end).toMatchObject({ status: 'stopped', reason: 'budget' })
    expect([child?.usage.modelCalls, world.thread(id).status]).toEqual([2, 'done'])
  })

  it('of a run stops the subagents that spend it, and then the run itself', async () => {
    const script: ModelScript = (request, seen) => {
      if (taskOf(request).startsWith('child')) return forever(request, seen)
      return seen.count === 0
        ? { calls: [{ name: 'spawn_subagents', input: { tasks: ['child 1', 'child 2'] } }], usage }
        : { text: 'Done.' }
    }
    const world = await openWorld({ script, settings: budgets({ run: { modelCalls: 5 } }) })
    const id = await world.run('main')
    expect(world.children(id).map(({ end }) => end?.reason)).toEqual(['budget', 'budget'])
    expect(world.thread(id).end).toMatchObject({ status: 'stopped', reason: 'budget' })
    expect(world.requests.length).toBeLessThanOrEqual(6)
  })

  it('ends a subagent after its own number of replies', async () => {
    const script: ModelScript = (request, seen) =>
      taskOf(request) === 'main'
        ? byTask({ main: [{ calls: [{ name: 'task', id: 't', input: { description: 'child' } }] }] })(request, seen)
        : forever(request, seen)
    const world = await openWorld({ script, settings: { maxSubagentIterations: 3, maxIterations: 100 } })
    const id = await world.run('main')
    expect(world.children(id)[0]).toMatchObject({ iterations: 4, end: { reason: 'budget' } })
    expect(world.outcomes(id)).toEqual({ t: 'error' })
    expect(world.thread(id).status).toBe('done')
  })
})

describe('spent budgets', () => {
  const limit = fc.option(fc.integer({ min: 0, max: 10 }), { nil: null })
  const budget = fc.record({ cost: limit, tokens: limit, modelCalls: limit, minutes: limit })
  const used = fc.record({
    cost: fc.option(fc.integer({ min: 0, max: 10 }), { nil: null }),
    inputTokens: fc.nat(10),
    modelCalls: fc.nat(10),
    minutes: fc.nat(10),
  })

  /** A project with one thread that has used this much in its run. */
  function projectOf(spent: Usage): ProjectState {
    const thread = { id: 't', parent: null, usage: spent, runStartedAt: 0 } as unknown as ThreadState
    return {
      ...emptyProject,
      threads: LayeredMap.empty<ThreadState['id'], ThreadState>().with(thread.id, thread),
      spending: LayeredMap.empty<ThreadState['id'], never>().with(thread.id, { run: spent, ever: spent } as never),
    }
  }

  it('are spent exactly when a limit is reached, and the reason names it', () => {
    const property = fc.property(budget, used, ({ ...limits }, { minutes, ...spent }) => {
      const usage = { ...noUsage, ...spent }
      const state = projectOf(usage)
      const [thread] = state.threads.values()
      const all = { run: limits, thread: unlimited, batch: unlimited, subagent: unlimited }
      const said = spentBudget(
        state,
        thread as ThreadState,
        { budgets: all, unknownPrice: { input: 0, output: 0 } },
        minutes * 60_000,
      )
      const reached = [
        [spent.cost ?? 0, limits.cost],
        [spent.inputTokens, limits.tokens],
        [spent.modelCalls, limits.modelCalls],
        [minutes, limits.minutes],
      ].some(([is, most]) => is !== null && most !== null && is !== undefined && most !== undefined && is >= most)
      expect(said !== undefined).toBe(reached)
      if (said !== undefined) expect(said).toMatch(/^Stopped: the budget of this run is spent \((\$|\d)/)
    })
    fc.assert(property, { numRuns: 500 })
  })
})
