import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
  writeFileSync(join(above, 'work/.git/HEAD'), 'ref: refs/heads/main\n')
  const { recent } = await call(host.router.app.info, undefined)
  expect(recent).toMatchObject([
    { gitHead: 'main', summary: { lastTask: 'Make it faster', waiting: 0, working: 0, costOfWeek: 0 } },
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
