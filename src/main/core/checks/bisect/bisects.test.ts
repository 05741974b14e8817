import { expect, it } from 'vitest'
import type { BranchId } from '#shared/model/ids.ts'
import { openWorld } from '../../agent/agent-world.testkit.ts'
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
  expect(steps()).toHaveLength(1 + 4 + 8 + 5 + 3)
  const { end } = await bisects.run(request, never)
  const two = [...world.services.log.state.branches.values()].find(({ handle }) => handle === 'subagent_1')
  expect(end).toMatchObject({ kind: 'found', step: { branchId: two?.id, mergedBy: expect.any(Number) } })
  const entry =
    end?.kind === 'found' && end.step.sequence !== null ? world.services.log.entryAt(end.step.sequence) : null
  expect(entry).toMatchObject({ type: 'tree.changed', branchId: two?.id, patch: [['/good', expect.anything()]] })
})

it('says when a check is green now, or was red from the beginning', async () => {
  const green = await open({ main: many('a', 5) })
  expect((await green.bisects.run(green.request, never)).end).toEqual({ kind: 'green' })
  const always = await open({ main: many('a', 5) }, 'sound missing')
  expect((await always.bisects.run(always.request, never)).end).toEqual({ kind: 'always' })
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
  const { bisects, request, checks, branchId } = await open({ main: [...many('a', 6), breaks, write('/b')] })
  const request1: CheckRequest = {
    ...{ branchId, tree: null, environmentOf: branchId, on: 'branch', names: null, again: false, by: 'person' },
  }
  await checks.run(request1, never)
  const before = await checks.ofBranches([branchId])
  await bisects.run(request, never)
  expect(await checks.ofBranches([branchId])).toEqual(before)
})
