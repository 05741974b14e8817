import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { type ApiRequest, type Scenario, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import {
  approve,
  batchIn,
  batchScenario,
  begin,
  openBatchWorld,
  requestsOf,
  resultLines,
  rowsIn,
  tasks,
  threadIn,
} from './batch-world.testkit.ts'

const writes: Scenario = (request) => {
  const task = taskOf(request)
  return turnOf(request) === 0
    ? { calls: [{ name: 'write_file', input: { file_path: `/${task.replace(' ', '-')}.txt`, content: task } }] }
    : { text: `${task} is done` }
}
const batch = (count: number) => ({ name: 'batch_task', id: 'batch', input: { tasks: tasks(count) } })

describe('a batch', () => {
  it('gives one row per task, in order, each on a branch of its own, and a summary to the model', async () => {
    const { project, server } = await openBatchWorld(
      batchScenario(batch(12), (request, seen) =>
        taskOf(request) === 'task 5'
          ? { fault: { kind: 'status', status: 400 } }
          : { ...writes(request, seen), delayMs: 5 },
      ),
    )
    const id = begin(project)
    await project.runtime.quiet(id)
    const lines = resultLines(project, id, 'results')
    expect(lines.map(({ index }) => index)).toEqual([...Array(12).keys()])
    expect(lines.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, (_, i) => (i === 5 ? 'failed' : 'ok')))
    expect(lines[7]).toMatchObject({ result: 'task 7 is done', diff: { written: [{ path: '/task-7.txt' }] } })
    expect(resultLines(project, id, 'failures')).toEqual([lines[5]])
    const told = JSON.stringify(server.requests.at(-1)?.messages)
    expect(told).toContain('results.jsonl')
    expect(told).not.toContain('task 7 is done')
    const { folder } = batchIn(project, id).batch ?? {}
    expect(folder).toMatch(/^\/batch_results\/\d{8}T\d{6}Z\/$/)
    const own = project.services.log.entries().filter((entry) => 'patch' in entry && entry.threadId === id)
    expect(own, 'nothing merges by itself, and result files are no changes').toEqual([])
  })

  it.each([
    [20, 0],
    [21, 1],
  ])('of %i tasks asks %i times, also in Auto', async (count, asked) => {
    const { project } = await openBatchWorld(batchScenario(batch(count), () => ({ text: 'done' })))
    const id = begin(project, 'auto')
    await project.runtime.quiet(id)
    const { interrupts } = threadIn(project, id)
    expect(interrupts).toHaveLength(asked)
    if (asked === 0) return
    expect(interrupts[0]?.action_requests[0]?.rule).toContain('a batch of 21 tasks (21 × general-purpose)')
    approve(project, id)
    await project.runtime.quiet(id)
    expect(rowsIn(project, id).map(({ status }) => status)).toEqual(tasks(21).map(() => 'ok'))
  })

  it('merges all that is clean: a branch with a conflict stays whole, each merge can be taken back', async () => {
    const both = (request: ApiRequest) => (taskOf(request) === 'task 1' || taskOf(request) === 'task 3' ? 'a' : 'own')
    const { host, project } = await openBatchWorld(
      batchScenario({ ...batch(4), input: { tasks: tasks(4) } }, (request) =>
        turnOf(request) === 0
          ? {
              calls: ['shared', taskOf(request).replace(' ', '-')]
                .filter((name) => name !== 'shared' || both(request) === 'a')
                .map((name, index) => ({
                  name: 'write_file',
                  id: `w${index}`,
                  input: { file_path: `/${name}.txt`, content: taskOf(request) },
                })),
            }
          : { text: 'done' },
      ),
      { batch_concurrency: 1 },
    )
    const id = begin(project)
    await project.runtime.quiet(id)
    const input = { projectId: project.info().id, threadId: id, callId: batchIn(project, id).callId }
    const { sequences, left } = await call(host.router.batches.mergeClean, input, { context: {} })
    expect([sequences.length, left]).toEqual([3, ['subagent_3']])
    const paths = async () => {
      const { branchId } = threadIn(project, id)
      const changes = await call(host.router.changes.list, { projectId: input.projectId, branchId }, { context: {} })
      return changes.map(({ path }) => path)
    }
    expect(await paths()).toEqual(['/shared.txt', '/task-0.txt', '/task-1.txt', '/task-2.txt'])
    for (const sequence of sequences.toReversed())
      await call(host.router.branches.undo, { projectId: input.projectId, sequence }, { context: {} })
    expect(await paths()).toEqual([])
  })

  it('with a task that waits for a person goes on with the others, and is quiet only then', async () => {
    const { project } = await openBatchWorld(
      batchScenario(batch(8), (request, seen) =>
        taskOf(request) === 'task 0' && turnOf(request) === 0
          ? { calls: [{ name: 'execute', id: 'c', input: { command: 'true' } }] }
          : writes(request, seen),
      ),
      { batch_concurrency: 2 },
    )
    const id = begin(project)
    await project.runtime.quiet(id)
    const waiting = rowsIn(project, id)
    expect(waiting.map(({ status }) => status)).toEqual(['needs_you', ...tasks(7).map(() => 'ok')])
    approve(project, waiting[0]?.thread?.id as ThreadId)
    await project.runtime.quiet(id)
    expect(rowsIn(project, id)[0]?.status).toBe('ok')
    expect(threadIn(project, id).status).toBe('done')
  })

  it('that is rejected starts nothing', async () => {
    const { project, server } = await openBatchWorld(batchScenario(batch(21), () => ({ text: 'done' })))
    const id = begin(project)
    await project.runtime.quiet(id)
    const [interrupt] = threadIn(project, id).interrupts
    project.runtime.decide(id, interrupt?.id as never, [{ callId: 'batch' as never, type: 'reject', message: 'no' }])
    await project.runtime.quiet(id)
    expect(project.services.log.state.threads.size).toBe(1)
    expect(requestsOf(server.requests, 'task 0')).toBe(0)
    expect(threadIn(project, id)).toMatchObject({ status: 'done' })
  })
})
