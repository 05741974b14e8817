import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { afterEach, beforeEach, expect, it } from 'vitest'
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
