import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { checkpointRows } from '#shared/model/derived/checkpoints.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { byTask, lastResults, type Scenario } from '../e2e/model-server/scenario.ts'
import { folderHash } from '../e2e/support/folder-hash.ts'
import { applyToDisk } from '../src/main/host/changes/apply.ts'
import type { Project } from '../src/main/host/project/project.ts'
import {
  editMessage,
  forkThread,
  redoRewind,
  restoreMemory,
  rewindTo,
} from '../src/main/host/testing/person.testkit.ts'
import { previewRewind } from '../src/main/host/threads/rewind-preview.ts'
import { openWorld } from './world.testkit.ts'

const both = { files: true, conversation: true }
const write = (path: string, content: string) => ({ name: 'write_file', input: { file_path: path, content } })
const files = { 'a.txt': 'one\n', 'b.txt': 'two\n' }

function rowsOf(project: Project, threadId: ThreadId) {
  const past = project.services.log.state.past.threads.get(threadId)
  return past ? checkpointRows(past) : []
}

/** The states before each message of the person, oldest first. */
function beforeMessages(project: Project, threadId: ThreadId): readonly Sequence[] {
  return rowsOf(project, threadId).flatMap(({ mark, to }) => (mark.kind === 'message' ? [to] : []))
}

async function say({ runtime }: Project, threadId: ThreadId, text: string): Promise<void> {
  runtime.send(threadId, [{ type: 'text', text }], 'queue')
  await runtime.whenIdle(threadId)
}

describe('an approval', () => {
  const asking = byTask({
    main: [
      {
        calls: [
          { name: 'read_file', input: { file_path: '/a.txt' } },
          { name: 'ask_user', id: 'ask', input: { question: 'Go on?' } },
        ],
      },
      { calls: [write('/c.txt', 'three\n')] },
    ],
  })

  it('that was open at the checkpoint is open again under the same id, and can be decided', async () => {
    const world = await openWorld(asking, { files })
    const { project, thread, decide } = world
    const id = await world.run('main')
    const open = thread(id).interrupts
    const to = project.services.log.state.sequence
    const respond = open.flatMap(({ action_requests }) =>
      action_requests.map(({ callId }) => ({ callId, type: 'respond', message: 'yes' }) as const),
    )
    const checkpoint = rowsOf(project, id).findLast((row) => row.to <= to)?.to ?? 0
    decide(id, respond)
    await project.runtime.whenIdle(id)
    expect(await world.fileOf(id, '/c.txt')).toBe('three\n')

    await rewindTo(project, { threadId: id, to: checkpoint, ...both })
    expect(thread(id)).toMatchObject({ status: 'needs_you', interrupts: open })
    expect(await world.fileOf(id, '/c.txt')).toBe('')
    decide(id, respond)
    await project.runtime.whenIdle(id)
    expect(thread(id).status).toBe('done')
    expect(await world.fileOf(id, '/c.txt')).toBe('three\n')
  })

  it('that was raised after the checkpoint goes away with the run that waits', async () => {
    const world = await openWorld(asking, { files })
    const { project, thread } = world
    const id = await world.run('main')
    const [to = 0] = beforeMessages(project, id)
    expect((await previewRewind(project, { threadId: id, to })).approvals).toBe(1)
    await rewindTo(project, { threadId: id, to, ...both })
    expect(thread(id)).toMatchObject({ status: 'idle', interrupts: [], messages: [] })
    await say(project, id, 'main again')
    expect(thread(id).status).toBe('needs_you')
  })
})

it('stops a running thread first', async () => {
  const slow: Scenario = (_, { count }) => (count === 0 ? { text: 'late', delayMs: 60_000 } : { text: 'quick' })
  const { project, thread, server } = await openWorld(slow, { files })
  const id = project.runtime.begin({ title: 't', model: 'scripted', approvalMode: 'auto-edit' }, () => [
    { type: 'text', text: 'go' },
  ])
  await eventually(() => expect(server.requests).not.toEqual([]))
  const [to = 0] = beforeMessages(project, id)
  expect((await previewRewind(project, { threadId: id, to })).running).toBe(true)
  await rewindTo(project, { threadId: id, to, ...both })
  expect(thread(id)).toMatchObject({ status: 'idle', messages: [] })
  await say(project, id, 'go')
  expect(thread(id).status).toBe('done')
})

describe('a rewind of only the files', () => {
  const script: Scenario = (request, { count }) => {
    if (count === 0) return { calls: [write('/a.txt', 'mine\n')] }
    const said = JSON.stringify(request.messages.at(-1))
    if (said.includes('took the files back'))
      return { calls: [{ name: 'edit_file', input: { file_path: '/a.txt', old_string: 'one', new_string: 'won' } }] }
    return { text: [...lastResults(request).values()].join('|') || 'done' }
  }

  it('is reported to the agent, which must read a file before it edits it', async () => {
    const world = await openWorld(script, { files })
    const { project, thread } = world
    const id = await world.run('write')
    await rewindTo(project, { threadId: id, to: beforeMessages(project, id)[0] ?? 0, files: true, conversation: false })
    expect(await world.fileOf(id, '/a.txt')).toBe('one\n')
    expect(thread(id).messages).toHaveLength(3)
    await say(project, id, 'now edit')
    expect(JSON.stringify(world.server.requests)).toContain('took the files back')
    const last = thread(id).messages.at(-1)
    expect(last?.role === 'assistant' && textOf(last.content)).toContain('changed since you last read it')
    expect(await world.fileOf(id, '/a.txt')).toBe('one\n')
  })
})

it('tells the agent that files came back when only the files had been rewound', async () => {
  const world = await openWorld(byTask({ main: [{ calls: [write('/c.txt', 'c')] }] }), { files })
  const { project, thread } = world
  const id = await world.run('main')
  const [to = 0] = beforeMessages(project, id)
  const sequence = await rewindTo(project, { threadId: id, to, files: true, conversation: false })
  await redoRewind(project, id, sequence)
  const told = thread(id).queue.map(({ content }) => textOf(content))
  expect(told).toEqual([
    expect.stringContaining('took the files back'),
    expect.stringContaining('brought the files back'),
  ])
})

describe('an edited message', () => {
  const script = byTask({
    wrong: [{ calls: [write('/c.txt', 'wrong\n')] }],
    right: [{ calls: [write('/d.txt', 'right\n')] }],
  })

  it.each([false, true])('replaces the old one; files go back: %s', async (back) => {
    const world = await openWorld(script, { files })
    const { project, thread } = world
    const id = await world.run('wrong')
    const latest = thread(id).messages
    const to = beforeMessages(project, id)[0] ?? 0
    const sequence = await editMessage(project, { threadId: id, to, text: 'right', files: back })
    await project.runtime.whenIdle(id)
    const [first] = thread(id).messages
    expect(first?.role === 'user' && textOf(first.content)).toBe('right')
    expect([await world.fileOf(id, '/c.txt'), await world.fileOf(id, '/d.txt')]).toEqual([
      back ? '' : 'wrong\n',
      'right\n',
    ])
    await redoRewind(project, id, sequence)
    expect(thread(id).messages).toEqual(latest)
    expect(await world.fileOf(id, '/c.txt')).toBe('wrong\n')
  })
})

describe('subagents', () => {
  const spawn = { name: 'spawn_subagents', input: { tasks: [{ task: 'child', name: 'child' }] } }
  const script = byTask({ root: [{ calls: [spawn] }], child: [{ calls: [write('/child.txt', 'c\n')] }] })

  it('keep their handles, and one that is started after a rewind gets a new handle', async () => {
    const world = await openWorld(script, { files })
    const { project } = world
    const { log } = project.services
    const id = await world.run('root')
    const children = () => childrenOf(log.state, id).map(({ parent }) => parent?.handle)
    const [to = 0] = beforeMessages(project, id)
    expect((await previewRewind(project, { threadId: id, to })).leaving).toEqual(['child'])
    const sequence = await rewindTo(project, { threadId: id, to, ...both })
    expect(children()).toEqual([])
    await say(project, id, 'root')
    expect(children()).toEqual(['subagent_1'])
    expect((await previewRewind(project, { threadId: id, to: sequence - 1 })).returning).toEqual(['child'])
    await redoRewind(project, id, sequence)
    expect(children()).toEqual(['subagent_0'])
  })

  it('still count in the budget after a rewind removed them', async () => {
    const settings = { budgets: { thread: { model_calls: 4 } } }
    const world = await openWorld(script, { files, settings })
    const { project, thread } = world
    const id = await world.run('root')
    expect(thread(id).status).toBe('done')
    await rewindTo(project, { threadId: id, to: beforeMessages(project, id)[0] ?? 0, ...both })
    await say(project, id, 'root')
    expect(thread(id).end).toMatchObject({ status: 'stopped', reason: 'budget' })
    expect(world.server.requests).toHaveLength(4)
  })

  it('can be rewound themselves, and leave their parent unchanged', async () => {
    const world = await openWorld(script, { files })
    const { project, thread } = world
    const id = await world.run('root')
    const [child] = childrenOf(project.services.log.state, id)
    if (!child) throw new Error('no subagent')
    const parent = thread(id)
    const to = rowsOf(project, child.id)[0]?.to ?? 0
    await rewindTo(project, { threadId: child.id, to, ...both })
    expect(await world.fileOf(child.id, '/child.txt')).toBe('')
    expect(thread(child.id).status).toBe('paused')
    expect(thread(id)).toEqual(parent)
  })
})

describe('a fork', () => {
  it('begins with the conversation, files and kept texts of its checkpoint, and continues alone', async () => {
    const script = byTask({ main: [{ calls: [write('/c.txt', 'c\n')] }, { text: 'first' }, { text: 'second' }] })
    const world = await openWorld(script, { files })
    const { project, thread } = world
    const id = await world.run('main')
    project.services.scratch.write(id, '/large_tool_results/x.txt', new Uint8Array([1]))
    const messages = thread(id).messages
    await say(project, id, 'more')
    const fork = forkThread(project, { threadId: id, to: beforeMessages(project, id)[1] ?? 0 }, 'another way')
    expect(thread(fork)).toMatchObject({ title: 'another way', messages, status: 'idle', parent: null })
    expect(await world.fileOf(fork, '/c.txt')).toBe('c\n')
    expect(project.services.scratch.list(fork)).toMatchObject([{ name: '/large_tool_results/x.txt' }])
    await say(project, fork, 'other')
    expect(thread(fork)).toMatchObject({ status: 'done', usage: { modelCalls: 1 } })
    expect(thread(id).messages).toHaveLength(messages.length + 2)
  })
})

describe('a rewind leaves alone', () => {
  it('the disk and the memory, and its preview names both', async () => {
    const script = byTask({ main: [{ calls: [write('/a.txt', 'mine\n'), write('/memories/style.md', 'short\n')] }] })
    const world = await openWorld(script, { files })
    const { project, thread, folder } = world
    const id = await world.run('main')
    await applyToDisk(project, thread(id).branchId, null)
    const disk = folderHash(folder)
    const [to = 0] = beforeMessages(project, id)
    expect(await previewRewind(project, { threadId: id, to })).toMatchObject({
      memories: [{ name: 'style.md', undo: { to: null, latest: expect.any(Number) } }],
      applied: ['/a.txt' as VirtualPath],
      messages: { leaving: 3, returning: 0 },
    })
    const { undo } = (await previewRewind(project, { threadId: id, to })).memories[0] ?? {}
    await rewindTo(project, { threadId: id, to, ...both })
    expect(folderHash(folder)).toBe(disk)
    expect(project.services.log.state.memories.get('style.md')?.text).toBe('short\n')
    if (!undo) throw new Error('nothing to undo')
    restoreMemory(project, { name: 'style.md', ...undo })
    expect(project.services.log.state.memories.get('style.md')).toMatchObject({ text: null, versions: { length: 2 } })
    const after = await previewRewind(project, { threadId: id, to })
    expect(after.memories).toEqual([])
  })
})

it('refuses an unknown checkpoint, an unknown rewind, and a rewind of nothing', async () => {
  const { project, host, ...world } = await openWorld(byTask({}), { files })
  const threadId = await world.run('main')
  const target = { projectId: project.info().id, threadId }
  const rewind = (input: { to: number; files: boolean; conversation: boolean }) =>
    call(host.router.rewind.to, { ...target, ...input }, { context: {} })
  await expect(rewind({ to: 2, ...both })).resolves.toEqual({ sequence: expect.any(Number) })
  await expect(rewind({ to: 3, ...both })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(rewind({ to: 2, files: false, conversation: false })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  const redo = call(host.router.rewind.redo, { ...target, sequence: 1 }, { context: {} })
  await expect(redo).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
