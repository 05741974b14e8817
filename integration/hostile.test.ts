import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { InterruptId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { byTask, type Scenario, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import { writePatchFile } from '../src/main/cli/follow-run.ts'
import { replaceTodos } from '../src/main/core/commands/todos.ts'
import { appendTo } from '../src/main/core/journal/project-log.testkit.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/** Unexpected behaviour of people and models, tested on the loop's real parts. */
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-hostile-'))

async function world(scenario: Scenario, environment: Readonly<Record<string, string>> = {}, settings: object = {}) {
  const server = await startModelServer(scenario)
  open.push(server)
  const [place, data] = [folder(), folder()]
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  const start = async () => {
    const access = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
    const host = await openTestHost(data, undefined, { ...access, ...environment })
    open.push(host)
    return { host, project: await host.projects.open(place) }
  }
  return { server, place, start, ...(await start()) }
}

function begin({ runtime }: Project): ThreadId {
  const threadId = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
  runtime.send(threadId, [{ type: 'text', text: 'main' }], 'queue')
  return threadId
}

const execute = { name: 'execute', id: 'c', input: { command: 'true' } }
const todos = (...contents: readonly string[]) => contents.map((content) => ({ content, status: 'pending' as const }))

it('scoped quarantine names the changed files, but no folders and no deleted files', async () => {
  const changes = [
    { name: 'write_file', input: { file_path: '/out/deep/new.txt', content: 'CANARY' } },
    { name: 'write_file', input: { file_path: '/gone.txt', content: 'CANARY' } },
    { name: 'delete', input: { path: '/gone.txt' } },
  ]
  const { project, server } = await world(
    byTask({ main: [{ calls: changes }, { calls: [{ name: 'task', input: { description: 'child' } }] }] }),
    { COPPICE_QUARANTINE_MODE: 'scoped' },
  )
  await project.runtime.whenIdle(begin(project))
  const sent = JSON.stringify(server.requests.find((one) => taskOf(one) === 'child')?.messages)
  expect(sent).toContain('\\"list\\":[\\"/out/deep/new.txt\\"],\\"remaining_count\\":0')
  expect(sent).not.toContain('CANARY')
})

it('scoped quarantine sends the task as one user message and the state summary as another', async () => {
  const { project, server } = await world(
    byTask({ main: [{ calls: [{ name: 'task', input: { description: 'child' } }] }], child: [{ text: 'Done.' }] }),
    { COPPICE_QUARANTINE_MODE: 'scoped' },
  )
  await project.runtime.whenIdle(begin(project))
  const request = server.requests.find((one) => taskOf(one) === 'child')
  const texts = request?.messages.map(({ role, content }) => [role, (content as readonly { text?: string }[])[0]?.text])
  expect(texts).toEqual([
    ['user', 'child'],
    ['user', JSON.stringify({ version: 'v1', scope: 'scoped', todos: [], files: { list: [], remaining_count: 0 } })],
  ])
})

it('the name of a file is shown on a terminal and cannot control it', async () => {
  const code = `from pathlib import Path\nPath("/x\u001b]52;c;ZXZpbA==\u0007\u202e").mkdir()`
  const calls = [{ name: 'run_python_code', input: { code } }]
  const { project } = await world((request) => (turnOf(request) === 0 ? { calls } : { text: 'done' }))
  const id = begin(project)
  await project.runtime.whenIdle(id)
  const told: string[] = []
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => told.push(String(text)) > 0)
  await writePatchFile(project, id, '-')
  stderr.mockRestore()
  expect(told[0]).toContain('Left out of the patch: /x\\u{001b}]52;c;ZXZpbA==\\u{0007}\\u{202e} (')
})

it('a card that a person moves while its subagent works is still the one that is completed', async () => {
  const { project } = await world(
    byTask({
      main: [
        { calls: [{ name: 'write_todos', input: { todos: todos('linked', 'other') } }] },
        { calls: [{ name: 'task', input: { description: 'child', todo_index: 0 } }] },
      ],
      child: [{ text: 'Done.', delayMs: 300 }],
    }),
  )
  const { services, runtime, events } = project
  using _moving = events.listen((event) => {
    if (event.type === 'todos.written' && event.by === 'loop' && event.todos[0]?.status === 'in_progress')
      setTimeout(() => project.run(replaceTodos(services, threadId, event.todos.toReversed())), 50)
  })
  const threadId = begin(project)
  await runtime.whenIdle(threadId)
  expect(readThread(services.log, threadId)?.todos).toEqual([
    { content: 'other', status: 'pending' },
    { content: 'linked', status: 'completed' },
  ])
})

it('calls that wait for a person after a restart can be stopped, including those of subagents', async () => {
  const { project, host, start } = await world(
    byTask({
      main: [{ calls: [{ name: 'spawn_subagents', input: { tasks: ['child'] } }] }],
      child: [{ calls: [execute] }],
    }),
  )
  const threadId = begin(project)
  await project.runtime.whenIdle(threadId)
  open.splice(open.indexOf(host), 1)
  await host[Symbol.asyncDispose]()
  const again = (await start()).project
  again.runtime.stop(threadId)
  const states = [...again.services.log.state.threads.values()]
  expect(states.map(({ status, interrupts }) => [status, interrupts.length])).toEqual([
    ['stopped', 0],
    ['stopped', 0],
  ])
  expect(states.flatMap(({ calls }) => [...calls.values()]).map(({ state }) => state.kind)).toEqual([
    'finished',
    'finished',
  ])
})

it('a rule about a folder also holds behind a link to the folder, and for arguments that a person edited', async () => {
  const { project, server, place } = await world(
    byTask({
      main: [
        { calls: [{ name: 'read_file', id: 'linked', input: { file_path: '/docs/a' } }] },
        { calls: [execute] },
        { text: 'Done.' },
      ],
    }),
    {},
    { permissions: { deny: ['Read(secret/**)', 'Bash(rm *)'] } },
  )
  mkdirSync(join(place, 'secret'))
  writeFileSync(join(place, 'secret/a'), 'CANARY')
  symlinkSync('secret', join(place, 'docs'))
  const threadId = begin(project)
  await project.runtime.whenIdle(threadId)
  const state = () => readThread(project.services.log, threadId)
  project.runtime.decide(threadId, state()?.interrupts[0]?.id as InterruptId, [
    { type: 'edit', callId: 'c' as ToolCallId, args: { command: 'true; rm -r /' } },
  ])
  await project.runtime.whenIdle(threadId)
  const results = [...(state()?.calls.values() ?? [])].map((call) => JSON.stringify(resultOf(call)))
  expect(results[0]).toContain('Denied by the rule Read(secret/**)')
  expect(results[1]).toContain('Denied by the rule Bash(rm *)')
  expect(JSON.stringify(server.requests)).not.toContain('CANARY')
})

it('code cannot avoid a rule by using a link to a folder', async () => {
  const run = (id: string, code: string) => ({ name: 'run_js_code', id, input: { code } })
  const { project, server, place } = await world(
    byTask({
      main: [
        {
          calls: [
            run('read', "return await fs.read('/docs/a')"),
            run('write', "return await fs.write('/docs/new', 'x')"),
            run('delete', "return await fs.delete('/docs/a')"),
            run('free', "await fs.write('/open/b', 'x'); return await fs.read('/open/b')"),
          ],
        },
      ],
    }),
    {},
    { permissions: { deny: ['Read(secret/**)', 'Edit(secret/**)'] } },
  )
  for (const name of ['secret', 'shown']) mkdirSync(join(place, name))
  writeFileSync(join(place, 'secret/a'), 'CANARY')
  symlinkSync('secret', join(place, 'docs'))
  symlinkSync('shown', join(place, 'open'))
  const threadId = begin(project)
  await project.runtime.whenIdle(threadId)
  const calls = [...(readThread(project.services.log, threadId)?.calls.values() ?? [])]
  expect(calls.map((call) => resultOf(call)?.outcome)).toEqual(['error', 'error', 'error', 'ok'])
  expect(JSON.stringify(resultOf(calls[0]))).toContain('/docs/a leads to /secret/a, which is protected')
  expect(JSON.stringify(server.requests)).not.toContain('CANARY')
})

it('a stricter mode set while a call waits also holds for the undecided calls beside it', async () => {
  const write = { name: 'write_file', id: 'w', input: { file_path: '/x', content: 'x' } }
  const { project } = await world(byTask({ main: [{ calls: [execute, write] }] }))
  const { runtime, services } = project
  const threadId = begin(project)
  await runtime.whenIdle(threadId)
  const state = () => readThread(services.log, threadId)
  appendTo(services.log, [{ type: 'thread.configured', threadId, model: 'scripted', approvalMode: 'ask' }])
  runtime.decide(threadId, state()?.interrupts[0]?.id as InterruptId, [{ type: 'approve', callId: 'c' as ToolCallId }])
  await runtime.whenIdle(threadId)
  const asked = state()?.interrupts.flatMap(({ action_requests }) => action_requests)
  expect(asked).toMatchObject([{ callId: 'w', rule: 'mode Ask: every change asks' }])
  expect(resultOf(state()?.calls.get('c' as ToolCallId))?.outcome).toBe('ok')
})

it('a stricter mode also holds for subagents that are already running', async () => {
  const look = { name: 'execute', id: 'l', input: { command: 'true' } }
  const write = { name: 'write_file', id: 'w', input: { file_path: '/x', content: 'x' } }
  const { project } = await world(
    byTask({
      main: [{ calls: [{ name: 'task', id: 't', input: { description: 'child' } }] }],
      child: [{ calls: [look] }, { calls: [write] }],
    }),
  )
  const { runtime, services } = project
  const threadId = begin(project)
  await runtime.whenIdle(threadId)
  const child = () => [...services.log.state.threads.values()].find(({ parent }) => parent !== null)
  appendTo(services.log, [{ type: 'thread.configured', threadId, model: 'scripted', approvalMode: 'plan' }])
  runtime.decide(child()?.id as ThreadId, child()?.interrupts[0]?.id as InterruptId, [
    { type: 'approve', callId: 'l' as ToolCallId },
  ])
  await runtime.whenIdle(threadId)
  expect(JSON.stringify(resultOf(child()?.calls.get('w' as ToolCallId)))).toContain('Plan mode: nothing may be changed')
})

it.each([
  ['denied by a rule', '/private/tasks', { permissions: { deny: ['Read(private/**)'] } }, 'finished'],
  ['that may hold secrets', '/.env', {}, 'asking'],
])('does not hand a file of tasks %s to subagents', async (_, file, settings, kind) => {
  const batch = { name: 'batch_task', id: 'b', input: { tasks_file: file } }
  const { project, server, place } = await world(byTask({ main: [{ calls: [batch] }] }), {}, settings)
  mkdirSync(join(place, 'private'))
  writeFileSync(join(place, file), '{"description":"CANARY"}\n')
  const threadId = begin(project)
  await project.runtime.whenIdle(threadId)
  expect(readThread(project.services.log, threadId)?.calls.get('b' as ToolCallId)?.state.kind).toBe(kind)
  expect(JSON.stringify(server.requests)).not.toContain('CANARY')
})

it.each([
  ['cancels', 'refusal', 'cancelled'],
  ['carries out', 'max_tokens', 'ok'],
  ['carries out', 'end_turn', 'ok'],
  ['carries out', 'something_new', 'ok'],
])(
  '%s the whole calls of a reply that ended with %s, and each request pairs each call with its result',
  async (_, stopReason, outcome) => {
    const write = { name: 'write_file', id: 'w', input: { file_path: '/x', content: 'x' } }
    const { project, server } = await world(
      byTask({ main: [{ text: 'Hm.', calls: [write], stopReason }, { text: 'Done.' }] }),
    )
    const { runtime, services } = project
    const threadId = begin(project)
    await runtime.whenIdle(threadId)
    const call = readThread(services.log, threadId)?.calls.get('w' as ToolCallId)
    expect([call?.state.kind, resultOf(call)?.outcome]).toEqual(['finished', outcome])
    runtime.send(threadId, [{ type: 'text', text: 'go on' }], 'queue')
    await runtime.whenIdle(threadId)
    const blocks = server.requests
      .at(1)
      ?.messages.map(({ content }) => (content as readonly { type: string }[])[0]?.type)
    expect(blocks).toEqual(['text', 'text', 'tool_result'])
  },
)
