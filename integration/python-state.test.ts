import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { checkpointRows } from '#shared/model/derived/checkpoints.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import { answerOf } from '#shared/model/thread.ts'
import { type ApiRequest, lastResults, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { blobsInUse } from '../src/main/core/journal/blobs-in-use.ts'
import { appendTo } from '../src/main/core/journal/project-log.testkit.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { forkThread, redoRewind, rewindTo } from '../src/main/host/testing/person.testkit.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import { openWorld } from './world.testkit.ts'

/** The newest text of the person. A notice of the app may follow it. */
function saidIn({ messages }: ApiRequest): string {
  const texts = messages.flatMap(({ content }) =>
    typeof content === 'string' ? [content] : content.flatMap((one) => ('text' in one ? [one.text] : [])),
  )
  return texts.findLast((text) => /^(py|reset|file|js|anew|task) /.test(text)) ?? ''
}

/** Runs what the person says as Python, JavaScript or a task, and answers with the result. */
const scenario: Scenario = (request) => {
  const results = [...lastResults(request).values()]
  if (results.length > 0) return { text: results.join('') }
  const [word, code = ''] = saidIn(request).split(/ (.*)/s)
  const id = `py${turnOf(request)}`
  if (word === 'task') return { calls: [{ name: 'task', id: `t${turnOf(request)}`, input: { description: code } }] }
  if (word === 'js' || word === 'anew')
    return { calls: [{ name: 'run_js_code', id: `js${turnOf(request)}`, input: { code, reset: word === 'anew' } }] }
  if (word === 'file') return { calls: [{ name: 'run_python_file', id, input: { file_path: code } }] }
  return { calls: [{ name: 'run_python_code', id, input: { code, reset: word === 'reset' } }] }
}

interface Ran {
  readonly ok: boolean
  readonly value: unknown
  readonly error: string | null
  readonly note?: string
}

async function open() {
  const world = await openWorld(scenario, { files: { 'lib.py': 'def double(n):\n  return n * 2\n' } })
  const said = (project: Project, id: ThreadId): Ran => {
    const thread = readThread(project.services.log, id)
    if (!thread) throw new Error(`no thread ${id}`)
    return JSON.parse(answerOf(thread))
  }
  const say = async (id: ThreadId, text: string, project = world.project): Promise<Ran> => {
    project.runtime.send(id, [{ type: 'text', text }], 'queue')
    await project.runtime.whenIdle(id)
    return said(project, id)
  }
  const id = await world.run('py x = 1')
  expect(said(world.project, id)).toMatchObject({ ok: true })
  /** Closes the app, and opens it again. */
  const restart = async (before: () => void = () => {}): Promise<Project> => {
    await world.host[Symbol.asyncDispose]()
    before()
    const access = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: world.server.url }
    const host = await openTestHost(world.data, undefined, access)
    onTestFinished(() => host[Symbol.asyncDispose]())
    return host.projects.open(world.folder)
  }
  const kinds = (of: ThreadId) =>
    world.project.services.log.entries().flatMap(({ threadId, type }) => (threadId === of ? [type] : []))
  return { ...world, id, say, restart, kinds }
}

/** The state before the newest message of the person. */
function beforeLast(project: Project, id: ThreadId): Sequence {
  const past = project.services.log.state.past.threads.get(id)
  const rows = past ? checkpointRows(past) : []
  return rows.findLast(({ mark }) => mark.kind === 'message')?.to ?? 0
}

describe('7: Python between the calls of one agent', () => {
  it('7a: has the variables and functions of earlier calls, of code and of files, also after a restart', async () => {
    const { id, say, restart } = await open()
    expect(await say(id, 'py def f(n):\n  return n + x')).toMatchObject({ ok: true })
    expect(await say(id, 'file /lib.py')).toMatchObject({ ok: true })
    expect(await say(id, 'py x = double(x)\nf(1)')).toMatchObject({ ok: true, value: 3 })
    const again = await say(id, 'py f(double(10))', await restart())
    expect(again).toMatchObject({ ok: true, value: 22 })
    expect(again.note).toBeUndefined()
  })

  it('7b: does not change with a failed call, and begins anew when asked to', async () => {
    const { id, say } = await open()
    expect(await say(id, 'py x = 2\n1 / 0')).toMatchObject({ ok: false })
    expect(await say(id, 'py x = 3\nopen("/.env", "w").write("K=1")\n[')).toMatchObject({ ok: false })
    expect(await say(id, 'py x')).toMatchObject({ value: 1 })
    expect((await say(id, 'reset 1 / 0')).ok).toBe(false)
    expect(await say(id, 'py x')).toMatchObject({ value: 1 })
    expect((await say(id, 'reset x')).error).toContain("name 'x' is not defined")
    expect(await say(id, 'reset y = 1')).toMatchObject({ ok: true })
    expect((await say(id, 'py x')).error).toContain("name 'x' is not defined")
  })

  it.each([
    { files: true, conversation: true },
    { files: true, conversation: false },
    { files: false, conversation: true },
  ])('7c: goes back with a rewind of %j, forth with its redo, and says so', async (scope) => {
    const { id, say, project } = await open()
    await say(id, 'py x = 2')
    await say(id, 'py x = 3\nopen("/new.txt", "w").write("3")')
    const rewound = await rewindTo(project, { threadId: id, to: beforeLast(project, id), ...scope })
    const back = await say(id, 'py x')
    expect([back.value, back.note]).toEqual([2, expect.stringContaining('The user went back to an earlier state')])
    expect((await say(id, 'py x')).note, 'says it once').toBeUndefined()
    await redoRewind(project, id, rewound)
    expect(await say(id, 'py x')).toMatchObject({ value: 3, note: expect.stringContaining('went back') })
  })

  it('7d: is empty after a rewind to before the first call', async () => {
    const { id, say, project } = await open()
    const past = project.services.log.state.past.threads.get(id)
    const [first] = (past ? checkpointRows(past) : []).filter(({ mark }) => mark.kind === 'message')
    await rewindTo(project, { threadId: id, to: first?.to ?? 0, files: true, conversation: false })
    const { error, note } = await say(id, 'py x')
    expect([error, note]).toEqual([
      expect.stringContaining("name 'x' is not defined"),
      expect.stringContaining('The user went back to before the first Python call'),
    ])
  })

  it('7e: goes along with a fork of the thread, and then each has its own', async () => {
    const { id, say, project } = await open()
    await say(id, 'py x = 2')
    await say(id, 'py x = 3')
    const fork = forkThread(project, { threadId: id, to: beforeLast(project, id) }, 'A fork')
    expect(await say(fork, 'py x')).toMatchObject({ value: 2 })
    await say(fork, 'py x = 20')
    expect(await say(id, 'py x')).toMatchObject({ value: 3 })
  })

  it('7e: is content in use of a fork, even after the thread that it came from was deleted for good', async () => {
    const { id, project } = await open()
    const { log } = project.services
    const fork = forkThread(project, { threadId: id, to: log.state.sequence }, 'A fork')
    appendTo(log, [{ type: 'thread.deleted', threadId: id }])
    const inAMonth = Date.now() + 30 * 24 * 60 * 60 * 1000
    const used = await blobsInUse(log, inAMonth, async () => {})
    expect(used.has(readThread(log, fork)?.python?.state ?? 'none')).toBe(true)
  })

  it('7f: keeps what it had when the new state is too large', async () => {
    const { id, say } = await open()
    const large = await say(id, "py x = 'x' * 100000000\nlen(x)")
    expect(large).toMatchObject({ ok: true, value: 100_000_000, note: expect.stringContaining('more than 4 MB') })
    expect(await say(id, 'py x')).toMatchObject({ value: 1 })
  })

  it.each([
    ['was damaged', 'UPDATE blobs SET bytes = randomblob(length(bytes))'],
    ['is gone', 'DELETE FROM blobs'],
  ])('7g: begins anew, and says so, when the stored state %s', async (_, change) => {
    const { id, say, restart, project, thread } = await open()
    const state = thread(id).python?.state ?? ''
    const opened = await restart(() => {
      const database = new Database(project.databaseFile)
      database.prepare(`${change} WHERE hash = ?`).run(Buffer.from(state, 'hex'))
      database.close()
    })
    const lost = await say(id, 'py y = 5', opened)
    expect(lost).toMatchObject({ ok: true, note: expect.stringContaining('could not be read') })
    expect((await say(id, 'py y', opened)).note).toBeUndefined()
  })
})

// Mutation: when `keepState` forgets the other language, x is not defined after a call of JavaScript.
describe('JavaScript beside Python', () => {
  it('has what earlier calls left, over a restart, and neither takes anything from the other', async () => {
    const { id, say, restart, kinds } = await open()
    expect(await say(id, 'js return 1')).toMatchObject({ value: 1 })
    expect(
      kinds(id).filter((kind) => kind === 'python.kept'),
      'nothing at the top is nothing to store',
    ).toHaveLength(1)
    await say(id, 'js let n = 1; const add = (m) => { n += m; return n }')
    await say(id, 'py x = 2')
    expect(await say(id, 'js n = 100; throw new Error("no")')).toMatchObject({ ok: false })
    const again = await restart()
    expect(await say(id, 'js add(4)', again)).toMatchObject({ value: 5 })
    expect(await say(id, 'py x', again)).toMatchObject({ value: 2 })
    expect(await say(id, 'anew typeof add', again)).toMatchObject({ value: 'undefined' })
    expect(await say(id, 'py x', again)).toMatchObject({ value: 2 })
    expect(await say(id, 'js typeof add', again)).toMatchObject({ value: 'undefined' })
  })

  it('goes back with a rewind and says so, goes along with a fork, and is where it was after a failed call', async () => {
    const { id, say, project } = await open()
    await say(id, 'js let n = 2')
    await say(id, 'js n = 3')
    const fork = forkThread(project, { threadId: id, to: beforeLast(project, id) }, 'A fork')
    await rewindTo(project, { threadId: id, to: beforeLast(project, id), files: true, conversation: true })
    const note = expect.stringContaining('so JavaScript had the variables and functions of that time')
    expect(await say(id, 'js n')).toMatchObject({ value: 2, note })
    expect(await say(fork, 'js n += 40')).toMatchObject({ value: 42 })
    expect(await say(id, 'js n')).toMatchObject({ value: 2 })
  })

  it('goes along with a subagent, which keeps its own from then on', async () => {
    const { id, say } = await open()
    await say(id, 'js let n = 2')
    const said = await say(id, 'task js n += 1')
    expect(JSON.parse(String((said as unknown as { result: string }).result))).toMatchObject({ ok: true, value: 3 })
    const python = await say(id, 'task py x + 10')
    expect(JSON.parse(String((python as unknown as { result: string }).result))).toMatchObject({ value: 11 })
    expect(await say(id, 'js n')).toMatchObject({ value: 2 })
  })
})
