import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import type { Drift } from '#shared/model/drift.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { type Answer, byTask, lastResults, type Scenario } from '../e2e/model-server/scenario.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/**
 * Files that change on disk while an agent works. The disk, the watcher and the loop are real; the model follows a
 * script.
 */
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const temporary = () => mkdtempSync(join(tmpdir(), 'coppice-drift-'))

async function world(scenario: Scenario) {
  const server = await startModelServer(scenario)
  open.push(server)
  const [folder, data] = [temporary(), temporary()]
  for (const name of ['read', 'changed', 'other']) writeFileSync(join(folder, `${name}.txt`), `${name}\n`)
  const start = async () => {
    const host = await openTestHost(data, undefined, { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url })
    open.push(host)
    return { host, project: await host.projects.open(folder) }
  }
  const disk = (name: string) => join(folder, `${name}.txt`)
  return { server, folder, disk, start, ...(await start()) }
}
type World = Awaited<ReturnType<typeof world>>

const call = (id: string, name: string, input: object) => ({ id, name, input })
const read = (id: string, name: string) => call(id, 'read_file', { file_path: `/${name}.txt` })
const edit = (id: string, name: string, from = name) =>
  call(id, 'edit_file', { file_path: `/${name}.txt`, old_string: from, new_string: `${from} edited` })
const pause: Answer = { calls: [call('pause', 'ask_user', { question: 'Go on?' })] }

function begin(project: Project, task: string): ThreadId {
  return project.runtime.begin({ title: task, model: 'scripted', approvalMode: 'auto-edit' }, () => [
    { type: 'text', text: task },
  ])
}

const threads = (project: Project) => [...project.services.log.state.threads.values()]
/** The first thread that asks, as soon as one does. */
const asked = (project: Project) =>
  eventually(() => {
    const asking = threads(project).find(({ interrupts }) => interrupts.length > 0)
    if (!asking) throw new Error('Nobody asks.')
    return asking
  })

async function continueRun(project: Project): Promise<void> {
  const asking = await asked(project)
  const [interrupt] = asking.interrupts
  const callId = interrupt?.action_requests[0]?.callId
  if (!interrupt || !callId) throw new Error('nobody asks')
  project.runtime.decide(asking.id, interrupt.id, [{ type: 'respond', callId, message: 'yes' }])
}

/** Collects the drift events of the branch from now on, as `path kind since`. */
function driftEvents(project: Project) {
  const seen: (readonly string[])[] = []
  project.events.listen((event) => {
    if (event.type === 'drift.changed') seen.push(event.files.map(shown))
  })
  return { told: (...files: string[]) => eventually(() => expect(seen.at(-1)).toEqual(files)) }
}
const shown = ({ path, kind, since }: Drift) => `${path} ${kind} ${since}`

const results = ({ server }: World, request: number) => {
  const asked = server.requests[request]
  if (!asked) throw new Error(`no request ${request}`)
  return lastResults(asked)
}
const notices = ({ server }: World, request: number) =>
  JSON.stringify(server.requests[request]?.messages).split('Somebody else changed files').length - 1

describe('a file that changes on disk while an agent works', () => {
  it('is shown, reported to the agent once, and not edited before the agent reads it again', async () => {
    const one = await world(
      byTask({
        main: [
          { calls: [read('r1', 'read'), read('r2', 'changed'), read('r3', 'other'), edit('e1', 'changed')] },
          pause,
          { calls: [edit('e2', 'read'), edit('e3', 'changed'), edit('e4', 'other')] },
          { calls: [read('r4', 'read'), read('r5', 'changed')] },
          { calls: [edit('e5', 'read', 'mine'), edit('e6', 'changed', 'changed edited')] },
          { text: 'Done.' },
        ],
      }),
    )
    const { project, disk, server } = one
    const events = driftEvents(project)
    const threadId = begin(project, 'main')
    await asked(project)
    writeFileSync(disk('read'), 'mine\n')
    writeFileSync(disk('changed'), 'mine too\n')
    await events.told('/changed.txt changed changed', '/read.txt changed read')
    await continueRun(project)
    await project.runtime.whenIdle(threadId)

    const notice = JSON.stringify(server.requests[2]?.messages.at(-1))
    expect(notice).toContain('/read.txt was changed')
    expect(notice).toContain('/changed.txt was changed; the branch keeps your version')
    expect(notice).not.toContain('/other.txt')
    expect(
      [1, 2, 3, 4, 5].map((request) => notices(one, request)),
      'reported once',
    ).toEqual([0, 1, 1, 1, 1])
    expect(results(one, 3).get('e2')).toMatch(/changed since you last read it/)
    expect(results(one, 3).get('e3')).toMatch(/changed since you last read it/)
    expect(results(one, 3).get('e4')).toMatch(/^Edited/)
    expect(results(one, 4).get('r4')).toContain('mine')
    expect(results(one, 4).get('r5')).toMatch(/changed edited[\s\S]*file on disk has moved on/)
    expect(results(one, 5).get('e5')).toMatch(/^Edited/)
    expect(results(one, 5).get('e6')).toMatch(/^Edited/)
    await events.told('/changed.txt changed changed')
    expect(readFileSync(disk('changed'), 'utf8'), 'the disk is not touched').toBe('mine too\n')
    writeFileSync(disk('changed'), 'changed\n')
    await events.told()
  })

  it('is reported again when it changes again; a restart repeats no report and keeps earlier messages', async () => {
    const one = await world(
      byTask({
        main: [
          { calls: [read('r1', 'read'), edit('e1', 'changed')] },
          pause,
          { text: 'Told.' },
          { text: 'Told again.' },
          { text: 'Nothing new.' },
        ],
      }),
    )
    const threadId = begin(one.project, 'main')
    await asked(one.project)
    const events = driftEvents(one.project)
    rmSync(one.disk('read'))
    await events.told('/read.txt deleted read')
    await continueRun(one.project)
    await one.project.runtime.whenIdle(threadId)

    open.splice(open.indexOf(one.host), 1)
    await one.host[Symbol.asyncDispose]()
    writeFileSync(one.disk('changed'), 'while it was closed\n')
    const { project } = await one.start()
    project.runtime.send(threadId, [{ type: 'text', text: 'Go on' }], 'queue')
    await project.runtime.whenIdle(threadId)
    project.runtime.send(threadId, [{ type: 'text', text: 'And on' }], 'queue')
    await project.runtime.whenIdle(threadId)

    expect([1, 2, 3, 4].map((request) => notices(one, request))).toEqual([0, 1, 2, 2])
    const last = JSON.stringify(one.server.requests[3]?.messages.at(-1))
    expect(last).toContain('/changed.txt was changed')
    expect(last).not.toContain('/read.txt')
    const before = one.server.requests[2]?.messages.map(plain) ?? []
    expect(one.server.requests[3]?.messages.slice(0, before.length).map(plain)).toEqual(before)
  })
})

/** Removes the marks of the cache, which move with the end of the conversation. */
function plain(message: object): string {
  return JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, '')
}
