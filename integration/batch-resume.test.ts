import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, vi } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { type Scenario, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import {
  approve,
  type BatchWorld,
  batchIn,
  batchScenario,
  batchWorld,
  begin,
  openBatchWorld,
  requestsOf,
  resultLines,
  rowsIn,
  tasks,
  threadIn,
} from './batch-world.testkit.ts'

const batch = (count: number) => ({ name: 'batch_task', id: 'batch', input: { tasks: tasks(count) } })
const writes: Scenario = (request) => {
  const name = taskOf(request).replace(' ', '-')
  return turnOf(request) === 0
    ? { calls: [{ name: 'write_file', input: { file_path: `/${name}.txt`, content: name } }], delayMs: 10 }
    : { text: `${name} is done` }
}

/** Runs the batch in a process of its own and kills it without a word once so many of its tasks ended. */
async function killedAfter(made: BatchWorld, ended: number, known = ''): Promise<ThreadId> {
  const script = join(import.meta.dirname, 'batch-process.testkit.ts')
  const child = spawn(process.execPath, ['--no-node-snapshot', script, made.data, made.folder, made.server.url, known])
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  let id = ''
  let seen = 0
  for await (const line of createInterface({ input: child.stdout })) {
    const [thread = '', what] = line.split(' ')
    if (what === 'begun') id = thread
    else if (thread !== id) seen += 1
    if (seen >= ended) child.kill('SIGKILL')
  }
  if (id === '') throw new Error(errors)
  return id as ThreadId
}

describe('a batch that was killed', () => {
  it('goes on where it was: a row per task, no finished task again, the same result folder', async () => {
    const made = await batchWorld(batchScenario(batch(18), writes), { batch_concurrency: 4 })
    const id = await killedAfter(made, 5)
    await killedAfter(made, 4, id)
    const { project } = await made.open()
    const folder = batchIn(project, id).batch?.folder
    const finished = rowsIn(project, id).filter(({ status }) => status === 'ok')
    expect(finished.length).toBeGreaterThanOrEqual(9)
    const before = finished.map(({ description }) => requestsOf(made.server.requests, description))
    project.runtime.resume(id)
    await project.runtime.quiet(id)
    expect(finished.map(({ description }) => requestsOf(made.server.requests, description))).toEqual(before)
    const lines = resultLines(project, id, 'results')
    expect(lines.map(({ index, status }) => [index, status])).toEqual(tasks(18).map((_, index) => [index, 'ok']))
    expect(lines.map(({ diff }) => diff.written[0]?.path)).toEqual(tasks(18).map((_, index) => `/task-${index}.txt`))
    expect(new Set(lines.map(({ handle }) => handle)).size).toBe(18)
    expect(batchIn(project, id).batch?.folder).toBe(folder)
  })
})

describe('a batch that is stopped', () => {
  it('has a row per task: what ended, what was cut, what never began', async () => {
    const { project } = await openBatchWorld(
      batchScenario(batch(8), (request) => ({ text: 'done', delayMs: taskOf(request) === 'task 0' ? 0 : 60_000 })),
      { batch_concurrency: 3 },
    )
    const id = begin(project)
    await vi.waitFor(() => expect(rowsIn(project, id)[0]?.status).toBe('ok'), { interval: 5, timeout: 30_000 })
    await vi.waitFor(() => expect(rowsIn(project, id)[3]?.status).toBe('working'), { interval: 5, timeout: 30_000 })
    project.runtime.stop(id)
    await project.runtime.quiet(id)
    expect(threadIn(project, id).status).toBe('stopped')
    const expected = tasks(8).map((_, index) => (index === 0 ? 'ok' : 'cancelled'))
    expect(rowsIn(project, id).map(({ status }) => status)).toEqual(expected)
    expect(resultLines(project, id, 'results').map(({ status }) => status)).toEqual(expected)
  })
})

describe('a batch whose budget is spent', () => {
  it.each(['run', 'batch'] as const)(
    'of a %s ends cleanly: what was cut failed, what never began is skipped',
    async (kind) => {
      const calls = kind === 'run' ? 4 : 3
      const { project } = await openBatchWorld(batchScenario(batch(10), writes), {
        batch_concurrency: 1,
        budgets: { [kind]: { model_calls: calls } },
      })
      const id = begin(project)
      await project.runtime.quiet(id)
      const lines = resultLines(project, id, 'results')
      const skipped = tasks(8).map(() => 'skipped')
      expect(lines.map(({ status }) => status)).toEqual(['ok', 'failed', ...skipped])
      expect([lines[1]?.error, lines[9]?.error]).toEqual([
        expect.stringContaining(`the budget of this ${kind} is spent (${calls} model calls)`),
        'Not started: a budget was spent before.',
      ])
      expect(threadIn(project, id).end).toMatchObject(
        kind === 'run' ? { status: 'stopped', reason: 'budget' } : { status: 'done' },
      )
    },
  )
})

describe('a retry', () => {
  const failsAtFirst =
    (down: ReadonlySet<string>): Scenario =>
    (request, seen) =>
      down.has(taskOf(request)) ? { fault: { kind: 'status', status: 400 } } : writes(request, seen)

  it('runs only what did not end well, replaces those rows, and tells the agent', async () => {
    const down = new Set(['task 2', 'task 5'])
    const { project, server } = await openBatchWorld(batchScenario(batch(7), failsAtFirst(down)))
    const id = begin(project)
    await project.runtime.quiet(id)
    const { callId } = batchIn(project, id)
    expect(rowsIn(project, id).map(({ status }) => status === 'failed')).toEqual(
      tasks(7).map((_, index) => index === 2 || index === 5),
    )
    down.delete('task 2')
    const before = server.requests.length
    project.runtime.retryBatch(id, callId)
    await project.runtime.quiet(id)
    expect(server.requests.length - before, 'two replies of task 2, one refusal of task 5').toBe(3)
    expect(resultLines(project, id, 'failures').map(({ index }) => index)).toEqual([5])
    expect(resultLines(project, id, 'results')[2]).toMatchObject({ status: 'ok', handle: 'subagent_7' })
    expect(() => project.runtime.retryBatch(id, 'other' as never)).toThrow('is no batch')
    project.runtime.send(id, [{ type: 'text', text: 'and?' }], 'queue')
    await project.runtime.quiet(id)
    const told = JSON.stringify(server.requests.at(-1)?.messages)
    expect(told).toContain('run again')
    expect(told).toContain('\\"failed\\":1')
  })

  it('that was killed goes on, and one with nothing to do is refused', async () => {
    const down = new Set(tasks(6).slice(0, 3))
    const made = await batchWorld(batchScenario(batch(6), failsAtFirst(down)))
    const { host, project } = await made.open()
    const id = begin(project)
    await project.runtime.quiet(id)
    down.clear()
    project.runtime.retryBatch(id, batchIn(project, id).callId)
    await host[Symbol.asyncDispose]()
    const again = (await made.open()).project
    again.runtime.resume(id)
    await again.runtime.quiet(id)
    expect(resultLines(again, id, 'results').map(({ status }) => status)).toEqual(tasks(6).map(() => 'ok'))
    expect(() => again.runtime.retryBatch(id, batchIn(again, id).callId)).toThrow('nothing to try again')
  })

  it('of more than 20 tasks does not ask again: a person asked for it', async () => {
    const down = new Set(tasks(25))
    const { project } = await openBatchWorld(batchScenario(batch(25), failsAtFirst(down)))
    const id = begin(project)
    await project.runtime.quiet(id)
    approve(project, id)
    await project.runtime.quiet(id)
    down.clear()
    project.runtime.retryBatch(id, batchIn(project, id).callId)
    await project.runtime.quiet(id)
    expect(resultLines(project, id, 'failures')).toEqual([])
  })
})
