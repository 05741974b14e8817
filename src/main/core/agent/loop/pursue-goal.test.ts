import { describe, expect, it } from 'vitest'
import type { Program } from '../../ports/machine-programs.testkit.ts'
import type { ScriptedAnswer } from '../../ports/model-client.testkit.ts'
import type { ServicesOptions } from '../agent-services.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'

const isGood: Program = (_, { machine, folder, print }) => {
  const text = new TextDecoder().decode(machine.read(`${folder}/lib`))
  print(`lib is ${text}`)
  return text === 'good' ? 0 : 1
}
const write = (content: string): ScriptedAnswer => ({
  calls: [{ name: 'write_file', input: { file_path: '/lib', content } }],
})
const stop: ScriptedAnswer = { text: 'All is done.' }
const goal = { checks: null, attempts: 2 }

function open(replies: ScriptedAnswer[], options: ServicesOptions = {}) {
  return openWorld({
    files: { '/lib': 'old' },
    checks: [{ name: 'test', run: 'is-good' }],
    programs: { 'is-good': isGood },
    settings: { goal },
    script: () => replies.shift() ?? stop,
    ...options,
  })
}

describe('a thread with a goal', () => {
  it('goes on with the output of what is not green, until it is', async () => {
    const world = await open([write('bad'), stop, write('good'), stop])
    const id = await world.run('main')
    expect(world.thread(id)).toMatchObject({ status: 'done', end: { reason: 'completed' } })
    expect(JSON.stringify(world.requests[2]?.messages.at(-1))).toContain('lib is bad')
    expect(world.requests).toHaveLength(4)
  })

  it('asks a person after its attempts, and has fresh ones afterwards', async () => {
    const world = await open([write('bad'), stop])
    const id = await world.run('main')
    expect(world.thread(id)).toMatchObject({
      status: 'needs_you',
      end: { reason: 'goal', message: expect.stringContaining('2 attempts: test') },
    })
    expect(world.requests).toHaveLength(4)
    await world.say(id, 'try again')
    expect(world.requests).toHaveLength(7)
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect([world.thread(id).end?.reason, world.requests.length]).toEqual(['goal', 9])
    // All of it was one tree, so the check ran for it once, and once more because it failed.
    expect(world.entries('check.finished')).toHaveLength(1)
  })

  it('that names an unknown check says so before the run', async () => {
    const world = await open([write('good')], { settings: { goal: { ...goal, checks: ['tset'] } } })
    const id = await world.run('main')
    expect(world.thread(id).end).toMatchObject({ reason: 'goal', message: expect.stringContaining('"tset"') })
    expect(world.requests).toEqual([])
  })

  it('is done at once when only optional checks fail, and when the goal is taken away', async () => {
    const checks = [{ name: 'test', run: 'false', required: false }]
    const optional = await open([stop], { checks })
    expect(optional.thread(await optional.run('main')).status).toBe('done')
    const named = await open([stop], { checks, settings: { goal: { checks: ['test'], attempts: 0 } } })
    expect(named.thread(await named.run('main')).status).toBe('needs_you')
  })

  it('says why it cannot be checked where there is no sandbox', async () => {
    const world = await open([stop], { sandbox: { state: 'off', reason: 'It is switched off.' } })
    const { end } = world.thread(await world.run('main'))
    expect(end).toMatchObject({ reason: 'goal', message: expect.stringContaining('could not be checked') })
  })
})
