import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LayeredMap } from '#shared/base/layered-map.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { latestVersion } from '#shared/model/memory.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type AgentWorld, openWorld } from '../agent/agent-world.testkit.ts'
import { byTask, type ScriptedAnswer } from '../ports/model-client.testkit.ts'
import { discardBranch, mergeBranch, resolveConflict, restoreBranch, takeSide } from './branches.ts'
import { revertChanges, settleDrift } from './changes.ts'
import { type Decided, executeCommand } from './command.ts'
import { deleteMemory, restoreMemory, writeMemory } from './memory.ts'
import { forkThread, redoOf, rewindThread } from './rewind.ts'
import {
  archiveThread,
  configureThread,
  deleteThread,
  pinThread,
  renameThread,
  restoreThread,
  switchMemory,
} from './threads.ts'
import { editTodo, replaceTodos } from './todos.ts'
import { undoEntry } from './undo.ts'

const at = (path: string) => path as VirtualPath
const day = 24 * 60 * 60 * 1000
const write = (file_path: string, content: string) => ({ name: 'write_file', input: { file_path, content } })
const done: ScriptedAnswer = { text: 'done' }

/** A thread that changed two files, and a subagent with an unmerged branch. */
async function open() {
  const world = await openWorld({
    files: { '/shared': 'base\n', '/kept': 'base' },
    script: byTask({
      main: [
        { calls: [{ name: 'spawn_subagents', input: { tasks: ['child'] } }] },
        { calls: [write('/shared', 'main\n'), write('/own', 'o')] },
        done,
      ],
      child: [{ calls: [write('/shared', 'child\n'), write('/new/a', 'a'), write('/new/b', 'b')] }, done],
    }),
  })
  const id = await world.run('main')
  const child = world.children(id)[0]?.branchId as BranchId
  const { branchId } = world.thread(id)
  const run = <Answer>(decided: Decided<Answer>) => executeCommand(world.services.log, decided)
  const refused = (decided: Decided<unknown>) => (decided.ok ? 'allowed' : decided.error.code)
  return {
    world,
    project: world.services,
    id,
    branchId,
    child,
    childThread: world.children(id)[0]?.id as ThreadId,
    run,
    refused,
  }
}
const all = { paths: null, force: false, strategy: 'refuse' } as const

describe('commands about todos', () => {
  const plan = [
    { content: 'first', status: 'pending' },
    { content: 'second', status: 'in_progress' },
  ] as const
  const card = (content: string) => ({ content, occurrence: 0 })

  it('keep the rules for agents, and change nothing when they are broken', async () => {
    const { world, project, id, run, refused } = await open()
    run(replaceTodos(project, id, plan))
    const completed = { kind: 'move', card: card('first'), status: 'completed', before: null } as const
    expect(refused(editTodo(project, id, completed))).toBe('refused')
    expect(refused(replaceTodos(project, id, [{ content: 'new', status: 'completed' }]))).toBe('refused')
    expect(refused(editTodo(project, id, { kind: 'remove', card: card('third') }))).toBe('not_found')
    expect(world.thread(id).todos).toEqual(plan)
  })

  it('tell the agent only the latest list when several edits follow one another', async () => {
    const { world, project, id, run } = await open()
    run(replaceTodos(project, id, plan))
    run(editTodo(project, id, { kind: 'rename', card: card('first'), content: 'zeroth' }))
    run(editTodo(project, id, { kind: 'add', content: 'third', status: 'pending' }))
    const notices = JSON.stringify(world.thread(id).queue)
    expect(world.thread(id).queue).toHaveLength(1)
    expect(notices).toContain('zeroth')
    expect(notices).not.toContain('first')
  })

  it('put a removed todo back once, at its place and with its status', async () => {
    const { world, project, id, run, refused } = await open()
    run(replaceTodos(project, id, plan))
    run(editTodo(project, id, { kind: 'move', card: card('second'), status: 'completed', before: null }))
    const { sequence } = run(editTodo(project, id, { kind: 'remove', card: card('second') }))
    run(undoEntry(project, sequence ?? 0))
    expect(world.thread(id).todos).toEqual([plan[0], { content: 'second', status: 'completed' }])
    expect(refused(undoEntry(project, sequence ?? 0))).toBe('conflict')
  })
})

describe('commands about threads', () => {
  it('store changes, and nothing when nothing changes', async () => {
    const { world, project, id, run } = await open()
    expect(run(configureThread(project, { threadId: id, model: 'scripted' })).sequence).toBeNull()
    run(configureThread(project, { threadId: id, approvalMode: 'plan' }))
    run(renameThread(project, id, 'Another title'))
    run(pinThread(project, id, true))
    expect(run(pinThread(project, id, true)).sequence).toBeNull()
    run(archiveThread(project, id, true))
    expect(world.thread(id)).toMatchObject({
      model: 'scripted',
      approvalMode: 'plan',
      title: 'Another title',
      pinned: true,
      archived: true,
    })
  })

  it('delete and restore a thread within seven days, and refuse a deleted one', async () => {
    const { world, project, id, run, refused } = await open()
    const { sequence: deletion } = run(deleteThread(project, id))
    expect(run(deleteThread(project, id)).sequence).toBeNull()
    expect(
      [
        renameThread,
        (...given: Parameters<typeof renameThread>) => configureThread(given[0], { threadId: given[1] }),
      ].map((command) => refused(command(project, id, 'x'))),
    ).toEqual(['refused', 'refused'])
    world.services.clock.advance(7 * day)
    run(restoreThread(project, id))
    expect(world.entries('thread.restored')).toMatchObject([{ threadId: id, undoes: deletion }])
    expect(run(restoreThread(project, id)).sequence).toBeNull()
    run(deleteThread(project, id))
    world.services.clock.advance(7 * day + 1)
    expect(refused(restoreThread(project, id))).toBe('not_found')
  })

  it("refuse a subagent's thread where a root thread is needed, and a missing thread", async () => {
    const { project, childThread, refused } = await open()
    for (const command of [pinThread, archiveThread]) {
      expect(refused(command(project, childThread, true))).toBe('invalid')
      expect(refused(command(project, 'none' as ThreadId, true))).toBe('not_found')
    }
    expect([refused(deleteThread(project, childThread)), refused(restoreThread(project, childThread))]).toEqual([
      'invalid',
      'invalid',
    ])
  })

  it('tell an agent that memory was switched off, but only if it knew of the memory', async () => {
    const { world, project, id, run } = await open()
    const fresh = world.runtime.createThread({ title: 'x', model: 'm', approvalMode: 'ask' })
    expect(run(switchMemory(project, { threadId: fresh, memory: false })).sequences).toHaveLength(1)
    expect(run(switchMemory(project, { threadId: id, memory: false })).sequences).toHaveLength(2)
    expect(run(switchMemory(project, { threadId: id, memory: false })).sequences).toEqual([])
    expect(
      world
        .thread(id)
        .queue.map(({ content }) => JSON.stringify(content))
        .join(),
    ).toContain('switched memory off')
  })
})

describe('commands about branches', () => {
  it('merge without conflicts, force the rest, and can be undone one by one', async () => {
    const { world, project, id, child, run } = await open()
    const before = await world.files(id)
    const first = run(await mergeBranch(project, { branchId: child, ...all }))
    expect(first.answer).toMatchObject({ written: ['/new/a', '/new/b'], skipped: ['/shared'] })
    const second = run(await mergeBranch(project, { branchId: child, ...all, force: true }))
    expect((await world.files(id))['/shared']).toBe('child\n')
    run(undoEntry(project, first.sequence as Sequence))
    expect(await world.files(id)).toEqual({ ...before, '/shared': 'child\n' })
    run(undoEntry(project, second.sequence as Sequence))
    expect(await world.files(id)).toEqual(before)
    expect(() => run(undoEntry(project, first.sequence as Sequence)), 'once').toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
  })

  it('store nothing when nothing is left to merge', async () => {
    const { project, child, run } = await open()
    run(await mergeBranch(project, { branchId: child, ...all, force: true }))
    expect(run(await mergeBranch(project, { branchId: child, ...all, force: true })).sequence).toBeNull()
  })

  it("take a person's text as the result of a conflict", async () => {
    const { world, project, id, child, run } = await open()
    run(await resolveConflict(project, { branchId: child, path: at('/shared'), text: 'both\n' }))
    expect((await world.files(id))['/shared']).toBe('both\n')
    expect(
      run(await mergeBranch(project, { branchId: child, ...all, paths: [at('/shared')] })).answer.conflicts,
    ).toEqual([])
  })

  it.each(['/none', '/.git/config'])('write no text at %s, which the branch did not change', async (path) => {
    const { world, project, id, child } = await open()
    const before = await world.files(id)
    const decided = await resolveConflict(project, { branchId: child, path: at(path), text: 'x' })
    expect(decided).toMatchObject({ ok: false, error: { code: 'not_found' } })
    expect(await world.files(id)).toEqual(before)
  })

  it('settle a conflict by either side as a whole, and can be undone', async () => {
    const { world, project, id, child, run } = await open()
    const before = await world.files(id)
    const statuses = async () =>
      run(await mergeBranch(project, { branchId: child, ...all, paths: [at('/shared')] })).answer.conflicts.length
    const kept = run(await takeSide(project, { branchId: child, path: at('/shared'), side: 'ours' }))
    expect([await world.files(id), await statuses()]).toEqual([before, 0])
    expect(world.services.log.state.branches.get(child)?.merges.at(-1)).toMatchObject({ paths: ['/shared'] })
    run(undoEntry(project, kept.sequence as Sequence))
    expect(await statuses()).toBe(1)
    const taken = run(await takeSide(project, { branchId: child, path: at('/shared'), side: 'theirs' }))
    expect([(await world.files(id))['/shared'], await statuses()]).toEqual(['child\n', 0])
    run(undoEntry(project, taken.sequence as Sequence))
    expect([await world.files(id), await statuses()]).toEqual([before, 1])
  })

  it('are refused when somebody else changed the branch meanwhile', async () => {
    const { world, project, child, run } = await open()
    const decided = await mergeBranch(project, { branchId: child, ...all, force: true })
    run(
      revertChanges(project, {
        branchId: world.thread([...world.services.log.state.threads.keys()][0] as ThreadId).branchId,
        paths: [at('/shared')],
      }),
    )
    expect(() => run(decided)).toThrow(
      expect.objectContaining({ code: 'conflict', message: expect.stringContaining('merge again') }),
    )
  })

  it('drop a whole branch and restore it unchanged within seven days', async () => {
    const { world, project, child, childThread, run, refused } = await open()
    const before = await world.files(childThread)
    const dropped = run(discardBranch(project, { branchId: child, paths: null }))
    expect([
      refused(await mergeBranch(project, { branchId: child, ...all })),
      refused(discardBranch(project, { branchId: child, paths: null })),
    ]).toEqual(['conflict', 'conflict'])
    run(restoreBranch(project, child))
    expect(world.entries('branch.restored')).toMatchObject([{ branchId: child, undoes: dropped.sequence }])
    expect(await world.files(childThread)).toEqual(before)
    expect([refused(restoreBranch(project, child)), refused(undoEntry(project, dropped.sequence as Sequence))]).toEqual(
      ['conflict', 'not_found'],
    )
    run(discardBranch(project, { branchId: child, paths: null }))
    world.services.clock.advance(7 * day + 1)
    expect(refused(restoreBranch(project, child))).toBe('not_found')
  })

  it('drop paths of a branch, and can be undone', async () => {
    const { world, project, child, childThread, run } = await open()
    const before = await world.files(childThread)
    const dropped = run(discardBranch(project, { branchId: child, paths: [at('/new')] }))
    expect(Object.keys(await world.files(childThread))).toEqual(['/kept', '/shared'])
    run(undoEntry(project, dropped.sequence as Sequence))
    expect(await world.files(childThread)).toEqual(before)
  })

  it('refuse the workspace, which has no parent, and a missing branch', async () => {
    const { project, branchId, refused } = await open()
    expect([
      refused(await mergeBranch(project, { branchId, ...all })),
      refused(discardBranch(project, { branchId, paths: null })),
    ]).toEqual(['refused', 'refused'])
    expect(refused(await mergeBranch(project, { branchId: 'none' as BranchId, ...all }))).toBe('not_found')
  })
})

describe('commands about changes', () => {
  it('reset paths to the base, and can be undone until later changes build on them', async () => {
    const { world, project, id, branchId, run, refused } = await open()
    const before = await world.files(id)
    const reverted = run(revertChanges(project, { branchId, paths: [at('/shared'), at('/own')] }))
    expect(await world.files(id)).toEqual({ '/kept': 'base', '/shared': 'base\n' })
    run(undoEntry(project, reverted.sequence as Sequence))
    expect(await world.files(id)).toEqual(before)
    expect(() => run(undoEntry(project, reverted.sequence as Sequence))).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    )
    expect(refused(undoEntry(project, 1))).toBe('not_found')
  })

  it('are exactly reversed by an immediate undo, for any paths', async () => {
    const path = fc.constantFrom('/shared', '/own', '/kept', '/none', '/')
    const property = fc.asyncProperty(fc.array(path, { minLength: 1, maxLength: 3 }), async (paths) => {
      const { world, project, id, branchId, run } = await open()
      const before = await world.files(id)
      const { sequence } = run(revertChanges(project, { branchId, paths: paths.map(at) }))
      if (sequence !== null) run(undoEntry(project, sequence))
      expect(await world.files(id)).toEqual(before)
    })
    await fc.assert(property, { numRuns: 20 })
  })

  it('decide what changed in the workspace and on disk, all of it or nothing', async () => {
    const { world, project, id, branchId, run, refused } = await open()
    const settle = async (path: string, choice: { keep: 'both' | 'ours' | 'theirs' } | { text: string }) =>
      settleDrift(project, { branchId, choices: [{ path: at(path), ...choice }] })
    const before = await world.files(id)
    expect(refused(await settle('/shared', { keep: 'both' })), 'nothing to decide').toBe('conflict')
    world.services.onDisk('/shared', 'disk\n')
    expect(refused(await settle('/shared', { keep: 'both' })), 'they overlap').toBe('conflict')
    const both = [
      { path: at('/shared'), keep: 'ours' as const },
      { path: at('/shared'), keep: 'theirs' as const },
    ]
    expect(refused(await settleDrift(project, { branchId, choices: both })), 'decided twice').toBe('conflict')
    expect(await world.files(id), 'nothing was decided').toEqual(before)

    const ours = run(await settle('/shared', { keep: 'ours' }))
    expect(await world.files(id), 'the text stays').toEqual(before)
    expect(refused(await settle('/shared', { keep: 'ours' })), 'and is decided').toBe('conflict')
    run(undoEntry(project, ours.sequence as Sequence))
    run(await settle('/shared', { keep: 'theirs' }))
    expect((await world.files(id))['/shared']).toBe('disk\n')
  })

  it('take a text of a person for what changed on both sides', async () => {
    const { world, project, id, branchId, run } = await open()
    world.services.onDisk('/shared', 'disk\n')
    const choices = [{ path: at('/shared'), text: 'disk and main\n' }]
    run(await settleDrift(project, { branchId, choices }))
    expect((await world.files(id))['/shared']).toBe('disk and main\n')
  })
})

describe('commands about memory', () => {
  const text = ({ services }: AgentWorld, name: string) => services.log.state.memories.get(name)?.text
  const latest = ({ services }: AgentWorld, name: string) => {
    const memory = services.log.state.memories.get(name)
    return memory ? latestVersion(memory).sequence : null
  }

  it('write, restore and delete versions, based on the version that a person saw', async () => {
    const world = await openWorld()
    const project = world.services
    const run = (decided: Decided) => executeCommand(project.log, decided).sequence
    const first = run(writeMemory(project, { name: 'a.md', latest: null, text: 'one' }))
    expect(() => run(writeMemory(project, { name: 'a.md', latest: null, text: 'late' }))).toThrow(
      'written again meanwhile',
    )
    run(writeMemory(project, { name: 'a.md', latest: first, text: 'two' }))
    expect(
      run(writeMemory(project, { name: 'a.md', latest: latest(world, 'a.md'), text: 'two' })),
      'the same',
    ).toBeNull()
    run(restoreMemory(project, { name: 'a.md', latest: latest(world, 'a.md'), to: first }))
    expect(text(world, 'a.md')).toBe('one')
    run(deleteMemory(project, { name: 'a.md', latest: latest(world, 'a.md') }))
    expect(text(world, 'a.md')).toBeNull()
    run(restoreMemory(project, { name: 'a.md', latest: latest(world, 'a.md'), to: first }))
    expect(text(world, 'a.md')).toBe('one')
  })

  it.each(['', '..', '../x', 'a//b', '/a', 'a/', './a', 'a\0b'])('refuse the name %j', async (name) => {
    const { services } = await openWorld()
    const decided = () => executeCommand(services.log, writeMemory(services, { name, latest: null, text: 'x' }))
    expect(decided).toThrow()
    expect(services.log.state.memories).toEqual(LayeredMap.empty())
  })

  it('refuse a version of another memory, and a secret', async () => {
    const { services } = await openWorld()
    const { sequence } = executeCommand(
      services.log,
      writeMemory(services, { name: 'a.md', latest: null, text: 'one' }),
    )
    expect(restoreMemory(services, { name: 'b.md', latest: null, to: sequence })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    })
    expect(() => writeMemory(services, { name: 'c.md', latest: null, text: 'DB_PASSWORD=hunter2-hunter2' })).toThrow(
      'looks as if it held a secret',
    )
  })

  it('store nothing when a missing memory is deleted', async () => {
    const { services } = await openWorld()
    const remove = (name: string, latest: Sequence | null) =>
      executeCommand(services.log, deleteMemory(services, { name, latest })).sequence
    expect(remove('none.md', null)).toBeNull()
    const { sequence } = executeCommand(
      services.log,
      writeMemory(services, { name: 'a.md', latest: null, text: 'one' }),
    )
    const deleted = remove('a.md', sequence)
    expect(deleted).not.toBeNull()
    expect(remove('a.md', deleted)).toBeNull()
  })
})

describe('commands that go back in time', () => {
  const checkpoint = (world: AgentWorld) => world.entries('checkpoint')[1]?.sequence ?? 0

  it('rewind a thread, and redo it', async () => {
    const { world, project, id, run } = await open()
    const before = [await world.files(id), world.thread(id).messages.length]
    const to = world.entries('checkpoint').find(({ threadId }) => threadId === id)?.sequence ?? 0
    const { sequence } = run(rewindThread(project, { threadId: id, to, files: true, conversation: true, undoes: null }))
    expect(await world.files(id)).toEqual({ '/kept': 'base', '/shared': 'base\n' })
    const redo = redoOf(project.log, id, sequence as Sequence)
    if (!redo.ok) throw redo.error
    run(rewindThread(project, redo.value))
    expect([await world.files(id), world.thread(id).messages.length]).toEqual(before)
  })

  it('refuse a rewind to no checkpoint, a rewind of nothing, and a redo of anything but a rewind', async () => {
    const { world, project, id, refused } = await open()
    const both = { files: true, conversation: true, undoes: null }
    const within = world.entries('tool.started')[0]?.sequence ?? 0
    expect(refused(rewindThread(project, { threadId: id, to: within, ...both }))).toBe('not_found')
    const to = world.entries('checkpoint').find(({ threadId }) => threadId === id)?.sequence ?? 0
    expect(refused(rewindThread(project, { threadId: id, to, files: false, conversation: false, undoes: null }))).toBe(
      'invalid',
    )
    expect(redoOf(project.log, id, to)).toMatchObject({ ok: false, error: { code: 'not_found' } })
  })

  it('fork a thread with its files and conversation, which then continues independently', async () => {
    const { world, project, id, run } = await open()
    const to = world.entries('checkpoint').findLast(({ threadId }) => threadId === id)?.sequence ?? checkpoint(world)
    project.scratch.write(id, '/inputs/data.json', new TextEncoder().encode('{}'))
    const before = await world.files(id)
    const { answer: forked } = run(forkThread(project, { threadId: id, to }, 'copy'))
    expect([await world.files(forked), world.scratch(forked, '/inputs/data.json')]).toEqual([before, '{}'])
    await world.say(forked, 'go on')
    expect(world.thread(forked)).toMatchObject({ title: 'copy', status: 'done', parent: null })
    expect(world.thread(id).messages.length).toBeLessThan(world.thread(forked).messages.length)
    expect(world.requests.at(-1)?.messages.length).toBeGreaterThan(2)
  })
})
