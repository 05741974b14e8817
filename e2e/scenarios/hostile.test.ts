import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { InterruptId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { Project } from '../../src/main/host/project.ts'
import { openTestHost } from '../../src/main/host/test-host.fixture.ts'
import { startModelServer } from '../model-server/model-server.ts'
import { byTask, type Scenario, taskOf } from '../model-server/scenario.ts'

/** Persons and models that do what nobody expects, over the loop's real parts. */
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

it('scoped quarantine: the task is one user message, the state summary another one', async () => {
  const { project, server } = await world(
    byTask({ main: [{ calls: [{ name: 'task', input: { description: 'child' } }] }], child: [{ text: 'Done.' }] }),
    { COPPICE_QUARANTINE_MODE: 'scoped' },
  )
  await project.runtime.quiet(begin(project))
  const request = server.requests.find((one) => taskOf(one) === 'child')
  const texts = request?.messages.map(({ role, content }) => [role, (content as readonly { text?: string }[])[0]?.text])
  expect(texts).toEqual([
    ['user', 'child'],
    ['user', JSON.stringify({ version: 'v1', scope: 'scoped', todos: [], files: { list: [], remaining_count: 0 } })],
  ])
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
      setTimeout(() => runtime.writeTodos(threadId, event.todos.toReversed()), 50)
  })
  const threadId = begin(project)
  await runtime.quiet(threadId)
  expect(services.log.state.threads.get(threadId)?.todos).toEqual([
    { content: 'other', status: 'pending' },
    { content: 'linked', status: 'completed' },
  ])
})

it('what waits for a person after a restart can be stopped, subagents included', async () => {
  const { project, host, start } = await world(
    byTask({
      main: [{ calls: [{ name: 'spawn_subagents', input: { tasks: ['child'] } }] }],
      child: [{ calls: [execute] }],
    }),
  )
  const threadId = begin(project)
  await project.runtime.quiet(threadId)
  open.splice(open.indexOf(host), 1)
  await host[Symbol.asyncDispose]()
  const again = (await start()).project
  again.runtime.stop(threadId)
  const states = [...again.services.log.state.threads.values()]
  expect(states.map(({ status, interrupts }) => [status, interrupts.length])).toEqual([
    ['stopped', 0],
    ['stopped', 0],
  ])
  expect(states.flatMap(({ calls }) => [...calls.values()]).map(({ phase }) => phase)).toEqual(['finished', 'finished'])
})

it('a rule about a folder holds behind a link to it, and for arguments a person edited', async () => {
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
  await project.runtime.quiet(threadId)
  const state = () => project.services.log.state.threads.get(threadId)
  project.runtime.decide(threadId, state()?.interrupts[0]?.id as InterruptId, [
    { type: 'edit', callId: 'c' as ToolCallId, args: { command: 'true; rm -r /' } },
  ])
  await project.runtime.quiet(threadId)
  const results = [...(state()?.calls.values() ?? [])].map(({ result }) => JSON.stringify(result))
  expect(results[0]).toContain('Denied by the rule Read(secret/**)')
  expect(results[1]).toContain('Denied by the rule Bash(rm *)')
  expect(JSON.stringify(server.requests)).not.toContain('CANARY')
})
