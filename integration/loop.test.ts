import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Entry } from '#shared/model/entry.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { byTask, lastResults, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { agentServicesOf, appendTo } from '../src/main/core/journal/project-log.testkit.ts'
import type { Host } from '../src/main/host/composition/create-host.ts'
import type { Project } from '../src/main/host/composition/project.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/** The loop over its real parts – SQLite, ripgrep, isolates, the SDK over HTTP – with a model that follows a scenario. */
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const temporary = () => mkdtempSync(join(tmpdir(), 'coppice-loop-'))

async function world(
  scenario: Scenario,
  files: Readonly<Record<string, string>> = { 'a.txt': 'one\n', 'b.txt': 'two\n' },
) {
  const server = await startModelServer(scenario)
  open.push(server)
  const folder = temporary()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const data = temporary()
  const start = async () => {
    const host = await openTestHost(data, undefined, { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url })
    open.push(host)
    return { host, project: await host.projects.open(folder) }
  }
  return { server, start, ...(await start()) }
}

function begin(project: Project, task: string, approvalMode: ApprovalMode = 'auto-edit'): ThreadId {
  return project.runtime.begin({ title: task, model: 'scripted', approvalMode }, () => [{ type: 'text', text: task }])
}

async function runToQuiet(project: Project, task: string, mode?: ApprovalMode): Promise<ThreadId> {
  const threadId = begin(project, task, mode)
  await project.runtime.quiet(threadId)
  return threadId
}

const thread = (project: Project, id: ThreadId) => {
  const state = project.services.log.state.threads.get(id)
  if (!state) throw new Error('no thread')
  return state
}
const entries = (project: Project, ...types: readonly Entry['type'][]) =>
  project.services.log.entries().filter(({ type }) => types.length === 0 || types.includes(type))
const kinds = (project: Project) => entries(project).map(({ type }) => type)
const reopen = async (first: Host, start: () => Promise<{ project: Project }>) => {
  open.splice(open.indexOf(first), 1)
  await first[Symbol.asyncDispose]()
  return (await start()).project
}

describe('a thread', () => {
  it('is stored with its first message or not at all', async () => {
    const { project } = await world(() => ({ text: 'Done.' }))
    const { log } = agentServicesOf(project)
    const appended: string[][] = []
    const commit = log.commit.bind(log)
    Object.assign(log, {
      commit: (drafts: Parameters<typeof commit>[0]) => {
        appended.push(drafts.map(({ type }) => type))
        return commit(drafts)
      },
    })
    await runToQuiet(project, 'first words')
    expect(appended[0]).toEqual(['thread.created', 'branch.forked', 'message'])
  })
})

describe('a turn', () => {
  it('is a fixed sequence of entries, each step with its checkpoint', async () => {
    const { project } = await world((request) =>
      turnOf(request) === 0
        ? { calls: [{ name: 'write_file', input: { file_path: '/c.txt', content: 'three\n' } }] }
        : { text: 'Done.' },
    )
    await runToQuiet(project, 'write')
    expect(kinds(project)).toEqual([
      'thread.created',
      'branch.forked',
      'message',
      'thread.prepared',
      'run.started',
      'message',
      'usage',
      'checkpoint',
      'tool.started',
      'tree.changed',
      'tool.finished',
      'checkpoint',
      'message',
      'usage',
      'checkpoint',
      'run.ended',
    ])
  })

  it('runs neighbouring reads at once and gives results back in the model’s order', async () => {
    const { project, server } = await world((request) =>
      turnOf(request) === 0
        ? {
            calls: ['b', 'a'].map((name) => ({
              name: 'read_file',
              id: `read_${name}`,
              input: { file_path: `/${name}.txt` },
            })),
          }
        : { text: [...lastResults(request).keys()].join() },
    )
    const id = await runToQuiet(project, 'read')
    expect(thread(project, id).messages.at(-1)).toMatchObject({ content: [{ text: 'read_b,read_a' }] })
    const started = kinds(project).filter((kind) => kind.startsWith('tool.'))
    expect(started).toEqual(['tool.started', 'tool.started', 'tool.finished', 'tool.finished'])
    expect(server.requests[1]?.messages.at(-1)?.content).toHaveLength(2)
  })

  it('keeps the request prefix byte for byte from turn to turn', async () => {
    const { project, server } = await world((request) =>
      turnOf(request) < 3 ? { calls: [{ name: 'ls', input: {}, id: `c${turnOf(request)}` }] } : { text: 'ok' },
    )
    await runToQuiet(project, 'look')
    const prefix = server.requests.map(({ system, tools }) => JSON.stringify([system, tools]))
    expect(new Set(prefix).size).toBe(1)
    const plain = (index: number) =>
      server.requests[index]?.messages.map(({ role, content }) =>
        JSON.stringify([role, content]).replaceAll(/,"cache_control":\{[^}]*\}/g, ''),
      ) ?? []
    expect(plain(3).slice(0, plain(2).length)).toEqual(plain(2))
    expect(JSON.stringify(server.requests[0])).toContain('cache_control')
  })
})

describe('what is typed while it works', () => {
  it('a steering text comes before the next request, a queued one after the run, a changed list is told', async () => {
    const { project, server } = await world((request) =>
      turnOf(request) < 2
        ? { calls: [{ name: 'ls', input: {}, id: `c${turnOf(request)}` }], delayMs: 250 }
        : { text: `Reply ${turnOf(request)}`, delayMs: 250 },
    )
    const id = begin(project, 'work')
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), { interval: 5, timeout: 5_000 })
    project.runtime.send(id, [{ type: 'text', text: 'queued words' }], 'queue')
    project.runtime.send(id, [{ type: 'text', text: 'steering words' }], 'steer')
    project.runtime.writeTodos(id, [{ content: 'by hand', status: 'pending' }])
    await project.runtime.quiet(id)
    const asked = server.requests.map((request) => JSON.stringify(request.messages))
    expect(asked.map((text) => text.includes('steering words'))).toEqual([false, true, true, true])
    expect(asked.map((text) => text.includes('The user changed the todo list'))).toEqual([false, true, true, true])
    expect(asked.map((text) => text.includes('queued words'))).toEqual([false, false, false, true])
    expect(thread(project, id)).toMatchObject({ status: 'done', queue: [] })
  })

  it('a changed list alone does not make a finished agent speak', async () => {
    const { project, server } = await world(() => ({ text: 'Done.' }))
    const id = await runToQuiet(project, 'work')
    project.runtime.writeTodos(id, [{ content: 'by hand', status: 'pending' }])
    project.runtime.resume(id)
    await project.runtime.quiet(id)
    expect(server.requests).toHaveLength(1)
  })
})

describe('a person beside the agent', () => {
  it('drops the changes of a call whose branch was changed under it, and says so', async () => {
    const { project } = await world((request) =>
      turnOf(request) === 0
        ? {
            calls: [
              {
                name: 'run_js_code',
                input: {
                  code: "await fs.write('/a.txt', 'agent')\nfor (let i = 0; i < 40; i++) await fs.exists('/b.txt')\nreturn 1",
                },
              },
            ],
          }
        : { text: [...lastResults(request).values()].join() },
    )
    const id = begin(project, 'write slowly')
    const { log, blobs } = project.services
    const started = new Promise<void>((resolve) => {
      const listening = project.events.listen((event) => {
        if (event.type !== 'tool.started') return
        listening[Symbol.dispose]()
        resolve()
      })
    })
    await started
    // The process that runs the code has not even begun: the call is under way, and its branch as it was.
    await new Promise((resolve) => setImmediate(resolve))
    const blob = blobs.put(new TextEncoder().encode('person'))
    const { branchId } = thread(project, id)
    const entry = { node: { kind: 'file', blob, size: 6, executable: false }, pin: null } as const
    const patch = [['/a.txt' as VirtualPath, [null, entry]]] as const
    appendTo(log, [{ type: 'tree.changed', threadId: id, branchId, callId: null, patch }])
    await project.runtime.quiet(id)
    expect(thread(project, id).messages.at(-1)).toMatchObject({
      content: [{ text: expect.stringContaining('changed by someone else') }],
    })
  })
})

describe('a restart', () => {
  it('while a subagent waits: the same approval, and finished siblings are not run again', async () => {
    const { host, project, start, server } = await world(
      byTask({
        main: [
          { calls: [{ name: 'spawn_subagents', input: { tasks: ['quick: write', 'careful: run'] } }] },
          { text: 'Both are back.' },
        ],
        quick: [
          { calls: [{ name: 'write_file', input: { file_path: '/quick.txt', content: 'q' } }] },
          { text: 'quick is done' },
        ],
        careful: [
          { calls: [{ name: 'execute', id: 'cmd', input: { command: 'echo careful > careful.txt' } }] },
          { text: 'careful is done' },
        ],
      }),
    )
    const id = await runToQuiet(project, 'main')
    const waiting = [...project.services.log.state.threads.values()].find(({ interrupts }) => interrupts.length > 0)
    const again = await reopen(host, start)
    const child = thread(again, waiting?.id as ThreadId)
    expect(child.interrupts).toEqual(waiting?.interrupts)
    const before = server.requests.length
    again.runtime.decide(child.id, child.interrupts[0]?.id as never, [{ callId: 'cmd' as ToolCallId, type: 'approve' }])
    await again.runtime.quiet(id)
    expect(thread(again, id)).toMatchObject({ status: 'done' })
    expect(server.requests.length - before, 'the waiting subagent once, the parent once').toBe(2)
    const [report] = entries(again, 'tool.finished').filter(
      (entry) => entry.type === 'tool.finished' && entry.name === 'spawn_subagents',
    )
    expect(JSON.stringify(report)).toContain('quick is done')
    expect(JSON.stringify(report)).toContain('careful.txt')
  })
})

describe('task', () => {
  it('neighbours start from the same tree, merge in order, and a conflict stays on its branch', async () => {
    const edit = (word: string) => [
      {
        calls: [
          { name: 'edit_file', input: { file_path: '/a.txt', old_string: 'one', new_string: word } },
          { name: 'write_file', input: { file_path: `/${word}.txt`, content: word } },
        ],
      },
      { text: `${word} is in` },
    ]
    const { project } = await world(
      byTask({
        main: [
          {
            calls: ['uno', 'eins'].map((word) => ({
              name: 'task',
              id: word,
              input: { description: `${word} please` },
            })),
          },
          { text: 'Merged.' },
        ],
        uno: edit('uno'),
        eins: edit('eins'),
      }),
    )
    const id = await runToQuiet(project, 'main')
    const reports = entries(project, 'tool.finished').flatMap((entry) =>
      entry.type === 'tool.finished' && entry.name === 'task'
        ? [JSON.parse((entry.result.content[0] as { text: string }).text)]
        : [],
    )
    expect(reports).toMatchObject([
      {
        handle: 'subagent_0',
        result: 'uno is in',
        merge: { written: expect.arrayContaining(['/a.txt', '/uno.txt']), conflicts: [] },
      },
      {
        handle: 'subagent_1',
        result: 'eins is in',
        merge: { written: ['/eins.txt'], skipped: ['/a.txt'], conflicts: [{ path: '/a.txt' }] },
      },
    ])
    expect(thread(project, id).status).toBe('done')
  })
})

describe('quarantine', () => {
  it.each([
    ['strict', false, false],
    ['scoped', true, false],
    ['off', true, true],
  ] as const)('%s: sees the plan %s, sees the conversation %s', async (mode, plan, conversation) => {
    const server = await startModelServer(
      byTask({
        'main CANARY-1': [
          { calls: [{ name: 'write_todos', input: { todos: [{ content: 'CANARY-2', status: 'pending' }] } }] },
          { calls: [{ name: 'task', input: { description: 'child: report' } }] },
          { text: 'ok' },
        ],
        child: [{ text: 'reported' }],
      }),
    )
    open.push(server)
    const host = await openTestHost(temporary(), undefined, {
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: server.url,
      COPPICE_QUARANTINE_MODE: mode,
    })
    open.push(host)
    const project = await host.projects.open(temporary())
    await runToQuiet(project, 'main CANARY-1')
    const child =
      server.requests.map((request) => JSON.stringify(request)).find((text) => text.includes('You are a subagent')) ??
      ''
    expect([child.includes('CANARY-2'), child.includes('CANARY-1')]).toEqual([plan, conversation])
    expect(child).not.toContain('"name":"spawn_subagents"')
  })
})
