import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchRows } from '#shared/model/derived/batch.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { type ModelScript, type ScriptedCall, taskOf, turnOf } from '../../ports/model-client.testkit.ts'
import type { ServicesOptions } from '../agent-services.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'

const script = (code: string): ScriptedCall => ({ name: 'run_js_code', id: 'code', input: { code } })

const main =
  (code: string, subagent: ModelScript, after: readonly ScriptedCall[] = []): ModelScript =>
  (request, seen) => {
    if (taskOf(request) !== 'main') return subagent(request, seen)
    return turnOf(request) === 0 ? { calls: [script(code), ...after] } : { text: 'main is done' }
  }

const says: ModelScript = (request) => ({ text: `${taskOf(request)}: done` })
const writes: ModelScript = (request) =>
  turnOf(request) === 0
    ? { calls: [{ name: 'write_file', input: { file_path: `/${taskOf(request)}.txt`, content: 'x' } }] }
    : { text: `${taskOf(request)} is done` }

const open = (code: string, subagent: ModelScript, options: ServicesOptions = {}) =>
  openWorld({ ...options, script: main(code, subagent) })

const valueIn = (world: AgentWorld, id: ThreadId) => JSON.parse(world.results(id).code ?? '{}').value
const derivedOf = (world: AgentWorld, id: ThreadId) =>
  [...world.thread(id).calls.values()].filter(({ derivedFrom }) => derivedFrom !== null)
const begun = (world: AgentWorld, task: string) =>
  [...world.services.log.state.threads.values()].filter(({ parent }) => parent?.task === task).length

describe('code that awaits subagents', () => {
  it('goes on with what they came to, and its own writes count once', async () => {
    const code = `
      await fs.write('/log.txt', (await fs.exists('/log.txt')) ? 'twice' : 'once')
      const [a, b] = await Promise.all([runSubagent({ description: 'a', id: 'first' }), runSubagent('b')])
      const c = await runSubagent('c after ' + a.result)
      await fs.write('/out.txt', c.result)
      return [a, b, c]`
    const world = await open(code, writes)
    const id = await world.run('main')
    expect(await world.files(id)).toEqual({ '/log.txt': 'once', '/out.txt': 'c after a is done is done' })
    const [a, b, c] = valueIn(world, id)
    expect(a).toEqual({
      ...{ id: 'first', type: 'general-purpose', status: 'ok', result: 'a is done' },
      ...{ handle: 'subagent_0', name: 'first' },
      diff: { written: [{ path: '/a.txt', kind: 'create', size: 1 }], deleted: [], renamed: [] },
    })
    expect([b.handle, c.handle]).toEqual(['subagent_1', 'subagent_2'])
    expect(derivedOf(world, id).map(({ name, derivedFrom }) => [name, derivedFrom])).toEqual([
      ['batch_task', 'code'],
      ['batch_task', 'code'],
    ])
    expect(world.results(id).code).toContain('3 subagents were waited for (subagent_0, subagent_1, subagent_2)')
    const told = world.requests.filter((request) => taskOf(request) === 'main').at(-1)
    expect(JSON.stringify(told?.messages)).not.toContain('ran as a batch')
  })

  it('reads of one that failed, is of an unknown type or was stopped, and goes on', async () => {
    const code = `const all = ['bad', { description: 'x', type: 'wizard' }, 'good'].map((task) => runSubagent(task))
      return (await Promise.all(all)).map(({ status, error, result }) => [status, error ?? result])`
    const world = await open(code, (request, seen) =>
      taskOf(request) === 'bad' ? { fault: { afterEvents: 0, with: 'bad_request' } } : says(request, seen),
    )
    const id = await world.run('main')
    expect(valueIn(world, id)).toEqual([
      ['failed', expect.any(String)],
      ['failed', expect.stringContaining('There is no subagent type "wizard"')],
      ['ok', 'good: done'],
    ])
  })

  it('is stopped with what it waits for', async () => {
    const world = await open(`await runSubagent('forever')`, () => ({ until: new Promise(() => {}) }))
    const id = world.begin('main')
    while (world.requests.length < 2) await turns(1)
    await world.runtime.halt(id)
    expect(world.children(id).map(({ status }) => status)).toEqual(['stopped'])
    expect(world.thread(id).status).toBe('stopped')
    expect([...world.thread(id).calls.values()].map(({ state }) => state.kind)).toEqual(['finished', 'finished'])
  })

  it('goes on when a person stops what it waits for', async () => {
    const code = `const [a, b] = await Promise.all([runSubagent('a'), runSubagent('forever')]); return [a.status, b.status]`
    const world = await open(code, (request, seen) =>
      taskOf(request) === 'forever' ? { until: new Promise(() => {}) } : says(request, seen),
    )
    const id = world.begin('main')
    while (world.requests.length < 3) await turns(1)
    while (world.children(id)[0]?.end === null) await turns(1)
    world.runtime.stopBatch(id, derivedOf(world, id)[0]?.callId as ToolCallId)
    await world.whenIdle(id)
    expect([valueIn(world, id), world.thread(id).status]).toEqual([['ok', 'cancelled'], 'done'])
  })

  it('asks about more than twenty together, once for each further twenty', async () => {
    const code = `for (let n = 0; n < 3; n += 1) await Promise.all(Array.from({ length: 15 }, (_, k) => runSubagent('t' + (n * 15 + k)))); return 1`
    const world = await open(code, says)
    const id = await world.run('main')
    const [, second] = derivedOf(world, id)
    expect(world.thread(id).interrupts[0]?.action_requests[0]?.rule).toContain(
      'a batch of 15 tasks (15 × general-purpose), about $0.00, after 15 that the same code has waited for',
    )
    await world.approve(second?.callId ?? '')
    const [, , third] = derivedOf(world, id)
    await world.decide({ callId: third?.callId as ToolCallId, type: 'reject', message: 'enough' })
    expect(world.thread(id).status).toBe('done')
    expect(valueIn(world, id)).toBe(1)
    expect(world.children(id)).toHaveLength(30)
  })

  // Mutation: count the tasks that a person rejected or stopped like any others.
  it.each(['rejects', 'stops'])('asks about everything further once a person %s what it waits for', async (deed) => {
    const code = `await Promise.all(Array.from({ length: 21 }, (_, n) => runSubagent('forever ' + n)))
      return (await runSubagent('more')).status`
    const world = await open(code, (request, seen) =>
      taskOf(request).startsWith('forever') ? { until: new Promise(() => {}) } : says(request, seen),
    )
    const id = await world.run('main')
    const callId = derivedOf(world, id)[0]?.callId as ToolCallId
    if (deed === 'rejects') await world.decide({ callId, type: 'reject', message: 'no' })
    else {
      const ended = world.approve(callId)
      while (begun(world, 'forever 0') === 0) await turns(1)
      world.runtime.stopBatch(id, callId)
      await ended
    }
    await world.whenIdle(id)
    expect(begun(world, 'more')).toBe(0)
    expect(world.thread(id).interrupts[0]?.action_requests[0]?.rule).toContain('a batch of 1 task')
    await world.decide({ callId: derivedOf(world, id)[1]?.callId as ToolCallId, type: 'reject', message: 'no' })
    expect([valueIn(world, id), world.thread(id).status]).toEqual(['cancelled', 'done'])
  })

  it('waits while a subagent asks a person, also over a restart', async () => {
    const asks: ModelScript = (request) =>
      turnOf(request) === 0
        ? { calls: [{ name: 'execute', id: 'cmd', input: { command: 'true' } }] }
        : { text: 'answered' }
    const world = await open(`return (await runSubagent('asks')).result`, asks)
    const id = await world.run('main')
    expect(world.waiting().parent?.task).toBe('asks')
    const again = await world.restart()
    await again.approve('cmd')
    await again.whenIdle(id)
    expect([valueIn(again, id), again.thread(id).status]).toEqual(['answered', 'done'])
  })

  it('gets the result that its first run got, although the subagent has gone on since', async () => {
    const second = Promise.withResolvers<void>()
    const world = await openWorld({
      script: main(
        `const a = await runSubagent('a'); const b = await runSubagent('b'); return [a.result, b.result]`,
        (request) =>
          taskOf(request) === 'b'
            ? { text: 'b', until: second.promise }
            : { text: `answer ${turnOf(request)} of ${taskOf(request)}` },
      ),
    })
    const id = world.begin('main')
    while (begun(world, 'b') === 0) await turns(1)
    const [a] = world.children(id)
    world.runtime.send(a?.id as ThreadId, [{ type: 'text', text: 'more' }], 'queue')
    while ((world.children(id)[0]?.messages.length ?? 0) < 4) await turns(1)
    second.resolve()
    await world.whenIdle(id)
    expect(valueIn(world, id)).toEqual(['answer 0 of a', 'b'])
  })

  it('that asks for others after a restart is told so, and none of its writes count', async () => {
    const code = `await fs.write('/w.txt', 'w'); const seed = await fs.read('/seed.txt'); const a = await runSubagent('a' + seed); return a.result`
    const never = new Promise<void>(() => {})
    let isHeld = true
    const world = await open(code, () => ({ text: 'x', ...(isHeld && { until: never }) }), {
      files: { '/seed.txt': '1' },
    })
    const id = world.begin('main')
    while (world.requests.length < 2) await turns(1)
    isHeld = false
    const again = await world.crash()
    // Somebody changes the file while the app is closed.
    again.services.onDisk('/seed.txt', '2')
    again.runtime.resume(id)
    await again.whenIdle(id)
    expect(again.results(id).code).toContain('no longer asks for the same')
    expect(Object.keys(await again.files(id))).toEqual(['/seed.txt'])
  })

  it('lets the calls behind it wait, which find its changes', async () => {
    const read = { name: 'edit_file', id: 'after', input: { file_path: '/o', old_string: 'a', new_string: 'b' } }
    const world = await openWorld({
      script: main(`await fs.write('/o', (await runSubagent('a')).result)`, () => ({ text: 'a' }), [read]),
    })
    const id = await world.run('main')
    expect(world.outcomes(id)).toMatchObject({ code: 'ok', after: 'ok' })
    expect(await world.files(id)).toEqual({ '/o': 'b' })
  })
})

// Mutation: do not store the results with the batch, or give results as they come instead of in rounds.
it('comes to the same whatever ends first and whenever the app is killed, and runs no subagent twice', async () => {
  const code = `
    const seen = []
    const chain = async (name) => {
      const first = await runSubagent(name + '1')
      await fs.write('/' + name, first.result)
      seen.push(name)
      const second = await runSubagent(name + '2 after ' + first.result)
      await fs.write('/' + name, (await fs.read('/' + name)) + second.result)
    }
    await Promise.all(['x', 'y', 'z'].map(chain))
    const last = await runSubagent('last ' + seen.join())
    await fs.write('/log', ((await fs.exists('/log')) ? await fs.read('/log') : '') + last.result)
    return { seen, random: Math.random() > 2, last: last.result }`
  const plain = await open(code, says)
  const plainId = await plain.run('main')
  const [expected, files] = [valueIn(plain, plainId), await plain.files(plainId)]
  const property = fc.asyncProperty(
    fc.array(fc.nat(4), { minLength: 7, maxLength: 7 }),
    fc.array(fc.integer({ min: 5, max: 90 }), { maxLength: 2 }),
    async (delays, kills) => {
      const ended: string[] = []
      const slow: ModelScript = (request) => {
        const task = taskOf(request)
        ended.push(task)
        return { text: `${task}: done`, until: turns(delays[ended.length % delays.length] ?? 0) }
      }
      let world = await open(code, slow)
      const id = world.begin('main')
      for (const kill of kills) {
        await untilCommits(world, id, kill)
        if (world.thread(id).end !== null) break
        world = await world.crash()
        const { end } = world.thread(id)
        if (end === null || end.status === 'interrupted') world.runtime.resume(id)
      }
      await world.whenIdle(id)
      expect(valueIn(world, id)).toEqual(expected)
      expect(await world.files(id)).toEqual(files)
      const tasks = world.children(id).map(({ parent }) => parent?.task)
      expect(tasks.length).toBe(new Set(tasks).size)
      for (const { callId } of derivedOf(world, id))
        expect(batchRows(world.services.log.state, id, callId).every(({ status }) => status === 'ok')).toBe(true)
      expect(world.children(id).every(({ messages }) => messages.length === 2)).toBe(true)
    },
  )
  await fc.assert(property, { numRuns: 25 })
})

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Resolves when so many entries are stored, or the thread has ended. */
async function untilCommits(world: AgentWorld, id: ThreadId, entries: number): Promise<void> {
  while (world.services.log.state.sequence < entries && world.thread(id).end === null) await turns(1)
}
