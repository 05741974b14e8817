import { describe, expect, it } from 'vitest'
import { planMerge, treeHash } from '#overlay'
import { failure } from '#shared/base/result.ts'
import type { GreenMergeState } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { type AgentWorld, openWorld } from '../agent/agent-world.testkit.ts'
import { branchSides } from '../branches/branch-sides.ts'
import { storeGreenMerge } from '../commands/branches.ts'
import { endQueuedMerges, queueMerges } from '../commands/checks.ts'
import { executeCommand } from '../commands/command.ts'
import type { Program } from '../ports/machine-programs.testkit.ts'
import { byTask, type ScriptedCall } from '../ports/model-client.testkit.ts'
import { createGreenQueue, type GreenQueueServices } from './green-queue.ts'

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

/** A queue over the world's journal, as each run of the app opens one. */
function openQueue({ services }: AgentWorld, checks: GreenQueueServices['checks'] = services.checks) {
  return createGreenQueue({
    ...{ log: services.log, checks, clock: services.clock, announce: services.announce },
    planMerge: (trees, branch, options) => planMerge({ ...services, ...branchSides(trees, branch), ...options }),
    queue: (ids) => void executeCommand(services.log, queueMerges(services, ids)),
    end: (ends) => void executeCommand(services.log, endQueuedMerges(ends)),
    store: (branchId, plan) => executeCommand(services.log, storeGreenMerge(services, branchId, plan)).sequence,
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

/** Checks that never end once the first merge was checked, and who asked for each of them. */
function stuckAfterOne({ services: { checks } }: AgentWorld) {
  const stuck = Promise.withResolvers<void>()
  let runs = 0
  const run: GreenQueueServices['checks']['run'] = async (request, signal) => {
    runs += 1
    if (runs === 1) return checks.run(request, signal)
    stuck.resolve()
    const ended = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => ended.reject(signal.reason))
    return ended.promise
  }
  return { checks: { ...checks, run }, isStuck: stuck.promise }
}

/** Three branches, of which one is merged, one is being checked and one waits. */
async function openHalfway() {
  const opened = await openBranches(...['a', 'b', 'c'].map((name) => [write(`/${name}`, name)]))
  const { checks, isStuck } = stuckAfterOne(opened.world)
  const queue = openQueue(opened.world, checks)
  queue.add(opened.ids)
  await isStuck
  return { ...opened, queue }
}

describe('a queue that the app was closed or killed in', () => {
  it.each(['closed', 'killed'])('goes on after it was %s, and merges and checks each branch once', async (how) => {
    const { world, id, ids, queue } = await openHalfway()
    expect(queue.view()?.branches.map(({ state }) => state.kind)).toEqual(['merged', 'checking', 'queued'])
    // One that was killed is just not there any more.
    if (how === 'closed') await queue[Symbol.asyncDispose]()
    await using next = openQueue(world)
    expect(next.view()).toMatchObject({
      branches: [{ state: { kind: 'merged' } }, { state: { kind: 'queued' } }, { state: { kind: 'queued' } }],
      isRunning: false,
    })
    next.resume()
    const ends = await endsOf(next)
    const merges = world.entries('branch.merged')
    expect(ends).toEqual(merges.map(({ sequence }) => ({ kind: 'merged', sequence })))
    expect(merges.map(({ branchId }) => branchId)).toEqual(ids)
    expect(world.entries('check.finished')).toHaveLength(3)
    expect(world.entries('merge.ended').map(({ end }) => end.kind)).toEqual(['merged', 'merged', 'merged'])
    expect(await world.files(id)).toMatchObject({ '/a': 'a', '/b': 'b', '/c': 'c' })
  })

  it('keeps its ends until the next one, with the output of a red check', async () => {
    const { world, ids, queue } = await openBranches([write('/caller', 'missing')], [write('/x', 'x')])
    queue.add(ids.slice(0, 1))
    const [red] = await endsOf(queue)
    await queue[Symbol.asyncDispose]()
    await using next = openQueue(world)
    next.resume()
    expect(next.view()).toEqual({ branches: [{ branchId: ids[0], state: red }], isRunning: false })
    expect(red).toMatchObject({ failed: [{ check: 'calls', output: expect.stringContaining('calls missing') }] })
    next.add(ids.slice(1))
    expect(await endsOf(next)).toMatchObject([{ kind: 'merged' }])
  })

  it('asks for checks as nobody does who watches, except for what a person adds now', async () => {
    const { world, ids, queue } = await openHalfway()
    await queue[Symbol.asyncDispose]()
    const askedBy: string[] = []
    const { checks } = world.services
    await using next = openQueue(world, {
      ...checks,
      async run(request, signal) {
        askedBy.push(request.by)
        return request.by === 'agent' ? failure('Only the user starts them.') : checks.run(request, signal)
      },
    })
    next.add(ids.slice(2))
    expect(await endsOf(next)).toMatchObject([
      { kind: 'merged' },
      { kind: 'refused', reason: 'Only the user starts them.' },
      { kind: 'merged' },
    ])
    expect(askedBy).toEqual(['agent', 'person'])
  })

  it('refuses what no check would keep back any more', async () => {
    const { world, queue } = await openHalfway()
    await queue[Symbol.asyncDispose]()
    await using next = openQueue(world, { ...world.services.checks, definitions: () => [] })
    next.resume()
    const reason = expect.stringContaining('No check runs on merges')
    expect((await endsOf(next)).slice(1)).toEqual([
      { kind: 'refused', reason },
      { kind: 'refused', reason },
    ])
    expect(world.entries('branch.merged')).toHaveLength(1)
  })

  it('was left by a person who took everything out', async () => {
    const { world, queue } = await openHalfway()
    queue.cancel(null)
    await expect.poll(() => queue.view()?.isRunning).toBe(false)
    await using next = openQueue(world)
    next.resume()
    expect(next.view()?.branches.map(({ state }) => state.kind)).toEqual(['merged', 'cancelled', 'cancelled'])
    expect(next.view()?.isRunning).toBe(false)
  })

  it('waits with what the disk does not take', async () => {
    const { world, ids } = await openBranches([write('/caller', 'missing')])
    const { services } = world
    const problems: string[] = []
    await using queue = createGreenQueue({
      ...{ log: services.log, checks: services.checks, clock: services.clock, announce: services.announce },
      planMerge: (trees, branch, options) => planMerge({ ...services, ...branchSides(trees, branch), ...options }),
      queue: (waiting) => void executeCommand(services.log, queueMerges(services, waiting)),
      end() {
        throw new Error('The disk is full.')
      },
      store: () => null,
      report: (problem) => problems.push(problem),
    })
    queue.add(ids)
    expect(await endsOf(queue)).toEqual([{ kind: 'queued' }])
    expect(problems).toEqual(['The queue of merges could not go on'])
  })
})
