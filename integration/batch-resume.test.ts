import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { type Scenario, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import {
  type BatchWorld,
  batchIn,
  batchScenario,
  batchWorld,
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

/** Runs the batch in a separate process and kills that process without warning once `ended` of its tasks have ended. */
async function killedAfter(made: BatchWorld, ended: number, known = ''): Promise<ThreadId> {
  const script = join(String(process.env.COPPICE_TEST_CHILDREN), 'batch-process.mjs')
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
