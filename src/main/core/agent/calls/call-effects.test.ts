import { describe, expect, it } from 'vitest'
import type { ToolCallId } from '#shared/model/ids.ts'
import { noRules } from '../../approval/rules.ts'
import { lastResults, type ModelScript, type ScriptedCall, turnOf } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'

const execute = (id: string, command: string): ScriptedCall => ({ name: 'execute', id, input: { command } })
const callId = (id: string) => id as ToolCallId
const once =
  (...calls: readonly ScriptedCall[]): ModelScript =>
  (request) =>
    turnOf(request) === 0 ? { calls } : { text: [...lastResults(request).values()].join('|') }
const rules = (given: Partial<typeof noRules>) => ({
  policy: { interruptOn: new Map(), commands: 'before' as const, rules: { ...noRules, ...given } },
})

describe('a call that changed what asks', () => {
  it('waits for a person, with what it did, when a rule let it run', async () => {
    const world = await openWorld({
      files: { '/a': 'before' },
      settings: rules({ allow: ['execute'], ask: ['Edit(/a)'] }),
      script: once(execute('e', 'echo after > a; echo x > b')),
    })
    const id = await world.run('main')
    expect(world.thread(id).interrupts[0]?.action_requests[0]?.effects?.changes.written).toEqual(['/a', '/b'])
    expect(await world.files(id)).toEqual({ '/a': 'before' })
    await world.approve('e')
    expect(await world.files(id)).toEqual({ '/a': 'after\n', '/b': 'x\n' })
  })

  it('keeps nothing of what a rule forbids, even if a person approved it', async () => {
    const world = await openWorld({
      files: { '/a': 'before' },
      settings: rules({ deny: ['Edit(/a)'] }),
      script: once(execute('e', 'rm a')),
    })
    const id = await world.run('main')
    const [interrupt] = world.thread(id).interrupts
    if (!interrupt) throw new Error('It did not ask')
    world.runtime.decide(id, interrupt.id, [{ callId: callId('e'), type: 'approve' }])
    await world.whenIdle(id)
    expect(world.results(id).e).toContain('None of its changes were kept. It changed /a. Denied by the rule Edit(/a)')
    expect(await world.files(id)).toEqual({ '/a': 'before' })
  })
})
