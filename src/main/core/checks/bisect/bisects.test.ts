import { expect, it } from 'vitest'
import type { Bisect } from '#shared/model/derived/bisect.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import { openWorld } from '../../agent/agent-world.testkit.ts'
import { executeCommand } from '../../commands/command.ts'
import { rewindThread } from '../../commands/rewind.ts'
import { type ScriptedCall, taskOf, turnOf } from '../../ports/model-client.testkit.ts'
import type { CheckRequest, ProjectChecks } from '../project-checks.ts'
import { type BisectRequest, createBisects } from './bisects.ts'
import { statesOf } from './branch-states.ts'

const never = new AbortController().signal

const write = (name: string, content = 'x'): ScriptedCall => ({
  name: 'write_file',
  input: { file_path: `/${name}`, content },
})
const breaks = { name: 'edit_file', input: { file_path: '/good', old_string: 'fine', new_string: 'broken' } }
const spawn: ScriptedCall = {
  name: 'spawn_subagents',
  input: { tasks: ['one', 'two', 'three'].map((name) => ({ task: name, name })) },
}
const merge: ScriptedCall = {
  name: 'merge_subagent',
  input: { handle: ['subagent_0', 'subagent_1', 'subagent_2'] },
}
const many = (name: string, count: number) => Array.from({ length: count }, (_, at) => write(`${name}${at}`))

/** A thread whose agents make these calls, one in each turn; `main` is the agent of the thread. */
async function open(calls: Readonly<Record<string, readonly ScriptedCall[]>>, run = 'sound good') {
  let runs = 0
  const world = await openWorld({
    files: { '/good': 'fine' },
    script(request) {
      const call = calls[taskOf(request)]?.[turnOf(request)]
      return call ? { calls: [call] } : { text: 'done' }
    },
    checks: [{ name: 'test', run, required: false }],
    programs: {
      sound([path = ''], { machine, folder }) {
        runs += 1
        return new TextDecoder().decode(machine.read(`${folder}/${path}`)) === 'fine' ? 0 : 1
      },
    },
  })
  const id = await world.run('main')
  const { branchId } = world.thread(id)
  const request: BisectRequest = { branchId, check: 'test', isFlaky: false, atOnce: 1 }
  const checks: ProjectChecks = world.services.checks
  const bisects = createBisects({ ...world.services, announce: () => {} })
  const steps = (of: BranchId = branchId) => statesOf(world.services, of)
  return { world, id, branchId, request, checks, bisects, steps, runs: () => runs }
}

it('finds the call that broke a check, and runs nothing twice when asked again', async () => {
  const { bisects, request, world, runs } = await open({ main: [...many('a', 12), breaks, ...many('b', 9)] })
  const found = await bisects.run(request, never)
  expect(found.end).toMatchObject({ kind: 'found', step: { at: 13, mergedBy: null } })
  const { end } = found
  const entry =
    end?.kind === 'found' && end.step.sequence !== null ? world.services.log.entryAt(end.step.sequence) : null
  expect(entry).toMatchObject({ type: 'tree.changed', patch: [['/good', expect.anything()]] })
  expect(found.steps).toBe(22)
  expect([found.runs, runs()]).toEqual([runs(), runs()])
  expect(runs()).toBeLessThanOrEqual(Math.ceil(Math.log2(22)) + 2)
  const before = runs()
  const again = await bisects.run(request, never)
  expect(again.end).toEqual(found.end)
  // The older of the two verdicts is heard again.
  expect(runs() - before).toBeLessThanOrEqual(1)
})

it('looks into what was merged, and names the step of the agent that did it', async () => {
  const { bisects, request, world, steps } = await open({
    main: [spawn, merge, ...many('after', 3)],
    one: many('one', 4),
    two: [...many('two', 3), breaks, ...many('more', 4)],
    three: many('three', 5),
  })
  expect(await steps()).toHaveLength(1 + 4 + 8 + 5 + 3)
  const { end } = await bisects.run(request, never)
  const two = [...world.services.log.state.branches.values()].find(({ handle }) => handle === 'subagent_1')
  expect(end).toMatchObject({ kind: 'found', step: { branchId: two?.id, mergedBy: expect.any(Number) } })
  const entry =
    end?.kind === 'found' && end.step.sequence !== null ? world.services.log.entryAt(end.step.sequence) : null
  expect(entry).toMatchObject({ type: 'tree.changed', branchId: two?.id, patch: [['/good', expect.anything()]] })
})

it('names the call of a subagent that broke it with its only or its last step, and not the merge', async () => {
  for (const two of [[breaks], [...many('two', 2), breaks]]) {
    const { bisects, request, world } = await open({
      main: [spawn, merge, ...many('after', 3)],
      ...{ one: many('one', 1), two, three: many('three', 2) },
    })
    const { end } = await bisects.run(request, never)
    const branch = [...world.services.log.state.branches.values()].find(({ handle }) => handle === 'subagent_1')
    expect(end).toMatchObject({ kind: 'found', step: { branchId: branch?.id, mergedBy: expect.any(Number) } })
  }
})

it('never names a step that was taken back', async () => {
  const { bisects, request, world, id, steps } = await open({
    main: [...many('a', 3), breaks, write('b')],
  })
  const { services } = world
  const to = world.entries('checkpoint')[2]?.sequence ?? (0 as Sequence)
  const back = { threadId: id, to, files: true, conversation: true, undoes: null }
  executeCommand(services.log, rewindThread(services, back))
  await world.say(id, 'again')
  // The model goes on after the third step, in the same way as before.
  expect(await steps()).toHaveLength(1 + 3 + 2)
  const { end } = await bisects.run(request, never)
  expect(end).toMatchObject({ kind: 'found', step: { at: 4 } })
  // Back to before all of it and forth again: the steps between are still those that led here.
  const again = [...world.entries('rewound')].length
  const start = { ...back, to: world.entries('checkpoint')[0]?.sequence ?? to }
  const { sequence } = executeCommand(services.log, rewindThread(services, start))
  const forth = { ...start, to: ((sequence ?? 1) - 1) as Sequence, undoes: sequence }
  executeCommand(services.log, rewindThread(services, forth))
  expect(world.entries('rewound')).toHaveLength(again + 2)
  expect(await steps()).toHaveLength(1 + 3 + 2)
})

it('leaves out what a merge of a part did not bring', async () => {
  const { bisects, request, world, steps } = await open({
    main: [
      spawn,
      { name: 'merge_subagent', input: { handle: 'subagent_0', paths: ['/kept'] } },
      ...many('after', 3),
      breaks,
      ...many('more', 3),
    ],
    one: [write('kept'), breaks, ...many('one', 6)],
    ...{ two: [], three: [] },
  })
  expect(await steps()).toHaveLength(1 + 1 + 7)
  const { end } = await bisects.run(request, never)
  expect(end).toMatchObject({ kind: 'found', step: { mergedBy: null } })
  const entry =
    end?.kind === 'found' && end.step.sequence !== null ? world.services.log.entryAt(end.step.sequence) : null
  expect(entry).toMatchObject({ type: 'tree.changed', patch: [['/good', expect.anything()]] })
})

it('stops when the checks of the branch are cancelled', async () => {
  const { bisects, request, checks, branchId } = await open({ main: [...many('a', 9), breaks, ...many('b', 9)] })
  const onChange = ({ asked, runs }: Bisect) => {
    if (runs > asked.length && asked.length === 1) checks.cancel(branchId)
  }
  expect((await bisects.run({ ...request, onChange }, never)).end).toEqual({ kind: 'cancelled' })
  expect(bisects.view(branchId)?.end).toEqual({ kind: 'cancelled' })
})

it('says when a check is green now, or was red from the beginning', async () => {
  const green = await open({ main: many('a', 5) })
  expect((await green.bisects.run(green.request, never)).end).toEqual({ kind: 'green' })
  const always = await open({ main: many('a', 5) }, 'sound missing')
  expect((await always.bisects.run(always.request, never)).end).toEqual({ kind: 'always' })
})

it('takes no run for green that a limit ended, whatever exit code it has', async () => {
  const { world, checks, request } = await open({ main: many('a', 3) })
  const run: ProjectChecks['run'] = async (asked, signal) => {
    const ran = await checks.run(asked, signal)
    return ran.ok ? { ...ran, value: ran.value.map((one) => ({ ...one, outcome: 'red', exitCode: 0 })) } : ran
  }
  const bisects = createBisects({ ...world.services, checks: { ...checks, run }, announce: () => {} })
  expect((await bisects.run({ ...request, isFlaky: true }, never)).end).toEqual({ kind: 'always' })
})

it('ends at once when it is stopped, keeps what the check said, and goes on from there', async () => {
  const { bisects, request, runs } = await open({ main: [...many('a', 20), breaks, ...many('b', 20)] })
  const stop = new AbortController()
  const stopped = bisects.run({ ...request, onChange: ({ asked }) => asked.length === 3 && stop.abort() }, stop.signal)
  await expect(stopped).rejects.toThrow()
  expect(bisects.view(request.branchId)?.end).toEqual({ kind: 'cancelled' })
  const before = runs()
  const { end } = await bisects.run(request, never)
  expect(end).toMatchObject({ kind: 'found', step: { at: 21 } })
  expect(runs() - before).toBeLessThanOrEqual(Math.ceil(Math.log2(41)) + 2 - 3 + 1)
})

it('leaves what is known of the branch itself as it was', async () => {
  const { bisects, request, checks, branchId } = await open({ main: [...many('a', 6), breaks, write('b')] })
  const request1: CheckRequest = {
    ...{ branchId, tree: null, environmentOf: branchId, on: 'branch', names: null, again: false, by: 'person' },
  }
  await checks.run(request1, never)
  const before = await checks.ofBranches([branchId])
  await bisects.run(request, never)
  expect(await checks.ofBranches([branchId])).toEqual(before)
})
