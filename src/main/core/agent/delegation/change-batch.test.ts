import { describe, expect, it } from 'vitest'
import type { Call } from '#shared/model/calls/call.ts'
import { answerOfRow, batchRows } from '#shared/model/derived/batch.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { lastResults, type ModelScript, taskOf, turnOf } from '../../ports/model-client.testkit.ts'
import type { ServicesOptions } from '../agent-services.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'
import { unlimited } from '../types/settings.ts'
import { spentBatchBudget } from './budgets.ts'

const next = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A batch whose tasks end when the test says so. */
async function openBatch(tasks: readonly string[], options: ServicesOptions = {}) {
  const gates = new Map<string, () => void>()
  const begun: string[] = []
  let [atOnce, most] = [0, 0]
  const script: ModelScript = (request) => {
    const task = taskOf(request)
    if (task === 'main')
      return turnOf(request) === 0
        ? { calls: [{ name: 'batch_task', id: 'batch', input: { tasks: [...tasks] } }] }
        : { text: [...lastResults(request).values()].join('\n') }
    const { promise, resolve } = Promise.withResolvers<void>()
    begun.push(task)
    atOnce += 1
    most = Math.max(most, atOnce)
    gates.set(task, () => {
      atOnce -= 1
      resolve()
    })
    return { text: `${task}: done`, until: promise, usage: { cost: 1 } }
  }
  const world = await openWorld({ ...options, script })
  const id = world.begin('main')
  const call = (of: AgentWorld) => of.thread(id).calls.get('batch' as never) as Call
  return {
    ...{ world, id, begun, call },
    most: () => most,
    atOnce: () => atOnce,
    async until(count: number) {
      while (begun.length < count) await next()
    },
    async end(task: string) {
      while (!gates.has(task)) await next()
      gates.get(task)?.()
      gates.delete(task)
      for (let turn = 0; turn < 20; turn += 1) await next()
    },
    change: (wish: Parameters<AgentWorld['runtime']['changeBatch']>[2], of = world) =>
      of.runtime.changeBatch(id, 'batch' as never, wish),
  }
}

const rowsOf = (world: AgentWorld, id: ThreadId) => batchRows(world.services.log.state, id, 'batch' as never)
const statuses = (world: AgentWorld, id: ThreadId) => rowsOf(world, id).map(({ status }) => status)
const tasks = ['a', 'b', 'c', 'd', 'e']

describe('a running batch that a person changes', () => {
  it('runs more at once from now on, or fewer when those that run have ended', async () => {
    const batch = await openBatch(tasks, { settings: { batchConcurrency: 3 } })
    await batch.until(3)
    batch.change({ concurrency: 1 })
    expect(batch.atOnce()).toBe(3)
    await batch.end('a')
    await batch.end('b')
    expect([batch.begun, batch.atOnce()]).toEqual([['a', 'b', 'c'], 1])
    batch.change({ concurrency: 2 })
    await batch.until(4)
    expect(batch.atOnce()).toBe(2)
    for (const task of ['c', 'd', 'e']) await batch.end(task)
    await batch.world.whenIdle(batch.id)
    expect([statuses(batch.world, batch.id), batch.most()]).toEqual([tasks.map(() => 'ok'), 3])
  })

  it('never runs more at once than the settings allow, also when they are narrowed meanwhile', async () => {
    const batch = await openBatch(tasks, { settings: { batchConcurrency: 2 } })
    await batch.until(2)
    expect(() => batch.change({ concurrency: 3 })).toThrow('Your settings allow 2 at once (batch_concurrency).')
    for (const task of tasks) await batch.end(task)
    await batch.world.whenIdle(batch.id)
    expect(batch.most()).toBe(2)
  })

  it('starts nothing more once it has cost what it may, and goes on when it may cost more', async () => {
    const batch = await openBatch(tasks, { settings: { batchConcurrency: 2 } })
    await batch.until(2)
    await batch.end('a')
    await batch.until(3)
    batch.change({ cost: 1 })
    await batch.end('b')
    expect(batch.begun).toEqual(['a', 'b', 'c'])
    batch.change({ cost: 100 })
    await batch.until(4)
    batch.change({ cost: 1 })
    await batch.end('c')
    await batch.end('d')
    await batch.world.whenIdle(batch.id)
    expect(statuses(batch.world, batch.id)).toEqual(['ok', 'ok', 'ok', 'ok', 'skipped'])
    expect(batch.world.answer(batch.id)).toContain('"skipped":1')
  })

  it('may not cost more than the settings allow, and a retry begins with that limit again', async () => {
    const budgets = { run: unlimited, thread: unlimited, subagent: unlimited, batch: { ...unlimited, cost: 2.5 } }
    const batch = await openBatch(['a', 'b'], { settings: { batchConcurrency: 1, budgets } })
    await batch.until(1)
    expect(() => batch.change({ cost: 3 })).toThrow('Your settings allow $2.50 for a batch (budgets.batch.cost).')
    batch.change({ cost: 0.5 })
    await batch.end('a')
    await batch.world.whenIdle(batch.id)
    expect(statuses(batch.world, batch.id)).toEqual(['ok', 'skipped'])
    const call = { threadId: batch.id, callId: 'batch' as ToolCallId }
    const spent = spentBatchBudget(batch.world.services.log.state, call, { budgets, unknownPrice: 'refuse' }, 0)
    expect(spent).toContain('Raise its price on its screen')
    batch.world.runtime.retryBatch(batch.id, 'batch' as never)
    await batch.end('b')
    await batch.world.whenIdle(batch.id)
    expect(statuses(batch.world, batch.id)).toEqual(['ok', 'ok'])
  })

  it('gets more tasks and drops some that have not started, each with a row', async () => {
    const batch = await openBatch(tasks, { settings: { batchConcurrency: 1 } })
    await batch.until(1)
    batch.change({ add: [{ description: 'f' }, { description: 'x', type: 'wizard' }], drop: [1, 3] })
    expect(() => batch.change({ drop: [0] })).toThrow('Task 1 has started or ended already')
    expect(() => batch.change({ drop: [1] })).toThrow('Task 2 has started or ended already')
    for (const task of ['a', 'c', 'e', 'f']) await batch.end(task)
    await batch.world.whenIdle(batch.id)
    expect(batch.begun).toEqual(['a', 'c', 'e', 'f'])
    const rows = rowsOf(batch.world, batch.id)
    expect(rows.map(({ id, status }) => `${id} ${status}`)).toEqual([
      ...['0 ok', '1 cancelled', '2 ok', '3 cancelled', '4 ok', '5 ok', '6 failed'],
    ])
    expect(rows.slice(1, 2).map(answerOfRow)).toEqual(['Not started: the user dropped it.'])
    expect(batch.world.answer(batch.id)).toContain('"tasks":7,"ok":4,"failed":1,"skipped":0,"cancelled":2')
    expect(() => batch.change({ concurrency: 1 })).toThrow('The batch has ended')
  })

  it('ends when all that has not started is dropped', async () => {
    const batch = await openBatch(tasks, { settings: { batchConcurrency: 2 } })
    await batch.until(2)
    batch.change({ drop: 'queued' })
    // A second window asks for the same, and for nothing.
    batch.change({ drop: 'queued' })
    batch.change({ add: [], drop: [] })
    expect(batch.call(batch.world).batch?.changes).toMatchObject([{ drop: [2, 3, 4] }])
    await batch.end('a')
    await batch.end('b')
    await batch.world.whenIdle(batch.id)
    expect(statuses(batch.world, batch.id)).toEqual(['ok', 'ok', 'cancelled', 'cancelled', 'cancelled'])
  })

  it('keeps its changes over a crash, with when they were made', async () => {
    const batch = await openBatch(tasks, { settings: { batchConcurrency: 3 } })
    await batch.until(3)
    batch.change({ concurrency: 1, cost: 9 })
    batch.change({ add: [{ description: 'f' }], drop: [4] })
    const again = await batch.world.crash()
    again.runtime.resume(batch.id)
    await batch.until(4)
    for (const task of ['a', 'b', 'c', 'd', 'f']) await batch.end(task)
    await again.whenIdle(batch.id)
    expect(statuses(again, batch.id)).toEqual(['ok', 'ok', 'ok', 'ok', 'cancelled', 'ok'])
    const made = { at: expect.any(Number), sequence: expect.any(Number) }
    expect(batch.call(again).batch?.changes).toEqual([
      { ...made, concurrency: 1, cost: 9 },
      { ...made, add: [{ description: 'f' }], drop: [4] },
    ])
  })
})
