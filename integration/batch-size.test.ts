import { call } from '@orpc/server'
import { expect, it } from 'vitest'
import { repeats, timeLimit } from '#core/ports/test-size.testkit.ts'
import { taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import {
  approve,
  batchIn,
  batchScenario,
  batchWorld,
  begin,
  resultLines,
  rowsIn,
  tasks,
} from './batch-world.testkit.ts'

/** 1,000 tasks at night. */
const count = repeats(1_000, 1_000)

it(`handles ${count} tasks like any other batch`, { timeout: timeLimit(120_000) }, async () => {
  const batch = { name: 'batch_task', id: 'batch', input: { tasks: tasks(count) } }
  const world = await batchWorld(
    batchScenario(batch, (request) =>
      turnOf(request) === 0 && taskOf(request).endsWith('0')
        ? {
            calls: [
              { name: 'write_file', input: { file_path: `/${taskOf(request).replace(' ', '-')}.txt`, content: 'x' } },
            ],
          }
        : { text: `${taskOf(request)} is done` },
    ),
  )
  const { host, project } = await world.open()
  const id = begin(project)
  await project.runtime.whenIdle(id)
  approve(project, id)
  const before = process.memoryUsage().heapUsed
  const started = performance.now()
  await project.runtime.whenIdle(id)
  const ran = performance.now() - started
  const heap = (process.memoryUsage().heapUsed - before) / 1e6
  expect(rowsIn(project, id).filter(({ status }) => status === 'ok')).toHaveLength(count)
  expect(resultLines(project, id, 'results').map(({ index }) => index)).toEqual([...Array(count).keys()])
  const told = JSON.stringify(world.server.requests.at(-1)?.messages.at(-1))
  expect(told.length, 'the message to the model does not grow with the tasks').toBeLessThan(2_000)

  const input = { projectId: project.info().id, threadId: id, callId: batchIn(project, id).callId }
  const merging = performance.now()
  const { sequences } = await call(host.router.batches.mergeClean, input, { context: {} })
  expect(sequences).toHaveLength(count / 10)
  console.log(
    `${count} tasks: ${ran.toFixed(0)} ms, heap +${heap.toFixed(0)} MB; all merged in ${(performance.now() - merging).toFixed(0)} ms`,
  )
})
