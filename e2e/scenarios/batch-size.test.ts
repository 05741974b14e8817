import { afterEach, expect, it } from 'vitest'
import { taskOf, turnOf } from '../model-server/scenario.ts'
import { approve, batchScenario, batchWorld, begin, resultLines, rowsIn, tasks } from './batch-world.fixture.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

it('1,000 tasks are an ordinary batch', { timeout: 120_000 }, async () => {
  const count = 1000
  const call = { name: 'batch_task', id: 'batch', input: { tasks: tasks(count) } }
  const world = await batchWorld(
    batchScenario(call, (request) =>
      turnOf(request) === 0
        ? {
            calls: [
              { name: 'write_file', input: { file_path: `/${taskOf(request).replace(' ', '-')}.txt`, content: 'x' } },
            ],
          }
        : { text: `${taskOf(request)} is done` },
    ),
  )
  open.push(world)
  const { project } = await world.open()
  const id = begin(project)
  await project.runtime.quiet(id)
  approve(project, id)
  const started = performance.now()
  const cpu = process.cpuUsage()
  await project.runtime.quiet(id)
  const { user, system } = process.cpuUsage(cpu)
  console.log(
    `1,000 tasks: ${Math.round(performance.now() - started)} ms, CPU ${Math.round((user + system) / 1000)} ms, heap ${Math.round(process.memoryUsage().heapUsed / 1e6)} MB`,
  )
  expect(rowsIn(project, id).filter(({ status }) => status === 'ok')).toHaveLength(count)
  expect(resultLines(project, id, 'results').map(({ index }) => index)).toEqual([...Array(count).keys()])
})
