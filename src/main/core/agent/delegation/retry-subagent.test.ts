import { describe, expect, it } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import {
  byTask,
  type ModelScript,
  type ScriptedAnswer,
  type ScriptedCall,
  taskOf,
} from '../../ports/model-client.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'

const done: ScriptedAnswer = { text: 'done' }
const write = (file_path: string, content: string): ScriptedAnswer => ({
  calls: [{ name: 'write_file', input: { file_path, content } }],
})
const spawn = (...tasks: readonly string[]): ScriptedCall => ({
  name: 'spawn_subagents',
  id: 'spawn',
  input: { tasks: tasks as never },
})
const report = (world: AgentWorld, id: ThreadId, call: string) => JSON.parse(world.results(id)[call] ?? '{}')

describe('a call with several subagents', () => {
  it('waits for a failed subagent that a person lets go on while others work, and returns its new result', async () => {
    let broken = true
    const script: ModelScript = (request, seen) => {
      if (taskOf(request) === 'failing' && broken) {
        broken = false
        return { fault: { afterEvents: 0, with: 'bad_request', message: 'It is refused.' } }
      }
      return byTask({
        main: [{ calls: [spawn('failing', 'careful')] }, done],
        failing: [write('/a', '1'), { text: 'mended' }],
        careful: [{ calls: [{ name: 'execute', id: 'cmd', input: { command: 'true' } }] }, done],
      })(request, seen)
    }
    const world = await openWorld({ script })
    const id = world.begin('main')
    await world.whenIdle(id)
    const failed = world.children(id).find(({ status }) => status === 'failed')?.id as ThreadId
    world.runtime.resume(failed)
    await eventually(() => expect(world.thread(failed).status).toBe('done'))
    expect(world.thread(id).status, 'the others still work').toBe('working')
    await world.approve('cmd')
    expect(report(world, id, 'spawn').subagents).toMatchObject([{ result: 'mended' }, { result: 'done' }])
    expect(report(world, id, 'spawn').subagents[0]).not.toHaveProperty('error')
  })

  it('stops a subagent that was let go on together with its parent', async () => {
    let broken = true
    const script: ModelScript = (request, seen) => {
      if (taskOf(request) === 'failing' && broken) {
        broken = false
        return { fault: { afterEvents: 0, with: 'bad_request', message: 'It is refused.' } }
      }
      const command = (name: string) => ({ calls: [{ name: 'execute', id: name, input: { command: 'true' } }] })
      return byTask({
        main: [{ calls: [spawn('failing', 'careful')] }, done],
        failing: [command('one'), done],
        careful: [command('two'), done],
      })(request, seen)
    }
    const world = await openWorld({ script })
    const id = world.begin('main')
    await world.whenIdle(id)
    const failed = world.children(id).find(({ status }) => status === 'failed')?.id as ThreadId
    world.runtime.resume(failed)
    await eventually(() => expect(world.thread(failed).status).toBe('needs_you'))
    await world.runtime.halt(id)
    expect([world.thread(id).status, world.thread(failed).status]).toEqual(['stopped', 'stopped'])
  })
})
