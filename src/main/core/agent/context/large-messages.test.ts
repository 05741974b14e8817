import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { formatAnswerNote, formatInputNote } from '#shared/model/messages/message-notes.ts'
import { type ScriptedCall, taskOf, turnOf } from '../../ports/model-client.testkit.ts'
import type { ModelRequest } from '../../ports/model-client.ts'
import type { ServicesOptions } from '../agent-services.testkit.ts'
import { type AgentWorld, openWorld } from '../agent-world.testkit.ts'
import { generalPurpose } from '../types/agent-definition.ts'
import { noTuning } from '../types/tuning.ts'

const middle = `${'middle '.repeat(20)}\n`.repeat(1_000)
const large = `BEGIN do this.\n${middle}THE END decides.`
const textIn = (request: ModelRequest | undefined) => JSON.stringify(request?.messages)

/** The one file below `/inputs/` that a request names, as the agent would read it. */
function fileIn(world: AgentWorld, id: ThreadId, request: ModelRequest | undefined): string {
  const [path = ''] = textIn(request).match(/\/inputs\/message-[\w-]+\.txt/) ?? []
  return world.scratch(id, path)
}

function expectMoved(world: AgentWorld, id: ThreadId, request: ModelRequest | undefined, text: string) {
  expect(textIn(request)).toContain('BEGIN do this.')
  expect(textIn(request)).toContain('THE END decides.')
  expect(textIn(request).length).toBeLessThan(20_000)
  expect(fileIn(world, id, request)).toBe(text)
}

const answers = (...calls: readonly ScriptedCall[]): ServicesOptions => ({
  script: (request) =>
    taskOf(request).includes('main') && turnOf(request) === 0 && calls.length > 0 ? { calls } : { text: 'Done.' },
})

describe('a message that is too large for the conversation', () => {
  // Mutation: with `createConversation()` in the context of a thread, the request holds all of it.
  it('of a person goes to a file, and the request has its two ends and the path', async () => {
    const world = await openWorld(answers())
    const id = await world.run(large)
    expectMoved(world, id, world.requests[0], large)
    await world.say(id, 'and then?')
    expect(world.requests[1]?.messages[0]).toEqual(world.requests[0]?.messages[0])
    expect(JSON.stringify(world.thread(id).messages[0]), 'the person still sees it').toContain('middle')
  })

  it('that comes while the agent works, and the task of a subagent, go to files as well', async () => {
    const call = { name: 'task', id: 't', input: { description: large } }
    const world = await openWorld({
      script: (request) => {
        if (!taskOf(request).includes('main')) return { text: 'Done.' }
        if (turnOf(request) > 0) return { text: 'Read.' }
        world.runtime.send(
          world.thread([...world.services.log.state.threads.keys()][0] as ThreadId).id,
          [{ type: 'text', text: `${large}!` }],
          'steer',
        )
        return { calls: [call] }
      },
    })
    const id = await world.run('main')
    expectMoved(
      world,
      id,
      world.requests.find((one) => taskOf(one).includes('BEGIN')),
      large,
    )
    expectMoved(
      world,
      id,
      { ...world.requests.at(-1), messages: world.requests.at(-1)?.messages.slice(-1) ?? [] } as ModelRequest,
      `${large}!`,
    )
  })

  it('keeps what Coppice added for the agent: the schema of the answer, and where inputs are', async () => {
    const notes = `${formatAnswerNote({ type: 'object', title: 'WANTED' })}${formatInputNote({ path: '/inputs/a.csv', about: '2 rows', detail: '' })}`
    const world = await openWorld(answers())
    const id = await world.run(`${large}${notes}`)
    expectMoved(world, id, world.requests[0], large)
    expect(textIn(world.requests[0])).toContain('WANTED')
    expect(textIn(world.requests[0])).toContain('Input data is in /inputs/a.csv')
  })

  it('stays whole for an agent that cannot read files, or whose stage is off', async () => {
    const blind = { ...generalPurpose, name: 'blind', mode: 'tool' as const }
    const call = { name: 'task', id: 't', input: { description: large, subagent_type: 'blind' } }
    const world = await openWorld({ ...answers(call), extensions: { agents: [generalPurpose, blind] } })
    await world.run('main')
    expect(textIn(world.requests[1])).toContain('middle middle')
    const eviction = { name: 'eviction', enabled: false, tokens: null, share: null, mode: null } as const
    const off = await openWorld({ ...answers(), settings: { tuning: { ...noTuning, stages: [eviction] } } })
    await off.run(large)
    expect(textIn(off.requests[0])).toContain('middle middle')
  })

  it('stays whole up to 20,000 tokens, however short results are to be', async () => {
    const world = await openWorld({ ...answers(), settings: { resultTokens: 100 } })
    await world.run(`BEGIN ${'word '.repeat(15_000)}`)
    expect(textIn(world.requests[0])).not.toContain('/inputs/')
  })

  it('of a thread that was written before, or after a restart, is moved as well', async () => {
    const world = await openWorld({ ...answers(), settings: { resultTokens: 1_000_000 } })
    const id = await world.run(large)
    const again = await world.restart({ settings: { ...world.services.settings(), resultTokens: 20_000 } })
    await again.say(id, 'go on')
    expectMoved(again, id, again.requests.at(-1), large)
  })

  it('counts as what is left of it when a summary is due', async () => {
    const settings = { summarisation: { tokens: 30_000, share: 1 } }
    const world = await openWorld({ ...answers(), settings })
    const id = await world.run(large)
    for (const text of ['one', 'two', 'three', 'four']) await world.say(id, text)
    expect(world.entries('compacted')).toEqual([])
  })
})
