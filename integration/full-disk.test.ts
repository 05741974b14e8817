import { expect, it } from 'vitest'
import { byTask } from '../e2e/model-server/scenario.ts'
import { agentServicesOf } from '../src/main/core/journal/project-log.testkit.ts'
import { JournalError } from '../src/main/core/ports/journal.ts'
import { reportWhenQuiet } from '../src/main/host/headless/run-report.ts'
import { openWorld } from './world.testkit.ts'

/**
 * A run whose database refuses to store because the disk is full. The `full-disk` tests of `adapters/sqlite` cover
 * the database itself.
 */
async function worldThatFills() {
  const write = { name: 'write_file', id: 'write', input: { file_path: '/a.txt', content: 'a' } }
  const made = await openWorld(byTask({ main: [{ calls: [write] }, { text: 'All written.' }] }))
  const { log } = agentServicesOf(made.project)
  const commit = log.commit.bind(log)
  let refuses: (type: string) => boolean = () => false
  Object.assign(log, {
    commit: (drafts: Parameters<typeof commit>[0]) => {
      if (drafts.some(({ type }) => refuses(type))) throw new JournalError('full', 'The disk is full (SQLITE_FULL)')
      return commit(drafts)
    },
  })
  const told: string[] = []
  made.project.events.listen((event) => {
    if (event.type === 'run.unstored') told.push(event.message)
  })
  return { ...made, told, refuse: (which: typeof refuses) => (refuses = which) }
}

it('refuses a whole step without room for it; the run says so, and continues once there is room', async () => {
  const { refuse, run, thread, project, fileOf } = await worldThatFills()
  refuse((type) => type === 'tool.finished')
  const id = await run('main')
  expect(thread(id)).toMatchObject({
    status: 'paused',
    end: { reason: 'storage', message: expect.stringMatching(/full/) },
  })
  expect(await fileOf(id, '/a.txt')).toBe('')
  refuse(() => false)
  project.runtime.resume(id)
  await project.runtime.whenIdle(id)
  expect(thread(id)).toMatchObject({ status: 'done' })
  expect(await fileOf(id, '/a.txt')).toBe('a')
  const written = project.services.log.entries().filter(({ type }) => type === 'tree.changed')
  expect(written).toHaveLength(1)
})

it.each(['run.started', 'message', 'tool.finished'])(
  'tells people when not even the end of a run can be stored (from %s on)',
  async (from) => {
    const { refuse, run, thread, told, project } = await worldThatFills()
    let isFull = false
    refuse((type) => {
      isFull ||= type === from && project.services.log.state.threads.size > 0
      return isFull
    })
    const id = await run('main')
    expect(told).toEqual(['The disk is full (SQLITE_FULL)'])
    // Mutation: without its own end it said "Waiting for decisions." with none.
    expect(await reportWhenQuiet(project, id)).toMatchObject({
      ...{ status: 'interrupted', reason: 'storage', interrupts: [] },
      message: expect.stringContaining('could not be stored to its end'),
    })
    refuse(() => false)
    project.runtime.resume(id)
    await project.runtime.whenIdle(id)
    expect(thread(id)).toMatchObject({ status: 'done' })
  },
)
