import { describe, expect, it } from 'vitest'
import { noticeIn } from '#shared/model/messages/notice.ts'
import type { Program } from '../../ports/machine-programs.testkit.ts'
import { byTask, type ScriptedAnswer } from '../../ports/model-client.testkit.ts'
import type { ServicesOptions } from '../agent-services.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { generalPurpose } from '../types/agent-definition.ts'

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

  // Mutation: in `pursueGoal`, send the notice without its `checks`.
  it('says which checks sent the agent back, whatever they print', async () => {
    const posing: Program = (...given) => {
      given[1].print('\n## pose (red, exit code 1)\n')
      return isGood(...given)
    }
    const world = await open([write('bad'), stop, write('good'), stop], { programs: { 'is-good': posing } })
    const id = await world.run('main')
    const notices = world.thread(id).messages.flatMap((one) => (one.role === 'user' ? (noticeIn(one) ?? []) : []))
    expect(notices).toEqual([{ kind: 'goal', checks: ['test'] }])
  })

  it('asks a person after its attempts, and has fresh ones afterwards', async () => {
    const world = await open([write('bad'), stop])
    const id = await world.run('main')
    expect(world.thread(id)).toMatchObject({
      status: 'needs_you',
      end: { reason: 'goal', message: expect.stringContaining('after 2 attempts. Not green: test.') },
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

  describe('with criteria', () => {
    const wanted = { checks: null, criteria: 'The library says good, politely.', attempts: 1 }
    const verdict = (met: boolean, why = 'It is not polite.'): ScriptedAnswer => ({
      text: JSON.stringify({ met, why }),
    })
    const isGrading = ({ system }: { readonly system: string }) => system.startsWith('You judge whether')
    const graded = (own: ScriptedAnswer[], verdicts: ScriptedAnswer[], options: ServicesOptions = {}) =>
      open([], {
        settings: { goal: wanted },
        script: (request) => (isGrading(request) ? (verdicts.shift() ?? verdict(true)) : (own.shift() ?? stop)),
        ...options,
      })

    it('is judged by the change and the checks, never by what the agent says', async () => {
      const world = await graded([write('good'), { text: 'CLAIM: all is polite' }], [verdict(false), verdict(true)])
      const id = await world.run('main')
      expect(world.thread(id).status).toBe('done')
      const grading = world.requests.filter(isGrading)
      expect(grading).toHaveLength(2)
      const [first] = grading
      expect(first?.tools).toEqual([])
      expect(JSON.stringify(first?.messages)).toMatch(/\/lib.*changed.*-old.*\+good.*test: green/s)
      expect(JSON.stringify(grading)).not.toContain('CLAIM')
      const told = JSON.stringify(
        world.requests
          .filter((request) => !isGrading(request))
          .at(-1)
          ?.messages.at(-1),
      )
      expect(told).toContain('It is not polite.')
      expect(world.entries('usage').filter((entry) => entry.for === 'grade')).toHaveLength(2)
    })

    it('is not asked while a check is red', async () => {
      const world = await graded([write('bad'), stop, write('good'), stop], [verdict(true)])
      await world.run('main')
      expect(world.requests.filter(isGrading)).toHaveLength(1)
    })

    it('asks a person after its attempts, with what is missing', async () => {
      const world = await graded([write('good'), stop], [verdict(false), verdict(false, 'Still rude.')])
      const { status, end } = world.thread(await world.run('main'))
      expect([status, end?.message]).toEqual(['needs_you', expect.stringContaining('Criteria not met: Still rude.')])
    })

    it('asks a grader that answers nonsense once more, and then counts as not met', async () => {
      const nonsense = { text: 'Looks great to me, met!' }
      const once = await graded([write('good'), stop], [nonsense, verdict(true)])
      expect(once.thread(await once.run('main')).status).toBe('done')
      const always = await graded([write('good'), stop], [nonsense, nonsense, nonsense, nonsense])
      const { end } = always.thread(await always.run('main'))
      expect(end?.message).toContain('The grader gave no verdict')
    })

    // Mutation: let `seenWhole` say that the criteria are met.
    it('is never met over a change that the grader could not see whole: a person decides', async () => {
      const long = Array.from({ length: 3_000 }, (_, line) => `line ${line}`).join('\n')
      const big = { calls: [{ name: 'write_file', id: 'big', input: { file_path: '/big', content: long } }] }
      const world = await graded([write('good'), big, stop], [verdict(true)])
      const { status, end } = world.thread(await world.run('main'))
      expect([status, end?.reason]).toEqual(['needs_you', 'goal'])
      expect(end?.message).toContain('it could not see all of /big.')
    })

    it('needs no check', async () => {
      const world = await graded([write('x'), stop], [verdict(true)], { checks: [] })
      expect(world.thread(await world.run('main')).status).toBe('done')
      expect(world.requests.filter(isGrading)).toHaveLength(1)
    })
  })
})

describe('a subagent whose definition has a goal', () => {
  it('is sent back, and fails with the reason for its parent instead of waiting for a person', async () => {
    const strict = { ...generalPurpose, name: 'strict', goal: { checks: null, attempts: 1 } }
    const world = await open([], {
      settings: {},
      extensions: { agents: [generalPurpose, strict] },
      script: byTask({
        main: [{ calls: [{ name: 'task', id: 't', input: { description: 'child', subagent_type: 'strict' } }] }],
        child: [write('bad'), { text: 'All is done.' }, { text: 'It cannot be done.' }],
      }),
    })
    const id = await world.run('main')
    const [child] = world.children(id)
    expect(child?.end).toMatchObject({ status: 'failed', reason: 'goal' })
    expect(world.results(id).t).toContain('The goal is not reached after 1 attempt. Not green: test.')
    expect(world.thread(id).status).toBe('done')
  })
})
