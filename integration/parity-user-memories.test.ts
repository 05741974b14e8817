import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import { latestVersion } from '#shared/model/memory.ts'
import { lastResults, type Scenario, systemOf, turnOf } from '../e2e/model-server/scenario.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import type { Host } from '../src/main/host/wiring/create-host.ts'
import { openWorld } from './world.testkit.ts'

const path = '/memories/user/style.md'

/** The latest message of the person is a tool and its arguments as JSON. The agent then repeats the result. */
const script: Scenario = (request) => {
  if (lastResults(request).size > 0) return { text: [...lastResults(request).values()].join() }
  const said = request.messages.flatMap(({ role, content }) => {
    if (role !== 'user') return []
    return typeof content === 'string' ? [content] : content.map((part) => (part.type === 'text' ? part.text : ''))
  })
  const [name, input] = JSON.parse(said.findLast((text) => text.startsWith('["')) ?? '') as [string, object]
  return { calls: [{ name, id: `note${turnOf(request)}`, input }] }
}
const write = (content: string, file_path = path) => JSON.stringify(['write_file', { file_path, content }])
const read = JSON.stringify(['read_file', { file_path: path }])

/** A second project in the same app, with its own folder. */
async function openOther(host: Host) {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-other-'))
  const project = await host.projects.open(folder)
  host.projects.setTrusted(project.info().id, true)
  return { project, run: (task: string) => runIn(project, task) }
}

async function runIn({ runtime, services }: Project, task: string) {
  const content = [{ type: 'text', text: task }] as const
  const id = runtime.begin({ title: task, model: 'scripted', approvalMode: 'auto-edit' }, () => content)
  await runtime.whenIdle(id)
  const thread = readThread(services.log, id)
  return { id, results: [...(thread?.calls.values() ?? [])].map((call) => resultOf(call)) }
}

const textOf = ({ services }: Project) => services.userMemories.current().get('style.md')?.text ?? null

describe('8: memories for all projects', () => {
  it('8: g one project writes, another reads, lists and searches, with the origin of each version', async () => {
    const { host, project, run, server } = await openWorld(script, { trusted: true })
    const first = await run(write('Indent with tabs\n'))
    const other = await openOther(host)
    const { results } = await other.run(read)
    expect(JSON.stringify(results)).toContain('Indent with tabs')
    expect(systemOf(server.requests.at(-1))).toContain(
      JSON.stringify(`\n- {"file":"${path}","begins":"Indent with tabs`).slice(1, -1),
    )
    await other.run(write('Indent with spaces\n'))

    const input = { projectId: project.info().id }
    const { memories, on, problem } = await call(host.router.userMemory.list, input, { context: {} })
    expect({ on, problem }).toEqual({ on: true, problem: null })
    expect(memories[0]?.versions).toMatchObject([
      { number: 1, agent: 'main', callId: 'note0', threadId: first, project: { id: project.info().id } },
      { number: 2, agent: 'main', project: { id: other.project.info().id, name: other.project.info().name } },
    ])
    const search = (query: string) => call(host.router.userMemory.search, { ...input, query }, { context: {} })
    expect([await search('SPAC'), await search('tabs')]).toEqual([['style.md'], []])
    expect(project.services.log.state.memories.size).toBe(0)
  })

  it('8: h a secret is refused, and so is a write when a person switched them off', async () => {
    const { host, project, run, thread, server, data } = await openWorld(script, { trusted: true })
    const secret = await run(write('key: sk-abcdefghijklmnopqrstuvwxyz012345'))
    expect(JSON.stringify([...thread(secret).calls.values()])).toContain('looks as if it held a secret')
    await run(write('Tabs\n'))
    await call(host.router.userMemory.switch, { on: false }, { context: {} })
    expect(readFileSync(join(data, 'settings.json'), 'utf8')).toContain('"user": false')
    const off = await run(write('Spaces\n'))
    expect(JSON.stringify([...thread(off).calls.values()])).toContain('switched the memories for all projects off')
    expect(systemOf(server.requests.at(-1))).not.toContain('/memories/user/')
    const unread = await run(read)
    expect([...thread(unread).calls.values()].map((call) => resultOf(call)?.outcome)).toEqual(['error'])
    expect(textOf(project)).toBe('Tabs\n')
    await call(host.router.userMemory.switch, { on: true }, { context: {} })
    await run(read)
    expect(systemOf(server.requests.at(-1))).toContain(
      JSON.stringify(`{"file":"${path}","begins":"Tabs"}`).slice(1, -1),
    )
  })

  it('8: i the switch of a thread and the settings of a project hide them too', async () => {
    const { host, project, run, server } = await openWorld(script, {
      trusted: true,
      files: { '.coppice/settings.json': JSON.stringify({ memory: { user: false } }) },
    })
    await run(write('Tabs\n'))
    const hidden = await call(host.router.userMemory.list, { projectId: project.info().id }, { context: {} })
    expect(hidden).toMatchObject({ on: false, offByProject: true, memories: [] })
    const other = await openOther(host)
    const { id } = await other.run(write('Tabs\n'))
    const target = { projectId: other.project.info().id, threadId: id }
    await call(host.router.threads.configure, { ...target, memory: false }, { context: {} })
    await call(host.router.threads.send, { ...target, text: read }, { context: {} })
    await other.project.runtime.whenIdle(id)
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain('switched memory off for this thread')
    expect(systemOf(server.requests.at(-1))).not.toContain(`- ${path}`)
  })

  it('asks a person before a folder that is not trusted writes or deletes one', async () => {
    const { run, thread, project } = await openWorld(script)
    const asked = [write('x'), JSON.stringify(['delete', { path: '/memories/user' }])]
    for (const task of asked) expect(thread(await run(task, 'auto')).interrupts).toHaveLength(1)
    expect([...project.services.userMemories.current()]).toEqual([])
  })

  // Mutation: judge by `memoriesForAll` in place of the places of this project, or leave stores out of `placesForAll`.
  it('asks too where the folder has a place of this name itself, and for a store of all projects', async () => {
    const { run, thread, project } = await openWorld(script, {
      files: { 'memories/own.txt': 'of the project', 'a.txt': 'text' },
      settings: {
        routes: { '/notes/': { kind: 'store', scope: 'user' }, '/decisions/': { kind: 'store', scope: 'project' } },
        permissions: { allow: ['write_file', 'move', 'delete', 'Bash(*)'] },
      },
    })
    const asked = [
      write('x', '/memories-1/user/always.md'),
      write('x', '/notes/always.md'),
      JSON.stringify(['move', { from: '/a.txt', to: '/notes/deep/a.md' }]),
      JSON.stringify(['delete', { path: '/memories-1/user' }]),
    ]
    for (const task of asked) expect(thread(await run(task, 'auto')).interrupts, task).toHaveLength(1)
    const own = [write('x', '/memories-1/own.md'), write('x', '/memories/user/a.md'), write('x', '/decisions/a.md')]
    for (const task of own) expect(thread(await run(task, 'auto')).interrupts, task).toHaveLength(0)
    // Programs name no place that they write, so nobody could be asked.
    const code = await run(
      JSON.stringify(['run_python_code', { code: "open('/notes/py.md', 'w').write('x')" }]),
      'auto',
    )
    expect(JSON.stringify([...thread(code).calls.values()].map((one) => resultOf(one)))).toContain('/notes/py.md')
    const found = await run(JSON.stringify(['ls', { path: '/notes' }]), 'auto')
    expect(JSON.stringify([...thread(found).calls.values()].map((one) => resultOf(one)))).not.toContain('.md')
    expect([...project.services.userMemories.current()]).toEqual([])
  })

  // Mutation: leave `rulesByAnyName` out of the policy of agents.
  it('wait for a person where the settings say so, also under another name', async () => {
    const { run, thread } = await openWorld(script, {
      trusted: true,
      files: { 'memories/own.txt': 'of the project' },
      settings: { memory: { approve: true } },
    })
    expect(thread(await run(write('x', '/memories-1/own.md'), 'auto')).interrupts).toHaveLength(1)
  })

  it('8: j the undo in the chat takes a write back, unless another project wrote again', async () => {
    const { host, project, run, thread } = await openWorld(script, { trusted: true })
    await run(write('one\n'))
    const noteOf = (id: Awaited<ReturnType<typeof run>>) => {
      const note = [...thread(id).calls.values()].flatMap(({ remembered }) => remembered).at(-1)
      if (!note) throw new Error('nothing was remembered')
      return note
    }
    const { sequence } = noteOf(await run(write('two\n')))
    const projectId = project.info().id
    await call(host.router.userMemory.undo, { projectId, sequence }, { context: {} })
    expect(textOf(project)).toBe('one\n')
    expect(project.services.log.state.userMemories.get('style.md')?.undone).toEqual([sequence])

    const again = noteOf(await run(write('three\n')))
    const other = await openOther(host)
    await other.run(write('elsewhere\n'))
    const late = call(host.router.userMemory.undo, { projectId, sequence: again.sequence }, { context: {} })
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(textOf(project)).toBe('elsewhere\n')
  })

  it('8: k a rewind leaves them, and its preview offers to take them back', async () => {
    const { host, project, run, thread } = await openWorld(script, { trusted: true })
    const id = await run(JSON.stringify(['ls', {}]))
    const to = thread(id).lastSequence
    const target = { projectId: project.info().id, threadId: id }
    await call(host.router.threads.send, { ...target, text: write('Tabs\n') }, { context: {} })
    await project.runtime.whenIdle(id)
    const preview = await call(host.router.rewind.preview, { ...target, to }, { context: {} })
    const memory = project.services.userMemories.current().get('style.md')
    const latest = memory && latestVersion(memory).sequence
    expect(preview.memories).toEqual([{ name: 'style.md', user: true, undo: { to: null, latest } }])
    await call(host.router.rewind.to, { ...target, to, files: true, conversation: true }, { context: {} })
    expect(textOf(project)).toBe('Tabs\n')
  })

  it('8: l a damaged store is set aside and named, and each project brings back what it wrote', async () => {
    const { host, project, run, folder, data } = await openWorld(script, { trusted: true })
    await run(write('Tabs\n'))
    await run(write('of the project', '/memories/own.md'))
    await project[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
    writeFileSync(join(data, 'memories.db'), 'This is not a database. '.repeat(400))
    const problems: string[] = []
    const again = await openTestHost(data, (problem) => void problems.push(problem))
    onTestFinished(() => again[Symbol.asyncDispose]())
    const reopened = await again.projects.open(folder)
    expect(textOf(reopened)).toBe('Tabs\n')
    expect(reopened.services.log.state.memories.get('own.md')?.text).toBe('of the project')
    expect(problems).toEqual([expect.stringMatching(/kept as .*memories\.db\.damaged-/)])
    expect(readdirSync(data).some((name) => name.startsWith('memories.db.damaged-'))).toBe(true)
  })

  it('8: m two apps on the same data write at the same time, and both show every version', async () => {
    const { host, project, run, server, data } = await openWorld(script, { trusted: true })
    const access = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
    const second = await openTestHost(data, undefined, access)
    onTestFinished(() => second[Symbol.asyncDispose]())
    const other = await openOther(second)
    const numbers = [1, 2, 3, 4, 5, 6]
    await Promise.all([
      ...numbers.map((number) => run(write(`first ${number}\n`))),
      ...numbers.map((number) => other.run(write(`second ${number}\n`))),
    ])
    const list = async (at: Host, { info }: Project) => {
      const { memories } = await call(at.router.userMemory.list, { projectId: info().id }, { context: {} })
      return memories.flatMap(({ versions }) => versions)
    }
    const [here, there] = [await list(host, project), await list(second, other.project)]
    expect(here).toHaveLength(2 * numbers.length)
    expect(there).toEqual(here)
    expect(textOf(project)).toBe(textOf(other.project))
  })

  it('8: n commands find them read-only beside the memories of the project', async () => {
    const { run, thread, project } = await openWorld(script, {
      trusted: true,
      settings: { permissions: { allow: ['Bash'] } },
    })
    await run(write('Tabs\n'))
    const command = 'cat "$COPPICE_MEMORIES/user/style.md"; echo x > "$COPPICE_MEMORIES/user/new.md" || echo refused'
    const id = await run(JSON.stringify(['execute', { command }]), 'auto')
    if (thread(id).interrupts.length > 0) {
      const { runtime } = project
      const [interrupt] = thread(id).interrupts
      if (interrupt)
        runtime.decide(
          id,
          interrupt.id,
          interrupt.action_requests.map(({ callId }) => ({ type: 'approve', callId })),
        )
      await runtime.whenIdle(id)
    }
    const shown = JSON.stringify([...thread(id).calls.values()].map((call) => resultOf(call)))
    expect(shown).toContain('Tabs')
    expect([...project.services.userMemories.current().keys()]).toEqual(['style.md'])
  })
})
