import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'

let base: string
let folder: string
let host: Host
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-scripts-')))
  folder = join(base, 'app')
  mkdirSync(folder)
  host = await openTestHost(join(base, 'data'))
})
afterEach(async () => {
  await host[Symbol.asyncDispose]()
  rmSync(base, { recursive: true, force: true })
})

const scripts = { run: 'echo "up $STAGE"; cat', archive: `echo down > "$MARK"` }

async function open(trusted = true) {
  writeFileSync(join(folder, 'conductor.json'), JSON.stringify({ scripts }))
  writeFileSync(join(folder, '.devcontainer.json'), '{"containerEnv": {"STAGE": "it\'s dev"}, "image": "x"}')
  const project = await host.projects.open(folder)
  const projectId = project.info().id
  if (trusted) host.projects.setTrusted(projectId, true)
  const threadId = project.runtime.createThread({ title: 'main', model: 'demo', approvalMode: 'ask' })
  const branchId = readThread(project.services.log, threadId)?.branchId
  if (!branchId) throw new Error('There is no branch.')
  return { project, projectId, threadId, branchId }
}
type Opened = Awaited<ReturnType<typeof open>>

const run = { name: 'run', command: scripts.run, source: '/conductor.json' }
const start = ({ projectId, branchId }: Opened, command = scripts.run) =>
  call(host.router.processes.start, { projectId, branchId, name: 'run', command })
const outputOf = async ({ projectId, threadId }: Opened, at: number) => {
  const { [at]: one } = await call(host.router.processes.list, { projectId, threadId })
  if (!one) return ''
  return (await call(host.router.processes.output, { projectId, threadId, processId: one.id, bytes: 1000 })).text
}

describe('what a project keeps for other tools', () => {
  it('is not there before trust, and nothing of it starts', async () => {
    const opened = await open(false)
    const { projectId } = opened
    expect(await call(host.router.processes.scripts, { projectId })).toEqual({ runs: [], ports: [] })
    expect((await call(host.router.setup.view, { projectId })).scripts).toEqual({
      ...{ archive: null, variables: {}, leftOut: [] },
    })
    await expect(start(opened)).rejects.toThrow('does not name this command')
  })

  it('starts by a press as the person saw it, with the variables that they accepted', async () => {
    const opened = await open()
    const { projectId } = opened
    expect((await call(host.router.processes.scripts, { projectId })).runs).toEqual([run])
    await expect(start(opened, 'rm -rf ~')).rejects.toThrow('does not name this command')
    await start(opened)
    await expect.poll(() => outputOf(opened, 0)).toBe('up \n')
    const view = await call(host.router.setup.view, { projectId })
    expect(view.scripts.variables).toEqual({ STAGE: "it's dev" })
    expect(view.scripts.leftOut).toEqual(['/.devcontainer.json: image'])
    const variables = { ...view.scripts.variables }
    const after = await call(host.router.setup.acceptScripts, { projectId, archive: null, variables })
    expect(after.scripts).toMatchObject({ archive: null, variables: {} })
    await start(opened)
    await expect.poll(() => outputOf(opened, 1)).toBe("up it's dev\n")
  })

  it('keeps what was accepted when the setup is saved, and drops it with the setup', async () => {
    const { projectId } = await open()
    await call(host.router.setup.acceptScripts, { projectId, archive: './down', variables: { A: '1' } })
    const saved = await call(host.router.setup.save, { projectId, command: 'true', inputs: [], hosts: [] })
    expect(saved.accepted).toEqual({ archive: './down', variables: { A: '1' } })
    const removed = await call(host.router.setup.remove, { projectId })
    expect(removed.accepted).toEqual({ archive: null, variables: {} })
    expect(removed.scripts.archive?.command).toBe(scripts.archive)
  })
})

describe('the command after a branch', () => {
  const mark = () => {
    try {
      return readFileSync(join(base, 'mark'), 'utf8')
    } catch {
      return ''
    }
  }
  const archive = async ({ projectId, threadId }: Opened) =>
    call(host.router.threads.archive, { projectId, threadId, archived: true })
  const use = async (opened: Opened) => {
    await start(opened)
    await expect.poll(() => outputOf(opened, 0)).toContain('up')
  }
  const ends = ({ project, threadId }: Opened) => project.services.log.state.processes.get(threadId)?.slice(1)

  // Mutation: run what the project names without the person's word.
  it('does not run before the person accepted it, nor while the folder is not trusted', async () => {
    const opened = await open()
    await use(opened)
    await archive(opened)
    const { projectId } = opened
    await call(host.router.threads.archive, { projectId, threadId: opened.threadId, archived: false })
    const variables = { MARK: join(base, 'mark') }
    await call(host.router.setup.acceptScripts, { projectId, archive: scripts.archive, variables })
    host.projects.setTrusted(projectId, false)
    await archive(opened)
    await host[Symbol.asyncDispose]()
    expect(mark()).toBe('')
    expect(ends(opened)).toEqual([])
  })

  it('runs in the view of a branch that was used once its thread is archived, and its failure is in the journal', async () => {
    const opened = await open()
    await use(opened)
    const variables = { MARK: join(base, 'mark') }
    const command = `${scripts.archive}; echo gone > a; exit 4`
    await call(host.router.setup.acceptScripts, { projectId: opened.projectId, archive: command, variables })
    await archive(opened)
    expect(readThread(opened.project.services.log, opened.threadId)?.archived).toBe(true)
    await expect.poll(mark).toBe('down\n')
    await expect.poll(() => ends(opened)?.at(-1)?.end).toMatchObject({ exitCode: 4 })
    expect(ends(opened)?.at(-1)?.end?.note).toContain('Nothing that it changed was kept')
  })

  it('does not run for a branch in which nothing ran', async () => {
    const opened = await open()
    const variables = { MARK: join(base, 'mark') }
    await call(host.router.setup.acceptScripts, { projectId: opened.projectId, archive: scripts.archive, variables })
    await archive(opened)
    await host[Symbol.asyncDispose]()
    expect(mark()).toBe('')
  })

  it('runs once for a thread that is deleted, whether it was archived before or not', async () => {
    for (const isArchived of [false, true]) {
      const opened = await open()
      await use(opened)
      const { projectId, threadId } = opened
      const variables = { MARK: join(base, `mark-${isArchived}`) }
      const command = `echo down >> "$MARK"`
      await call(host.router.setup.acceptScripts, { projectId, archive: command, variables })
      if (isArchived) {
        await archive(opened)
        await expect.poll(() => ends(opened)?.at(-1)?.end).toMatchObject({ exitCode: 0 })
      }
      await call(host.router.threads.delete, { projectId, threadId })
      await expect.poll(() => ends(opened)?.at(-1)?.end).toMatchObject({ exitCode: 0 })
      await call(host.router.threads.restore, { projectId, threadId })
      expect(ends(opened)).toHaveLength(1)
      expect(readFileSync(variables.MARK, 'utf8')).toBe('down\n')
    }
  })
})
