import { describe, expect, it } from 'vitest'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { invert } from '#shared/model/patch.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { commitAlways } from '../journal/project-log.ts'
import { type ScriptedCall, taskOf, turnOf } from '../ports/model-client.testkit.ts'
import { undoStep } from './changes.ts'
import { executeCommand } from './command.ts'
import { rewindThread } from './rewind.ts'

const write = (name: string, content = 'x'): ScriptedCall => ({
  name: 'write_file',
  input: { file_path: `/${name}`, content },
})

async function open(calls: Readonly<Record<string, readonly ScriptedCall[]>>) {
  const world = await openWorld({
    files: { '/good': 'fine' },
    script(request) {
      const call = calls[taskOf(request)]?.[turnOf(request)]
      return call ? { calls: [call] } : { text: 'done' }
    },
  })
  const { services } = world
  const stepsOf = (id: ThreadId) => {
    const { branchId } = world.thread(id)
    return world.entries('tree.changed').filter((entry) => entry.branchId === branchId)
  }
  const undo = (branchId: BranchId, sequence: Sequence | undefined) =>
    undoStep(services, { branchId, sequence: sequence ?? (0 as Sequence) })
  const undone = async (branchId: BranchId, sequence: Sequence | undefined) =>
    executeCommand(services.log, await undo(branchId, sequence))
  return { world, services, stepsOf, undo, undone }
}

describe('undoing one step', () => {
  it('takes off what the step did and leaves what came later', async () => {
    const { world, stepsOf, undone } = await open({ main: [write('a'), write('b'), write('c')] })
    const id = await world.run('main')
    await undone(world.thread(id).branchId, stepsOf(id)[1]?.sequence)
    expect(Object.keys(await world.files(id))).toEqual(['/a', '/c', '/good'])
  })

  it('never applies anything of another thread', async () => {
    const { world, stepsOf, undo } = await open({
      one: [write('shared', 'of one')],
      two: [write('other'), write('shared', 'of one')],
    })
    const one = await world.run('one')
    const two = await world.run('two')
    const before = await world.files(two)
    const refused = await undo(world.thread(two).branchId, stepsOf(one)[0]?.sequence)
    expect(refused).toMatchObject({ ok: false, error: { code: 'not_found' } })
    expect(await world.files(two)).toEqual(before)
  })

  it('takes off what a merged branch did, and nothing of a branch that stands beside', async () => {
    const spawn = { name: 'spawn_subagents', input: { tasks: ['one', 'two'].map((name) => ({ task: name, name })) } }
    const { world, stepsOf, undo, undone } = await open({
      main: [spawn, { name: 'merge_subagent', input: { handle: ['subagent_0', 'subagent_1'] } }],
      one: [write('a', 'same'), write('b')],
      two: [write('a', 'same')],
    })
    const id = await world.run('main')
    const [one, two] = world.children(id)
    if (!one || !two) throw new Error('Two subagents were expected')
    const step = stepsOf(one.id)[0]?.sequence
    expect(await undo(two.branchId, step)).toMatchObject({ ok: false, error: { code: 'not_found' } })
    await undone(world.thread(id).branchId, step)
    expect(Object.keys(await world.files(id))).toEqual(['/b', '/good'])
  })

  it('refuses what was written to the folder, which has its own undo, and what is no step at all', async () => {
    const { world, services, stepsOf, undo } = await open({ main: [write('a'), write('b')] })
    const id = await world.run('main')
    const { branchId } = world.thread(id)
    const [first] = stepsOf(id)
    const patch = invert(first?.patch ?? [])
    const [applied] = commitAlways(services.log, [
      { type: 'apply.finished', threadId: id, branchId, paths: patch.map(([path]) => path), patch },
    ])
    expect(await undo(branchId, applied.sequence)).toMatchObject({ ok: false, error: { code: 'refused' } })
    const [checkpoint] = world.entries('checkpoint')
    expect(await undo(branchId, checkpoint?.sequence)).toMatchObject({ ok: false, error: { code: 'not_found' } })
    expect(await undo(branchId, 9_999 as Sequence)).toMatchObject({ ok: false, error: { code: 'not_found' } })
  })

  it('says that nothing is left of a step that was taken back already', async () => {
    const { world, services, stepsOf, undo, undone } = await open({ main: [write('a'), write('b'), write('c')] })
    const id = await world.run('main')
    const { branchId } = world.thread(id)
    const [first, second] = stepsOf(id)
    const [, checkpoint] = world.entries('checkpoint')
    const to = checkpoint?.sequence ?? 0
    executeCommand(
      services.log,
      rewindThread(services, { threadId: id, to: to as Sequence, files: true, conversation: false, undoes: null }),
    )
    expect(Object.keys(await world.files(id))).toEqual(['/a', '/good'])
    const nothing = { ok: false, error: { message: 'Nothing of this step is left on the branch.' } }
    expect(await undo(branchId, second?.sequence)).toMatchObject(nothing)
    await undone(branchId, first?.sequence)
    expect(await undo(branchId, first?.sequence)).toMatchObject(nothing)
  })
})
