import { describe, expect, it } from 'vitest'
import { type Scenario, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import {
  batchIn,
  batchScenario,
  batchWorld,
  killedAfter,
  requestsOf,
  resultLines,
  rowsIn,
  tasks,
} from './batch-world.testkit.ts'

const batch = (count: number) => ({ name: 'batch_task', id: 'batch', input: { tasks: tasks(count) } })
const writes: Scenario = (request) => {
  const name = taskOf(request).replace(' ', '-')
  return turnOf(request) === 0
    ? { calls: [{ name: 'write_file', input: { file_path: `/${name}.txt`, content: name } }], delayMs: 10 }
    : { text: `${name} is done` }
}

describe('a batch whose process was killed', () => {
  it('resumes where it was: one row per task, no finished task again, the same result folder', async () => {
    const made = await batchWorld(batchScenario(batch(18), writes), { batch_concurrency: 4 })
    const id = await killedAfter(made, 5)
    await killedAfter(made, 4, id)
    const { project } = await made.open()
    const folder = batchIn(project, id).batch?.folder
    const finished = rowsIn(project, id).filter(({ status }) => status === 'ok')
    expect(finished.length).toBeGreaterThanOrEqual(9)
    const before = finished.map(({ description }) => requestsOf(made.server.requests, description))
    project.runtime.resume(id)
    await project.runtime.whenIdle(id)
    expect(finished.map(({ description }) => requestsOf(made.server.requests, description))).toEqual(before)
    const lines = resultLines(project, id, 'results')
    expect(lines.map(({ index, status }) => [index, status])).toEqual(tasks(18).map((_, index) => [index, 'ok']))
    expect(lines.map(({ diff }) => diff.written[0]?.path)).toEqual(tasks(18).map((_, index) => `/task-${index}.txt`))
    expect(new Set(lines.map(({ handle }) => handle)).size).toBe(18)
    expect(batchIn(project, id).batch?.folder).toBe(folder)
  })
})
