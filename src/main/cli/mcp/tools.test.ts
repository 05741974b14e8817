import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openTestHost } from '#host/testing/test-host.testkit.ts'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import { runLine } from '../run-line.ts'
import { type TaskTool, taskTools } from './tools.ts'

const folders = ['data', 'one', 'other'].map((name) => mkdtempSync(join(tmpdir(), `coppice-tools-${name}-`)))
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

// Mutation: look only at `thread === null` in `requireThread`, and a tool answers about a thread that is not there.
it('no tool goes on in a thread of another project, or in that of a subagent', async () => {
  const [data = '', one = '', other = ''] = folders
  await using host = await openTestHost(data)
  const place = { host, runLine, client: createDirectClient(host), signal: new AbortController().signal }
  const theirs = await host.projects.open(other)
  const thread_id = theirs.runtime.createThread({ title: 'theirs', model: 'demo', approvalMode: 'ask' })
  const project = await host.projects.open(one)
  const about = Object.entries<TaskTool>(taskTools).filter(([, { input }]) => 'thread_id' in input.shape)
  expect(about.length).toBeGreaterThan(6)
  const call = ({ input, run }: TaskTool, at: typeof project) =>
    run({ ...place, project: at }, input.parse({ thread_id, task: 'go on' }) as never).then(
      () => 'answered',
      (error: Error) => error.message,
    )
  for (const [name, tool] of about) expect(await call(tool, project), name).toContain(`There is no thread ${thread_id}`)
  expect(await call(taskTools.thread_status, theirs)).toBe('answered')
})

it('only what starts a task, or runs commands of the person, is not read-only', () => {
  const names = Object.entries<TaskTool>(taskTools).flatMap(([name, { isReadOnly }]) => (isReadOnly ? [] : [name]))
  expect(names).toEqual(['start_task', 'run_checks'])
})
