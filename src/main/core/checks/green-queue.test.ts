import { describe, expect, it } from 'vitest'
import type { GreenMergeState } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { type AgentWorld, openWorld } from '../agent/agent-world.testkit.ts'
import { planMerge } from '../branches/merge/plan.ts'
import { storeMerge } from '../commands/branches.ts'
import { executeCommand } from '../commands/command.ts'
import { treeHash } from '../overlay/tree.ts'
import type { Program } from '../ports/machine-programs.testkit.ts'
import { byTask, type ScriptedCall } from '../ports/model-client.testkit.ts'
import { createGreenQueue } from './green-queue.ts'

const write = (file_path: string, content: string): ScriptedCall => ({
  name: 'write_file',
  input: { file_path, content },
})

/** Every name that a file calls must be defined by `/lib`. */
const calls: Program = (_, { machine, folder, print }) => {
  const read = (path: string) => new TextDecoder().decode(machine.read(`${folder}/${path}`))
  const defined = new Set(read('lib').split(' '))
  const missing = [...machine.names(folder)].flatMap((name) => {
    const called = name.startsWith('caller') ? read(name).trim() : ''
    return called === '' || defined.has(called) ? [] : [`${name} calls ${called}`]
  })
  print(missing.join('\n'))
  return missing.length > 0 ? 1 : 0
}

/** None is the beginning of another. */
const childName = (index: number) => `child ${'abcdefghijkl'[index]}`

/** A parent with one subagent for each list of calls. */
async function openBranches(...branches: readonly (readonly ScriptedCall[])[]) {
  const tasks = branches.map((_, index) => childName(index))
  const children = branches.map((own, index) => [childName(index), [{ calls: own }, { text: 'done' }]] as const)
  const world = await openWorld({
    files: { '/lib': 'old' },
    checks: [{ name: 'calls', run: 'calls' }],
    programs: { calls },
    settings: { maxSubagentDepth: 1 },
    script: byTask({
      main: [
        ...[tasks.slice(0, 6), tasks.slice(6)].flatMap((some) =>
          some.length === 0 ? [] : [{ calls: [{ name: 'spawn_subagents', input: { tasks: some } }] }],
        ),
        { text: 'done' },
      ],
      ...Object.fromEntries(children),
    }),
  })
  const id = await world.run('main')
  return { world, id, ids: world.children(id).map(({ branchId }) => branchId), queue: openQueue(world) }
}

function openQueue({ services }: AgentWorld) {
  return createGreenQueue({
    ...{ log: services.log, checks: services.checks, clock: services.clock, announce: services.announce },
    planMerge: (trees, branch, options) => planMerge({ ...services, trees, branch, ...options }),
    store: (branchId, plan) => executeCommand(services.log, storeMerge(services, branchId, plan)).sequence,
    report(_, error) {
      throw error
    },
  })
}

async function endsOf(queue: ReturnType<typeof openQueue>): Promise<readonly GreenMergeState[]> {
  await expect.poll(() => queue.view()?.isRunning).toBe(false)
  return queue.view()?.branches.map(({ state }) => state) ?? []
}

describe('merges when green', () => {
  it('refuse what is green alone and red together, and leave the parent as it was', async () => {
    const renames = [write('/lib', 'new')]
    const addsCaller = [write('/caller', 'old')]
    const { world, id, ids, queue } = await openBranches(renames, addsCaller)
    queue.add(ids)
    const [first, second] = await endsOf(queue)
    expect(first?.kind).toBe('merged')
    expect(second).toMatchObject({
      kind: 'red',
      greenAlone: true,
      failed: [{ check: 'calls', outcome: 'red', output: expect.stringContaining('caller calls old') }],
    })
    expect(await world.files(id)).toEqual({ '/lib': 'new' })
  })

  it('leave the hash of the parent’s tree unchanged when the merge is red', async () => {
    const { world, id, ids, queue } = await openBranches([write('/caller', 'missing')])
    const { log, hashing } = world.services
    const hash = () => {
      const tree = log.trees.heads.get(world.thread(id).branchId)
      return tree && treeHash(tree, hashing)
    }
    const before = hash()
    queue.add(ids)
    expect(await endsOf(queue)).toMatchObject([{ kind: 'red', greenAlone: false }])
    expect([hash(), world.entries('branch.merged')]).toEqual([before, []])
  })

  it('go on in order after a red branch, twelve in one queue', async () => {
    const branches = Array.from({ length: 12 }, (_, index) => [
      write(`/caller${index}`, index === 4 ? 'missing' : 'old'),
    ])
    const { world, id, ids, queue } = await openBranches(...branches)
    queue.add(ids)
    const kinds = (await endsOf(queue)).map(({ kind }) => kind)
    expect(kinds).toEqual(ids.map((_, index) => (index === 4 ? 'red' : 'merged')))
    expect(Object.keys(await world.files(id))).toHaveLength(12)
    // Each was checked on the tree that the one before it left.
    expect(ids).toHaveLength(12)
    const trees = world.entries('check.finished').flatMap(({ on, result }) => (on === 'merge' ? [result.tree] : []))
    expect(new Set(trees).size).toBe(12)
  })

  it('say what conflicts, what is gone and what was taken out', async () => {
    const { ids, queue } = await openBranches([write('/lib', 'old a')], [write('/lib', 'old b')], [write('/x', 'x')])
    queue.add([...ids, 'unknown' as BranchId])
    queue.cancel([ids[2] as BranchId])
    expect(await endsOf(queue)).toMatchObject([
      { kind: 'merged' },
      { kind: 'conflict', paths: ['/lib'] },
      { kind: 'cancelled' },
      { kind: 'refused', reason: expect.stringContaining('discarded') },
    ])
  })
})
