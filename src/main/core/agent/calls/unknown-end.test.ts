import { describe, expect, it } from 'vitest'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { byTask, lastResults, type ModelScript, turnOf } from '../../ports/model-client.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'

/** A command that was running when the app stopped, so a person must say how it ended. */
const callId = 'cmd' as ToolCallId
const command = 'echo begun; once; echo ran >> ran.txt'
const execute = { name: 'execute', id: callId, input: { command } }
const runs: ModelScript = (request) =>
  turnOf(request) === 0 ? { calls: [execute] } : { text: [...lastResults(request).values()].join() }

/** Kills the app while the command runs and opens it again. The second time, the command can complete. */
async function cutInTheMiddle(script = runs, decision: Decision = { callId, type: 'approve' }) {
  const begun = Promise.withResolvers<void>()
  const once = async (): Promise<number> => {
    begun.resolve()
    return new Promise(() => {})
  }
  const world = await openWorld({ script, programs: { once } })
  const id = await world.run('main')
  void world.decide(decision)
  await begun.promise
  return { id, world: await world.crash({ programs: { once: () => 0 } }) }
}

const asked = (world: AgentWorld) => world.waiting().interrupts.flatMap(({ action_requests }) => action_requests)

describe('a command that was running when the app stopped', () => {
  it('is asked about at once, and its open run has ended', async () => {
    const { id, world } = await cutInTheMiddle()
    expect(world.thread(id)).toMatchObject({ status: 'needs_you', end: { status: 'interrupted', reason: 'restart' } })
    expect(world.thread(id).interrupts).toMatchObject([
      {
        agent: 'main',
        action_requests: [{ callId, name: 'execute', args: { command }, rule: 'outcome unknown', risk: 'high' }],
        review_configs: [{ callId, allowed_decisions: ['run_again', 'mark_done', 'skip'] }],
      },
    ])
  })

  it('is asked about once, with the same id after every further restart', async () => {
    const { id, world } = await cutInTheMiddle()
    const { interrupts } = world.thread(id)
    world.runtime.resume(id)
    await world.whenIdle(id)
    const later = await (await world.restart()).crash()
    expect(later.thread(id).interrupts).toEqual(interrupts)
    const decide = (type: 'approve' | 'skip') => () =>
      later.runtime.decide(id, interrupts[0]?.id as never, [{ callId, type }])
    expect(decide('approve')).toThrow('run_again')
    decide('skip')()
    expect(decide('skip')).toThrow('already decided')
    await later.whenIdle(id)
    expect(later.thread(id).end).toMatchObject({ status: 'done' })
  })

  it.each([
    ['run_again', 'ok', { '/ran.txt': 'ran\n' }, 'begun', 2],
    ['mark_done', 'ok', {}, 'The user says that it was done', 1],
    ['skip', 'cancelled', {}, 'chose to leave it and not to run it again', 1],
  ] as const)('ends by %s as %s', async (type, outcome, files, told, starts) => {
    const { id, world } = await cutInTheMiddle()
    await world.decide({ callId, type })
    expect(world.outcomes(id)).toEqual({ cmd: outcome })
    expect(world.answer(id)).toContain(told)
    expect(await world.files(id)).toEqual(files)
    expect(world.entries('tool.started')).toHaveLength(starts)
  })

  it('runs again with the arguments that a person gave it, and tells the agent', async () => {
    const edited = `${command}; echo edited`
    const { id, world } = await cutInTheMiddle(runs, { callId, type: 'edit', args: { command: edited } })
    expect(asked(world)[0]?.args).toEqual({ command: edited })
    await world.decide({ callId, type: 'run_again' })
    expect(world.answer(id)).toMatch(/edited the arguments.*begun.*edited/s)
  })

  it('names the hosts that it would reach again', async () => {
    const { world } = await cutInTheMiddle(runs, { callId, type: 'approve', hosts: ['packages.example.com'] })
    expect(asked(world)[0]?.description).toContain('Run again, it may reach packages.example.com, as you granted.')
  })

  it('of a subagent wakes the agents above it too when it is decided', async () => {
    const { id, world } = await cutInTheMiddle(
      byTask({
        main: [{ calls: [{ name: 'task', input: { description: 'child' } }] }, { text: 'all is back' }],
        child: [{ calls: [execute] }, { text: 'child is done' }],
      }),
    )
    expect(world.waiting().id).not.toBe(id)
    await world.decide({ callId, type: 'mark_done' })
    await world.whenIdle(id)
    expect([world.thread(id).status, world.answer(id)]).toEqual(['done', 'all is back'])
  })

  it('can be stopped instead', async () => {
    const { id, world } = await cutInTheMiddle()
    world.runtime.stop(id)
    expect(world.thread(id)).toMatchObject({ status: 'stopped', interrupts: [] })
    expect(world.outcomes(id)).toEqual({ cmd: 'cancelled' })
  })
})

describe('a call that touches only the branch', () => {
  it('runs again without asking, because nothing of it was stored', async () => {
    const begun = Promise.withResolvers<void>()
    let held = true
    const world = await openWorld({
      script: byTask({
        main: [
          {
            calls: [
              { name: 'run_js_code', id: 'js', input: { code: "await fs.write('/a', 'x'); await fs.read('/wait')" } },
            ],
          },
        ],
      }),
      files: { '/wait': '' },
    })
    const { read } = world.services.base
    Object.assign(world.services.base, {
      read: async (...given: Parameters<typeof read>) => {
        begun.resolve()
        return held ? new Promise(() => {}) : read(...given)
      },
      readUnlinked: async () => {
        begun.resolve()
        return held ? new Promise(() => {}) : { bytes: new Uint8Array(), executable: false }
      },
    })
    const id = world.begin('main')
    await begun.promise
    held = false
    const again = await world.crash()
    expect(again.thread(id)).toMatchObject({ status: 'paused', interrupts: [] })
    again.runtime.resume(id)
    await again.whenIdle(id as ThreadId)
    expect(again.outcomes(id)).toEqual({ js: 'ok' })
    expect(Object.keys(await again.files(id))).toContain('/a')
  })
})
