import { describe, expect, it } from 'vitest'
import type { ProjectId, Sequence } from '#shared/model/ids.ts'
import { latestVersion } from '#shared/model/memory.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { byTask } from '../ports/model-client.testkit.ts'
import { someWrite } from '../ports/stores/user-memories.testkit.ts'
import { type Decided, executeCommand } from './command.ts'
import { writeMemory } from './memory.ts'
import {
  deleteUserMemory,
  findUserMemoryVersion,
  restoreUserMemory,
  undoUserMemory,
  writeUserMemory,
} from './memory-user.ts'

const name = 'notes/style.md'
const projectId = 'project' as ProjectId

async function open() {
  const call = { name: 'write_file', id: 'w', input: { file_path: `/memories/user/${name}`, content: 'by the agent' } }
  const world = await openWorld({ script: byTask({ main: [{ calls: [call] }] }) })
  const project = world.services
  const run = (decided: Decided) => executeCommand(project.log, decided).sequence
  const refused = (decided: Decided) => (decided.ok ? 'allowed' : decided.error.code)
  const memory = () => project.userMemories.current().get(name)
  return {
    world,
    project,
    run,
    refused,
    text: () => memory()?.text ?? null,
    latest: (): Sequence | null => {
      const found = memory()
      return found ? latestVersion(found).sequence : null
    },
    undo: (sequence: Sequence | null) => undoUserMemory(project, { projectId, sequence: sequence ?? 0 }),
  }
}

describe('commands about memories for all projects', () => {
  it('write, delete and restore versions', async () => {
    const { project, run, text, latest } = await open()
    run(writeUserMemory(project, { name, latest: null, text: 'one' }))
    const first = latest() ?? 0
    run(writeUserMemory(project, { name, latest: latest(), text: 'two' }))
    expect(run(writeUserMemory(project, { name, latest: latest(), text: 'two' })), 'an unchanged text').toBeNull()
    expect(findUserMemoryVersion(project, name, first)).toMatchObject({ ok: true, value: 'one' })
    run(deleteUserMemory(project, { name, latest: latest() }))
    expect(text()).toBeNull()
    expect(run(deleteUserMemory(project, { name, latest: latest() })), 'gone already').toBeNull()
    run(restoreUserMemory(project, { name, latest: latest(), to: first }))
    expect(text()).toBe('one')
    const versions = project.userMemories.current().get(name)?.versions
    expect(versions).toMatchObject({ length: 4, value: { restores: first, agent: null } })
  })

  it('refuse a stale version, a bad name, a secret, and a note below a note', async () => {
    const { project, run, refused } = await open()
    run(writeUserMemory(project, { name, latest: null, text: 'one' }))
    const fresh = (given: string, text = 'x') => refused(writeUserMemory(project, { name: given, latest: null, text }))
    expect(refused(writeUserMemory(project, { name, latest: null, text: 'x' }))).toBe('conflict')
    expect(refused(deleteUserMemory(project, { name, latest: 99 }))).toBe('conflict')
    expect(refused(restoreUserMemory(project, { name, latest: 1, to: 99 }))).toBe('not_found')
    expect([fresh('../up.md'), fresh('/root.md')]).toEqual(['invalid', 'invalid'])
    expect(fresh('key.md', 'sk-abcdefghijklmnopqrstuvwxyz012345')).toBe('refused')
    expect([fresh(`${name}/below`), fresh('notes')]).toEqual(['refused', 'refused'])
  })

  it("undo an agent's write, a person's undo of it, and a deletion", async () => {
    const { world, project, run, text, latest, undo } = await open()
    run(writeUserMemory(project, { name, latest: null, text: 'before' }))
    const id = await world.run('main')
    expect(text()).toBe('by the agent')
    const [note] = world.thread(id).calls.get('w' as never)?.remembered ?? []
    const undone = run(undo(note?.sequence ?? 0))
    expect(text()).toBe('before')
    expect(project.log.state.userMemories.get(name)).toEqual({ latest: undone, undone: [note?.sequence] })
    run(undo(undone))
    expect(text()).toBe('by the agent')
    const deletion = run(deleteUserMemory(project, { name, latest: latest() }))
    run(undo(deletion))
    expect(text()).toBe('by the agent')
  })

  it('undo a first write by deleting it, and refuse once another project wrote again', async () => {
    const { project, run, refused, text, latest, undo } = await open()
    const first = run(writeUserMemory(project, { name, latest: null, text: 'one' }))
    run(undo(first))
    expect(text()).toBeNull()
    const second = run(writeUserMemory(project, { name, latest: latest(), text: 'two' }))
    project.userMemories.record([{ ...someWrite, name, text: 'elsewhere', at: Date.now() }], 'now')
    expect(refused(undo(second))).toBe('conflict')
    expect([refused(undo(999)), text()]).toEqual(['not_found', 'elsewhere'])
  })

  it('keep notes of the project out of their folder', async () => {
    const { project } = await open()
    expect(() => writeMemory(project, { name: 'user/a.md', latest: null, text: 'x' })).toThrow(/For all projects/)
  })
})
