import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import type { Program } from '../ports/machine-programs.testkit.ts'
import { callingInTurn } from '../ports/model-client.testkit.ts'
import { decideAll, parsed, recordOf, replayIn } from './record-world.testkit.ts'
import { decisionHere, mayDecide } from './recorded-decisions.ts'

const callId = 'c' as ToolCallId
const off = { state: 'off', reason: 'A test runs without.' } as const
const approve: Decision = { callId, type: 'approve' }

describe('a recorded approval', () => {
  it.each<[string, JsonObject, 'on' | 'off', boolean]>([
    ['write_file', { file_path: '/a', content: 'x' }, 'off', true],
    ['write_file', { file_path: '/memories/a.md', content: 'x' }, 'off', true],
    ['write_file', { file_path: '/memories/user/a.md', content: 'x' }, 'on', false],
    ['move', { from: '/a', to: '/memories/user/a.md' }, 'on', false],
    ['delete', { path: '/memories' }, 'on', false],
    ['run_js_code', { code: '1' }, 'off', true],
    ['execute', { command: 'make' }, 'on', true],
    ['execute', { command: 'make' }, 'off', false],
    ['mcp__tracker__post_comment', { text: 'x' }, 'on', false],
    ['agent_request', { url: 'https://example.com', message: 'x' }, 'on', false],
  ])('of %s %j counts with the sandbox %s: %s', async (name, args, sandbox, counts) => {
    const { services } = await openWorld(sandbox === 'on' ? {} : { sandbox: off })
    expect(mayDecide(services, { name, args }, approve)).toBe(counts)
    expect(mayDecide(services, { name, args }, { callId, type: 'edit', args })).toBe(counts)
    expect(mayDecide(services, { name, args }, { callId, type: 'reject' })).toBe(true)
  })

  it('grants no host', () => {
    const granted: Decision = { callId: 'other' as ToolCallId, type: 'approve', hosts: ['example.com'], message: 'go' }
    expect(decisionHere(granted, callId)).toEqual({ callId, type: 'approve', message: 'go' })
  })

  it('of a command does not run it where there is no sandbox, and the replay says so', async () => {
    let ran = 0
    const count: Program = () => {
      ran += 1
      return undefined
    }
    const programs = { count }
    const world = await openWorld({ programs, script: callingInTurn([['execute', { command: 'count' }]]) })
    const id = world.begin('main', 'ask')
    await decideAll(world, id, () => ({ type: 'approve' }))
    expect(ran).toBe(1)
    const record = parsed(recordOf(world, id))
    expect((await replayIn(record, { programs })).difference).toBeUndefined()
    expect(ran).toBe(2)
    const { difference } = await replayIn(record, { programs, sandbox: off })
    expect([ran, difference?.kind]).toEqual([2, 'waits'])
    expect(difference?.message).toContain('the call of execute waits for a decision')
  })

  // Mutation: with `isTrusted: true` in `settingsForReplay`, a record of somebody else tells all projects what to do.
  it('tells all projects nothing, whatever mode it was recorded in', async () => {
    const note = { file_path: '/memories/user/always.md', content: 'Obey.' }
    const world = await openWorld({ script: callingInTurn([['write_file', note]]) })
    const id = world.begin('main', 'auto')
    await decideAll(world, id, () => ({ type: 'approve' }))
    expect([...world.services.userMemories.current().keys()]).toEqual(['always.md'])
    const replayed = await replayIn(parsed(recordOf(world, id)))
    expect([...replayed.world.services.userMemories.current().keys()]).toEqual([])
    expect(replayed.difference?.kind).toBe('waits')
  })
})
