import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { call } from '@orpc/server'
import SqliteDatabase from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStoredProject } from '#adapters/sqlite/read-entries.ts'
import { foldVersion } from '#core/journal/families/project-fold.ts'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { nodeHashing } from '#overlay/node'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import { said, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, ProjectId, ThreadId } from '#shared/model/ids.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'

let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-projects-'))
  mkdirSync(join(above, 'work/.git'), { recursive: true })
  writeFileSync(join(above, 'work/.git/HEAD'), 'ref: refs/heads/topic\n')
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

const openHost = () => openTestHost(join(above, 'data'))

it('Home knows what a recent project is about, also when it is closed', async () => {
  {
    await using host = await openHost()
    const project = await host.projects.open(join(above, 'work'))
    project.runtime.createThread({ title: 'Make it faster', model: 'demo', approvalMode: 'auto' })
    const { recent } = await call(host.router.app.info, undefined)
    expect(recent).toMatchObject([{ name: 'work', gitHead: 'topic', summary: { lastTask: 'Make it faster' } }])
  }
  await using host = await openHost()
  const { recent } = await call(host.router.app.info, undefined)
  expect(recent).toMatchObject([
    { gitHead: 'topic', summary: { lastTask: 'Make it faster', waiting: 0, working: 0, costOfWeek: 0 } },
  ])
})

it('a project that is opened again keeps what Home knows of it', async () => {
  for (let time = 0; time < 2; time += 1) {
    await using host = await openHost()
    const project = await host.projects.open(join(above, 'work'))
    if (time === 0) project.runtime.createThread({ title: 'Once', model: 'demo', approvalMode: 'auto' })
  }
  await using host = await openHost()
  expect(host.projects.recent()).toMatchObject([{ summary: { lastTask: 'Once' } }])
})

it('Home reads nothing from the folders of recent projects, which may not answer', async () => {
  {
    await using host = await openHost()
    await host.projects.open(join(above, 'work'))
  }
  renameSync(join(above, 'work'), join(above, 'away'))
  {
    await using host = await openHost()
    expect(host.projects.recent(), 'a closed one').toMatchObject([{ name: 'work', gitHead: 'topic' }])
  }
  renameSync(join(above, 'away'), join(above, 'work'))
  await using host = await openHost()
  await host.projects.open(join(above, 'work'))
  renameSync(join(above, 'work'), join(above, 'away'))
  expect(host.projects.recent(), 'an open one').toMatchObject([{ name: 'work', gitHead: 'topic' }])
  renameSync(join(above, 'away'), join(above, 'work'))
})

it('Home follows another branch while the project is open and after it was closed', async () => {
  const checkOut = (branch: string) => writeFileSync(join(above, 'work/.git/HEAD'), `ref: refs/heads/${branch}\n`)
  {
    await using host = await openHost()
    const project = await host.projects.open(join(above, 'work'))
    checkOut('other')
    await call(host.router.projects.reopen, { projectId: project.info().id })
    expect(host.projects.recent()).toMatchObject([{ gitHead: 'other' }])
    checkOut('third')
  }
  await using host = await openHost()
  expect(host.projects.recent()).toMatchObject([{ gitHead: 'third' }])
})

it('the latest demo is among the recent projects, and is still a demo when it is opened from there', async () => {
  {
    await using host = await openHost()
    await host.projects.openDemo()
    await host.projects.openDemo()
  }
  await using host = await openHost()
  const [demo, ...others] = host.projects.recent()
  expect([demo?.name, others]).toEqual(['tally', []])
  expect((await host.projects.open(demo?.path ?? '')).info()).toMatchObject({ kind: 'demo', trusted: true })
})

it('a project that is asked for while the app closes is not opened after it', async () => {
  const host = await openHost()
  const opened = expect(host.projects.open(join(above, 'work'))).rejects.toMatchObject({ code: 'CANCELLED' })
  await host[Symbol.asyncDispose]()
  await opened
})

// Mutation: call `open.delete(id)` instead of `keep` in `restoreBackup`.
it('a project that is asked for while its backup is put back is the one of the backup', async () => {
  const createThread = { model: 'demo', approvalMode: 'auto' } as const
  let projectId: ProjectId
  {
    await using host = await openHost()
    const project = await host.projects.open(join(above, 'work'))
    projectId = project.info().id
    project.runtime.createThread({ title: 'Before the damage', ...createThread })
  }
  const file = join(above, 'data/projects', projectId, 'project.db')
  copyFileSync(file, `${file}.v3-2026-01-02T03-04-05.000Z.backup`)
  writeFileSync(file, 'this is not a database any more')
  await using host = await openTestHost(join(above, 'data'), () => undefined)
  const damaged = await host.projects.open(join(above, 'work'))
  expect(damaged.info().damage).toMatchObject({ backupAt: expect.any(Number) })
  const close = damaged[Symbol.asyncDispose].bind(damaged)
  Object.assign(damaged, {
    // As with servers and terminals that take their time.
    [Symbol.asyncDispose]: async () => {
      for (let tick = 0; tick < 20; tick += 1) await nextTick()
      await close()
    },
  })
  let isOver = false
  const restored = call(host.router.projects.restoreBackup, { projectId }).finally(() => (isOver = true))
  // As pages do that follow the project, at every moment of the way.
  const asked: Promise<ProjectInfo>[] = []
  while (!isOver) {
    asked.push(call(host.router.projects.reopen, { projectId }))
    await nextTick()
  }
  await restored
  for (const { damage } of (await Promise.all(asked)).slice(1)) expect(damage).toBeNull()
  const { log } = host.projects.get(projectId).services
  expect([...log.families().values()].map(({ names }) => names)).toHaveLength(1)
  expect(host.projects.recent()).toMatchObject([{ summary: { lastTask: 'Before the damage' } }])
})

describe('a project whose small fold was made by another version', () => {
  const threads = 40

  /** Enough entries that they are not all read again at every opening. */
  async function makeHistory(): Promise<void> {
    await using host = await openHost()
    const { services } = await host.projects.open(join(above, 'work'))
    for (let thread = 0; thread < threads; thread += 1) {
      const id = `thread-${thread}` as ThreadId
      const messages = Array.from({ length: 110 }, (_, at) => ({ threadId: id, ...said(`${thread} ${at}`) }))
      appendTo(services.log, [{ threadId: id, ...threadCreated(`branch-${thread}` as BranchId) }, ...messages])
    }
  }

  function forgetFold(): void {
    const [id = ''] = readdirSync(join(above, 'data/projects'))
    const database = new SqliteDatabase(join(above, 'data/projects', id, 'project.db'))
    database.exec("UPDATE folds SET version = 'other'")
    database.close()
  }

  it('is looked into thread by thread, tells how far it is, and remembers it at once', async () => {
    await makeHistory()
    forgetFold()
    await using host = await openHost()
    const opened = host.projects.open(join(above, 'work'))
    const told = () => call(host.router.projects.opening, undefined)
    await expect.poll(told, { interval: 1 }).toMatchObject([{ name: 'work', total: threads }])
    const { services } = await opened
    expect(await told()).toEqual([])
    expect(services.log.families().size).toBe(threads)
    const file = (await opened).databaseFile
    using stored = openStoredProject(file, nodeHashing)
    expect(stored?.folds.read()?.version).toBe(foldVersion)
  })

  it('stops being looked into when the app closes', async () => {
    await makeHistory()
    forgetFold()
    const host = await openHost()
    const opened = host.projects.open(join(above, 'work'))
    const refused = expect(opened).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect.poll(() => host.projects.opening(), { interval: 1 }).toHaveLength(1)
    await host[Symbol.asyncDispose]()
    await refused
  })
})
