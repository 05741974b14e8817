import { expect, it } from 'vitest'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { noRules } from '../../approval/rules.ts'
import { byTask, type ModelScript, type ScriptedCall, turnOf } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'

const text = '# Rounding\n\n1. Read **money.ts**\n2. Change it\n'
const plan = (id = 'p', input = text): ScriptedCall => ({ name: 'present_plan', id, input: { plan: input } })
const write = (id: string): ScriptedCall => ({
  name: 'write_file',
  id,
  input: { file_path: `/${id}.ts`, content: 'x' },
})
const decided = (decision: Readonly<Record<string, unknown>>, id = 'p') =>
  ({ ...decision, callId: id as ToolCallId }) as unknown as Decision
const inTurns =
  (...turns: readonly (readonly ScriptedCall[])[]): ModelScript =>
  (request) => {
    const calls = turns[turnOf(request)] ?? []
    return calls.length > 0 ? { calls } : { text: 'done' }
  }

it('ends the mode Plan with a plan, whose steps become todos and which is carried out in the chosen mode', async () => {
  const world = await openWorld({ script: inTurns([plan(), write('early')], [write('late')]) })
  const id = await world.run('main', 'plan')
  expect(world.outcomes(id).early).toBe('error')
  expect(world.thread(id).interrupts[0]).toMatchObject({
    action_requests: [{ description: 'Carry out the plan “Rounding”.', allowable: false }],
    review_configs: [{ allowed_decisions: ['approve', 'edit', 'reject'] }],
  })
  await world.decide(decided({ type: 'approve', mode: 'auto-edit', message: 'Mind the tests.' }))
  expect(world.outcomes(id)).toEqual({ p: 'ok', early: 'error', late: 'ok' })
  expect(world.results(id).p).toContain('Mind the tests.')
  expect(world.results(id).p).toContain('Carry it out now. Its steps are the todo list.')
  expect(world.thread(id).approvalMode).toBe('auto-edit')
  expect(world.thread(id).todos.map(({ content, status }) => `${content} ${status}`)).toEqual([
    'Read money.ts pending',
    'Change it pending',
  ])
  expect(world.entries('plan.approved')).toMatchObject([{ callId: 'p', approvalMode: 'auto-edit' }])
})

it('stays in the mode Plan when nobody named another one, so that nothing is changed', async () => {
  const world = await openWorld({ script: inTurns([plan()], [write('w')]) })
  const id = await world.run('main', 'plan')
  await world.approve('p')
  expect(world.results(id).p).toContain('The mode is still Plan')
  expect([world.outcomes(id).w, world.thread(id).approvalMode]).toEqual(['error', 'plan'])
})

it('asks for changes with notes, and takes the next plan as a person edited it', async () => {
  const world = await openWorld({ script: inTurns([plan('p')], [plan('q', '1. More')]) })
  const id = await world.run('main', 'plan')
  await world.decide(decided({ type: 'reject', message: '### Line 3\nMore tests.' }))
  expect(world.results(id).p).toBe(
    'The user did not approve the plan and asks for changes. Change it and hand it in again. ### Line 3\nMore tests.',
  )
  await world.decide(decided({ type: 'edit', mode: 'ask', args: { plan: '1. Mine' } }, 'q'))
  expect(world.results(id).q).toContain('"plan":"1. Mine"')
  expect(world.thread(id).todos).toEqual([{ content: 'Mine', status: 'pending' }])
  expect(world.thread(id).approvalMode).toBe('ask')
})

it('keeps what was begun of the list, and the status of a step that was on it', async () => {
  const todo = (content: string, status: string) => ({ content, status })
  const first = {
    name: 'write_todos',
    input: { todos: [todo('Old', 'pending'), todo('Begun', 'in_progress'), todo('Change it', 'in_progress')] },
  }
  const world = await openWorld({ script: inTurns([first], [plan()]) })
  const id = await world.run('main', 'plan')
  await world.approve('p')
  expect(world.thread(id).todos).toEqual([
    todo('Begun', 'in_progress'),
    todo('Read money.ts', 'pending'),
    todo('Change it', 'in_progress'),
  ])
})

it('waits with the same plan after a restart, and takes one decision', async () => {
  const world = await openWorld({ script: inTurns([plan()]) })
  const id = await world.run('main', 'plan')
  const again = await world.crash()
  const [interrupt] = again.thread(id).interrupts
  expect(interrupt).toEqual(world.thread(id).interrupts[0])
  await again.decide(decided({ type: 'approve', mode: 'auto' }))
  expect(again.thread(id).approvalMode).toBe('auto')
  if (interrupt === undefined) throw new Error('Nothing waits')
  expect(() => again.runtime.decide(id, interrupt.id, [decided({ type: 'approve', mode: 'ask' })])).toThrow('decided')
})

it('is asked about whatever rules and settings allow, and is narrowed by them', async () => {
  const allow = { ...noRules, allow: ['present_plan'] }
  const passing = await openWorld({
    settings: { policy: { interruptOn: new Map([['present_plan', false]]), rules: allow } },
    script: inTurns([plan()]),
  })
  const id = await passing.run('main', 'auto')
  expect(passing.thread(id).interrupts).toHaveLength(1)
  const limited = await openWorld({
    settings: { policy: { interruptOn: new Map(), rules: noRules, strictestMode: 'plan' } },
    script: inTurns([plan()], [write('w')]),
  })
  const other = await limited.run('main', 'plan')
  await limited.decide(decided({ type: 'approve', mode: 'auto' }))
  expect(limited.results(other).p).toContain('The mode is still Plan')
  expect(limited.outcomes(other).w).toBe('error')
})

it('takes a mode with a plan alone', async () => {
  const execute = { name: 'execute', id: 'e', input: { command: 'ls' } }
  const settings = { policy: { interruptOn: new Map(), commands: 'before' as const, rules: noRules } }
  const world = await openWorld({ settings, script: inTurns([execute]) })
  await world.run('main')
  await expect(world.decide(decided({ type: 'approve', mode: 'auto' }, 'e'))).rejects.toThrow('only with a plan')
})

it('refuses a plan that nobody could read, and says how long it is', async () => {
  const world = await openWorld({ script: inTurns([plan('p', 'x'.repeat(1_000_000))]) })
  const id = await world.run('main', 'plan')
  expect(world.results(id).p).toContain('A plan has at most 100000 characters, and this one has 1000000.')
  expect(world.thread(id).interrupts).toEqual([])
})

it("shows a subagent's plan too, and leaves the list and the mode of its parent alone", async () => {
  const script = byTask({
    main: [{ calls: [{ name: 'task', id: 't', input: { description: 'sub' } }] }, { text: 'done' }],
    sub: [{ calls: [plan()] }, { calls: [write('w')] }, { text: 'done' }],
  })
  for (const [mode, outcome] of [
    ['plan', 'error'],
    ['ask', 'kept'],
  ] as const) {
    const world = await openWorld({ script })
    const id = await world.run('main', mode)
    expect(world.waiting().id).not.toBe(id)
    await world.decide(decided({ type: 'approve', mode: 'auto-edit' }))
    await world.whenIdle(id)
    const [child] = world.children(id)
    if (child === undefined) throw new Error('There is no subagent')
    expect([child.approvalMode, world.thread(id).approvalMode, world.thread(id).todos]).toEqual(['auto-edit', mode, []])
    // What its parent may not do, it may not do either.
    expect(world.results(child.id).p).toContain(mode === 'plan' ? 'The mode is still Plan' : 'Carry it out now.')
    expect(world.outcomes(child.id).w).toBe(outcome === 'error' ? 'error' : undefined)
  }
})
