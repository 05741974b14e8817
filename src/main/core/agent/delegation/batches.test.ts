import { describe, expect, it } from 'vitest'
import type { Call } from '#shared/model/calls/call.ts'
import { type BatchRow, batchRows } from '#shared/model/derived/batch.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { noRules } from '../../approval/rules.ts'
import { lastResults, type ModelScript, type ScriptedCall, taskOf, turnOf } from '../../ports/model-client.testkit.ts'
import type { ServicesOptions } from '../agent-services.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'
import { unlimited } from '../types/settings.ts'

const tasks = (count: number) => Array.from({ length: count }, (_, index) => `task ${index}`)
const batch = (count: number): ScriptedCall => ({ name: 'batch_task', id: 'batch', input: { tasks: tasks(count) } })
const refused = { fault: { afterEvents: 0, with: 'bad_request' } } as const

const writes: ModelScript = (request) => {
  const task = taskOf(request)
  return turnOf(request) === 0
    ? { calls: [{ name: 'write_file', input: { file_path: `/${task.replace(' ', '-')}.txt`, content: task } }] }
    : { text: `${task} is done` }
}
const says: ModelScript = (request) => ({ text: `${taskOf(request)}: done` })

/** The main agent makes one call and then repeats its results. */
const main =
  (call: ScriptedCall, subagent: ModelScript): ModelScript =>
  (request, seen) => {
    if (taskOf(request) !== 'main') return subagent(request, seen)
    return turnOf(request) === 0 ? { calls: [call] } : { text: [...lastResults(request).values()].join('\n') }
  }
const open = (call: ScriptedCall, subagent: ModelScript, options: ServicesOptions = {}) =>
  openWorld({ ...options, script: main(call, subagent) })

function batchIn(world: AgentWorld, id: ThreadId): Call {
  const call = [...world.thread(id).calls.values()].find((one) => one.batch !== null)
  if (!call) throw new Error('no batch')
  return call
}
const rowsIn = (world: AgentWorld, id: ThreadId): readonly BatchRow[] =>
  batchRows(world.services.log.state, id, batchIn(world, id).callId)
const statuses = (world: AgentWorld, id: ThreadId) => rowsIn(world, id).map(({ status }) => status)
const resultLines = (world: AgentWorld, id: ThreadId, name: 'results' | 'failures') =>
  world
    .scratch(id, `${batchIn(world, id).batch?.folder}${name}.jsonl`)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const requestsOf = (world: AgentWorld, task: string) =>
  world.requests.filter((request) => taskOf(request) === task).length
const allowed = {
  policy: { interruptOn: new Map(), commands: 'before' as const, rules: { ...noRules, allow: ['execute'] } },
}

describe('a batch', () => {
  it('gives one row per task, in order, each on its own branch, and a summary to the model', async () => {
    const world = await open(batch(12), (request, seen) =>
      taskOf(request) === 'task 5' ? refused : writes(request, seen),
    )
    const id = await world.run('main')
    const lines = resultLines(world, id, 'results')
    expect(lines.map(({ index, status }) => `${index} ${status}`)).toEqual(
      tasks(12).map((_, index) => `${index} ${index === 5 ? 'failed' : 'ok'}`),
    )
    expect(lines[7]).toEqual({
      index: 7,
      id: '7',
      type: 'general-purpose',
      description: 'task 7',
      status: 'ok',
      result: 'task 7 is done',
      handle: 'subagent_7',
      diff: { written: [{ path: '/task-7.txt', kind: 'create', size: 6 }], deleted: [], renamed: [] },
      usage: expect.objectContaining({ modelCalls: 2 }),
      duration_ms: 0,
    })
    expect(resultLines(world, id, 'failures')).toEqual([lines[5]])
    expect(JSON.parse(world.results(id).batch ?? '')).toMatchObject({
      tasks: 12,
      ok: 11,
      failed: 1,
      skipped: 0,
      cancelled: 0,
      changed_paths: 11,
      failures: [{ index: 5, id: '5', status: 'failed', handle: 'subagent_5' }],
    })
    expect(world.answer(id)).not.toContain('task 7 is done')
    expect(batchIn(world, id).batch?.folder).toMatch(/^\/batch_results\/\d{8}T\d{6}Z\/$/)
    expect(await world.files(id), 'nothing merges by itself, and result files are no changes').toEqual({})
  })

  it('works on as many tasks at once as the setting allows, and starts the next when one ends', async () => {
    let running = 0
    let most = 0
    const world = await open(
      batch(9),
      () => {
        running += 1
        most = Math.max(most, running)
        return { text: 'done', until: Promise.resolve().then(() => (running -= 1)) }
      },
      { settings: { batchConcurrency: 3 } },
    )
    const id = await world.run('main')
    expect([most, statuses(world, id)]).toEqual([3, tasks(9).map(() => 'ok')])
  })

  it.each([
    [20, 0],
    [21, 1],
  ])('of %i tasks asks %i times, even in Auto', async (count, asked) => {
    const world = await open(batch(count), says, { usualCost: 0.5 })
    const id = await world.run('main', 'auto')
    const { interrupts } = world.thread(id)
    expect(interrupts).toHaveLength(asked)
    if (asked === 0) return
    expect(interrupts[0]?.action_requests[0]?.rule).toBe('a batch of 21 tasks (21 × general-purpose), about $10.50')
    await world.approve('batch')
    expect(statuses(world, id)).toEqual(tasks(21).map(() => 'ok'))
  })

  it('estimates its cost from the cost of earlier subagents', async () => {
    const paid: ModelScript = (request) => {
      if (taskOf(request) !== 'main') return { text: 'done', usage: { cost: 0.1 } }
      return turnOf(request) === 0 ? { calls: [{ ...batch(2), id: 'first' }] } : { calls: [batch(30)] }
    }
    const world = await openWorld({ script: paid })
    const id = await world.run('main', 'auto')
    expect(world.thread(id).interrupts[0]?.action_requests[0]?.rule).toContain('about $3.00')
  })

  it('that is rejected starts nothing', async () => {
    const world = await open(batch(21), says)
    const id = await world.run('main')
    await world.decide({ callId: 'batch' as ToolCallId, type: 'reject', message: 'no' })
    expect([world.services.log.state.threads.size, world.thread(id).status]).toEqual([1, 'done'])
  })

  it('continues while one task waits for a person, and is quiet when only that one is left', async () => {
    const world = await open(
      batch(8),
      (request, seen) =>
        taskOf(request) === 'task 0' && turnOf(request) === 0
          ? { calls: [{ name: 'execute', id: 'cmd', input: { command: 'true' } }] }
          : writes(request, seen),
      { settings: { batchConcurrency: 2 } },
    )
    const id = await world.run('main')
    expect(statuses(world, id)).toEqual(['needs_you', ...tasks(7).map(() => 'ok')])
    await world.approve('cmd')
    await world.whenIdle(id)
    expect([statuses(world, id)[0], world.thread(id).status]).toEqual(['ok', 'done'])
  })

  it('that is stopped has a row for each task: ended, cut off or never begun', async () => {
    const world = await open(
      batch(8),
      (request) => (taskOf(request) === 'task 0' ? { text: 'done' } : { until: new Promise(() => {}) }),
      {
        settings: { batchConcurrency: 3 },
      },
    )
    const id = world.begin('main')
    while (world.requests.length < 5) await Promise.resolve()
    await world.runtime.halt(id)
    const expected = tasks(8).map((_, index) => (index === 0 ? 'ok' : 'cancelled'))
    expect([world.thread(id).status, statuses(world, id)]).toEqual(['stopped', expected])
    const lines = resultLines(world, id, 'results')
    expect(lines.map(({ status }) => status)).toEqual(expected)
    expect([lines[1].error, lines[7].error]).toEqual(['Stopped.', 'Not started: the batch was stopped before.'])
  })

  it('that a person stops on its own ends only its tasks, and the agent goes on and knows it', async () => {
    const world = await open(
      batch(4),
      (request) => (taskOf(request) === 'task 0' ? { text: 'done' } : { until: new Promise(() => {}) }),
      { settings: { batchConcurrency: 2 } },
    )
    const id = world.begin('main')
    while (world.requests.length < 4) await Promise.resolve()
    world.runtime.stopBatch(id, batchIn(world, id).callId)
    await world.whenIdle(id)
    expect([world.thread(id).status, statuses(world, id)]).toEqual(['done', ['ok', ...tasks(3).map(() => 'cancelled')]])
    expect(world.outcomes(id).batch).toBe('cancelled')
    expect(world.answer(id)).toMatch(/The user stopped this batch\..*"cancelled":3/s)
    const [, second] = resultLines(world, id, 'results')
    expect(second.error).toBe('Stopped.')
  })

  it('that has ended already is not stopped, and neither is its agent', async () => {
    const world = await open(batch(1), (request) =>
      taskOf(request) === 'task 0' ? { text: 'done' } : { until: new Promise(() => {}) },
    )
    const id = world.begin('main')
    while (world.requests.length < 2) await Promise.resolve()
    while (world.outcomes(id).batch === undefined) await Promise.resolve()
    world.runtime.stopBatch(id, batchIn(world, id).callId)
    expect(world.outcomes(id).batch).toBe('ok')
    expect(world.thread(id).status).toBe('working')
    await world.runtime.halt(id)
  })

  it('of another thread goes on when one with the same call id is stopped', async () => {
    const world = await open(batch(2), () => ({ until: new Promise(() => {}) }))
    const [one, other] = [world.begin('main'), world.begin('main')]
    while (world.requests.length < 6) await Promise.resolve()
    world.runtime.stopBatch(one, batchIn(world, one).callId)
    await world.whenIdle(one)
    expect(statuses(world, one)).toEqual(['cancelled', 'cancelled'])
    expect(statuses(world, other)).toEqual(['working', 'working'])
    await world.runtime.halt(other)
  })

  it.each(['run', 'batch'] as const)(
    'that spends the budget of its %s ends cleanly: running tasks fail, the rest are skipped',
    async (kind) => {
      const modelCalls = kind === 'run' ? 4 : 3
      const budgets = {
        run: unlimited,
        thread: unlimited,
        batch: unlimited,
        subagent: unlimited,
        [kind]: { ...unlimited, modelCalls },
      }
      const world = await open(batch(10), writes, { settings: { batchConcurrency: 1, budgets } })
      const id = await world.run('main')
      const lines = resultLines(world, id, 'results')
      expect(lines.map(({ status }) => status)).toEqual(['ok', 'failed', ...tasks(8).map(() => 'skipped')])
      expect([lines[1].error, lines[9].error]).toEqual([
        expect.stringContaining(`the budget of this ${kind} is spent (${modelCalls} model calls)`),
        'Not started: a budget was spent before.',
      ])
      expect(world.thread(id).end).toMatchObject(
        kind === 'run' ? { status: 'stopped', reason: 'budget' } : { status: 'done' },
      )
    },
  )

  it('that was killed continues in the same result folder and repeats no finished task', async () => {
    const world = await open(batch(18), writes, { settings: { batchConcurrency: 4 } })
    let commits = 0
    const killed = Promise.withResolvers<void>()
    world.failStore(() => {
      commits += 1
      if (commits >= 60) killed.resolve()
      return commits >= 60
    })
    const id = world.begin('main')
    await killed.promise
    const again = await world.crash()
    const finished = rowsIn(again, id)
      .filter(({ status }) => status === 'ok')
      .map(({ description }) => description)
    expect(finished.length).toBeGreaterThan(0)
    expect(finished.length).toBeLessThan(18)
    const { folder } = batchIn(again, id).batch ?? {}
    again.runtime.resume(id)
    await again.whenIdle(id)
    expect(finished.map((task) => requestsOf(again, task))).toEqual(finished.map(() => 0))
    const lines = resultLines(again, id, 'results')
    expect(lines.map(({ index, status, diff }) => [index, status, diff.written[0]?.path])).toEqual(
      tasks(18).map((_, index) => [index, 'ok', `/task-${index}.txt`]),
    )
    expect(new Set(lines.map(({ handle }) => handle)).size).toBe(18)
    expect(batchIn(again, id).batch?.folder).toBe(folder)
  })

  it('keeps its results apart from those of another batch of the same second', async () => {
    const twice: ModelScript = (request, seen) => {
      if (taskOf(request) !== 'main') return says(request, seen)
      return turnOf(request) < 2 ? { calls: [{ ...batch(2), id: `b${turnOf(request)}` }] } : { text: 'Done.' }
    }
    const world = await openWorld({ script: twice })
    const id = await world.run('main')
    const folders = [...world.thread(id).calls.values()].map((call) => call.batch?.folder)
    expect(folders[1]).toBe(`${folders[0]?.slice(0, -1)}-1/`)
  })

  it('reports its progress, and its completion at the end', async () => {
    const world = await open(
      batch(3),
      (request) => {
        world.services.clock.advance(1000)
        return taskOf(request) === 'task 1' ? refused : { text: 'done', usage: { cost: 0.5 } }
      },
      { settings: { batchConcurrency: 1 } },
    )
    await world.run('main')
    const told = world.services.live.flatMap((event) => (event.type === 'batch.progress' ? [event] : []))
    expect(told[0]).toMatchObject({ total: 3, done: 0, running: 1, perMinute: null, leftMs: null })
    expect(told.at(-1)).toMatchObject({ total: 3, done: 3, failed: 1, running: 0, perMinute: 60, leftMs: 0, cost: 1 })
  })

  it('does not count tasks as done that closing the app cut off', async () => {
    const world = await open(batch(3), (request) =>
      taskOf(request) === 'task 0' ? { text: 'done' } : { until: new Promise(() => {}) },
    )
    world.begin('main')
    while (world.requests.length < 4) await Promise.resolve()
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
    await world.runtime[Symbol.asyncDispose]()
    const told = world.services.live.flatMap((event) => (event.type === 'batch.progress' ? [event] : []))
    expect(told.at(-1)).toMatchObject({ total: 3, done: 1, failed: 0, running: 0 })
  })
})

describe('a retry', () => {
  const failing =
    (down: ReadonlySet<string>): ModelScript =>
    (request, seen) =>
      down.has(taskOf(request)) ? refused : writes(request, seen)

  it('runs only the unsuccessful tasks, replaces their rows, and tells the agent', async () => {
    const down = new Set(['task 2', 'task 5'])
    const world = await open(batch(7), failing(down))
    const id = await world.run('main')
    const { callId } = batchIn(world, id)
    down.delete('task 2')
    const before = world.requests.length
    world.runtime.retryBatch(id, callId)
    await world.whenIdle(id)
    expect(world.requests.length - before, 'two replies of task 2, one refusal of task 5').toBe(3)
    expect(resultLines(world, id, 'failures').map(({ index }) => index)).toEqual([5])
    expect(resultLines(world, id, 'results')[2]).toMatchObject({ status: 'ok', handle: 'subagent_7' })
    await world.say(id, 'and?')
    const told = JSON.stringify(world.requests.at(-1)?.messages)
    expect(told).toContain('run again')
    expect(told).toContain('\\"failed\\":1')
  })

  it('continues after a restart, and is refused when there is nothing to do', async () => {
    const down = new Set(tasks(6).slice(0, 3))
    const world = await open(batch(6), failing(down))
    const id = await world.run('main')
    down.clear()
    world.runtime.retryBatch(id, batchIn(world, id).callId)
    const again = await world.restart()
    again.runtime.resume(id)
    await again.whenIdle(id)
    expect(resultLines(again, id, 'results').map(({ status }) => status)).toEqual(tasks(6).map(() => 'ok'))
    expect(() => again.runtime.retryBatch(id, batchIn(again, id).callId)).toThrow('nothing to try again')
  })

  it('of more than 20 tasks does not ask again, because a person requested it', async () => {
    const down = new Set(tasks(25))
    const world = await open(batch(25), failing(down))
    const id = await world.run('main')
    await world.approve('batch')
    down.clear()
    world.runtime.retryBatch(id, batchIn(world, id).callId)
    await world.whenIdle(id)
    expect(resultLines(world, id, 'failures')).toEqual([])
  })

  it('is refused for a call that is not a batch, and while the agent works or waits', async () => {
    const world = await open(batch(2), (request, seen) =>
      taskOf(request) === 'task 1' ? refused : says(request, seen),
    )
    const id = await world.run('main')
    const { callId } = batchIn(world, id)
    expect(() => world.runtime.retryBatch(id, 'other' as ToolCallId)).toThrow('is not a batch')
    world.runtime.send(id, [{ type: 'text', text: 'more' }], 'queue')
    expect(() => world.runtime.retryBatch(id, callId)).toThrow('The agent is working.')
    await world.whenIdle(id)
  })
})

describe('declared tasks', () => {
  const execute = (command: string): ScriptedCall => ({ name: 'execute', id: 'declaring', input: { command } })
  const runJs = (code: string): ScriptedCall => ({ name: 'run_js_code', id: 'declaring', input: { code } })
  const derived = (world: AgentWorld, id: ThreadId) =>
    [...world.thread(id).calls.values()].find(({ derivedFrom }) => derivedFrom !== null)

  it('of a command run as a batch after it has ended, and the model sees one result', async () => {
    const command =
      'echo before; for n in 1 2 3; do spawn_subagent --id "n$n" "task number $n"; done; echo after; echo more > a.txt'
    const world = await open(execute(command), says, { settings: allowed })
    const id = await world.run('main')
    expect(rowsIn(world, id).map((row) => `${row.id} ${row.status}`)).toEqual(['n1 ok', 'n2 ok', 'n3 ok'])
    const told = world.answer(id)
    expect(told).toContain('before\nafter\n')
    expect(told).toContain('wrote /a.txt. 3 tasks declared.')
    expect(told).toContain('"tasks":3,"ok":3,"failed":0')
    const own = world.thread(id).messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []))
    expect(
      own.filter(({ type }) => type === 'tool_call'),
      'no message is forged',
    ).toHaveLength(1)
    expect(derived(world, id)).toMatchObject({
      name: 'batch_task',
      derivedFrom: 'declaring',
      state: { kind: 'finished' },
    })
  })

  it('above 20 ask once more, for exactly these tasks; when rejected, none runs and the command stands', async () => {
    const world = await open(
      execute(
        'for n in 1 2 3; do for m in 1 2 3 4 5 6 7; do spawn_subagent "task $n $m"; done; done; echo x > made.txt',
      ),
      says,
      { settings: allowed },
    )
    const id = await world.run('main')
    const [interrupt] = world.thread(id).interrupts
    const callId = derived(world, id)?.callId as ToolCallId
    expect(interrupt?.action_requests).toMatchObject([{ callId, name: 'batch_task', args: { tasks: { length: 21 } } }])
    await world.decide({ callId, type: 'reject', message: 'too many' })
    expect(world.services.log.state.threads.size).toBe(1)
    expect(world.answer(id)).toContain('wrote /made.txt')
    expect(world.answer(id)).toContain('The user rejected this call, and it did not run. too many')
  })

  it('wait for a person across a restart', async () => {
    const world = await open(
      execute('for n in 1 2 3 4 5; do for m in 1 2 3 4 5; do spawn_subagent "task $n$m"; done; done'),
      says,
      { settings: allowed },
    )
    const id = await world.run('main')
    const asked = world.thread(id).interrupts
    const again = await world.restart()
    expect(again.thread(id).interrupts).toEqual(asked)
    await again.approve(derived(again, id)?.callId ?? '')
    expect([statuses(again, id), again.thread(id).status]).toEqual([tasks(25).map(() => 'ok'), 'done'])
  })

  it('of code run as a batch after it has ended', async () => {
    const world = await open(
      runJs("for (const n of [1, 2]) spawnSubagent({ id: 'c' + n, description: 'code task ' + n })\nreturn 'x'"),
      says,
    )
    const id = await world.run('main')
    expect(rowsIn(world, id).map((row) => `${row.id} ${row.status}`)).toEqual(['c1 ok', 'c2 ok'])
    expect(world.answer(id)).toContain('"tasks":2,"ok":2')
  })

  it.each([
    ['fails', "spawnSubagent({ description: 'one' }); throw new Error('boom')", 'boom'],
    ['declares something that is not a task', 'spawnSubagent({ id: "x" })', 'spawnSubagent takes { description'],
  ])('are dropped with everything else when the code %s', async (_, code, error) => {
    const world = await open(runJs(code), says)
    const id = await world.run('main')
    expect(world.results(id).declaring).toContain(error)
    expect(world.services.log.state.threads.size).toBe(1)
  })

  it('of an unknown type are refused by the batch, and the command stands', async () => {
    const world = await open(execute('spawn_subagent --type wizard "x"; echo made > made.txt'), says, {
      settings: allowed,
    })
    const id = await world.run('main')
    expect(world.answer(id)).toContain('There is no subagent type \\"wizard\\".')
    expect(await world.files(id)).toEqual({ '/made.txt': 'made\n' })
  })

  it('are not allowed to a subagent that may not start any', async () => {
    const script: ModelScript = (request) => {
      if (taskOf(request) === 'main')
        return turnOf(request) === 0
          ? { calls: [{ name: 'task', id: 't', input: { description: 'child' } }] }
          : { text: 'ok' }
      return turnOf(request) === 0 ? { calls: [execute('spawn_subagent one')] } : { text: 'ok' }
    }
    const world = await openWorld({ script, settings: allowed })
    const id = await world.run('main')
    const [child] = world.children(id)
    expect(world.results(child?.id as ThreadId).declaring).toContain('spawn_subagent: command not found')
    expect(world.services.log.state.threads.size).toBe(2)
  })
})

describe('tasks in a file', () => {
  const file = (count: number) =>
    tasks(count)
      .map((description) => JSON.stringify({ description }))
      .join('\n\n')
  const call: ScriptedCall = { name: 'batch_task', id: 'declaring', input: { tasks_file: '/tasks.jsonl' } }

  it('become a call of their own, so that a person sees what will run', async () => {
    const world = await open(call, says, { files: { '/tasks.jsonl': file(22) } })
    const id = await world.run('main')
    const [asked] = world.thread(id).interrupts[0]?.action_requests ?? []
    expect(asked).toMatchObject({ args: { tasks: { length: 22 } } })
    await world.approve(asked?.callId ?? '')
    expect(resultLines(world, id, 'results')).toHaveLength(22)
  })

  it.each([
    [`${file(2)}\n{"nonsense":"no"}`, 'line 4 is not a task'],
    ['', 'The list of tasks is empty.'],
    ['not json', 'line 1 is not a task'],
  ])('with errors are refused with their line: %j', async (text, message) => {
    const world = await open(call, says, { files: { '/tasks.jsonl': text } })
    const id = await world.run('main')
    expect(world.results(id).declaring).toContain(message)
    expect(world.services.log.state.threads.size).toBe(1)
  })
})
