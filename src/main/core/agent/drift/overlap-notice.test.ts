import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { byTask, type ScriptedAnswer, type ScriptedCall, taskOf } from '../../ports/model-client.testkit.ts'
import { type AgentWorld, openWorld, shownMessage } from '../agent-world.testkit.ts'

const files = { '/bill': '1\n2\n3\n4\n5\n' }
const read: ScriptedCall = { name: 'read_file', input: { file_path: '/bill' } }
const edit = (from: string, to: string): ScriptedCall => ({
  name: 'edit_file',
  input: { file_path: '/bill', old_string: from, new_string: to },
})
const pause = (id: string): ScriptedAnswer => ({ calls: [{ name: 'ask_user', id, input: { question: 'Go on?' } }] })
const spawn = (...tasks: string[]): ScriptedCall => ({ name: 'spawn_subagents', input: { tasks } })

const noticesOf = (world: AgentWorld, id: ThreadId) =>
  world
    .thread(id)
    .messages.flatMap((one) => (one.role === 'user' && one.notice?.kind === 'overlap' ? [textOf(one.content)] : []))
const lastSeenBy = (world: AgentWorld, who: string) => {
  const request = world.requests.filter((one) => taskOf(one) === who).at(-1)
  return request?.messages.map(shownMessage).join('\n') ?? ''
}

describe('a file that another agent of the family changes too', () => {
  // Mutation: tell it at every step, or the last one to change it alone.
  it('is told to both agents at their next step, once', async () => {
    const world = await openWorld({
      files,
      script: byTask({
        main: [{ calls: [spawn('one', 'two')] }, { text: 'Done.' }],
        one: [{ calls: [read] }, { calls: [edit('2', 'two')] }, pause('p1'), { calls: [read] }, { text: 'one' }],
        two: [{ calls: [read] }, { calls: [edit('2\n3', 'x\ny')] }, pause('p2'), { calls: [read] }, { text: 'two' }],
      }),
    })
    const id = world.begin('main')
    await expect.poll(() => world.children(id).filter(({ interrupts }) => interrupts.length > 0)).toHaveLength(2)
    for (const callId of ['p1', 'p2']) await world.decide({ callId: callId as never, type: 'respond', message: 'yes' })
    await world.whenIdle(id)
    const [one, two] = world.children(id)
    if (!one || !two) throw new Error('There are no subagents.')
    for (const [mine, lines, other] of [
      [one, '2', two],
      [two, '2–3', one],
    ] as const) {
      const notices = noticesOf(world, mine.id)
      expect(notices).toHaveLength(1)
      expect(notices[0]).toContain(`- /bill, your lines ${lines}: changed by ${other.agent}`)
      expect(notices[0]).not.toMatch(/\bx\b|\by\b/)
    }
    for (const who of ['one', 'two']) expect(lastSeenBy(world, who)).toContain('will not merge by themselves')
    expect(noticesOf(world, id)).toEqual([])
  })

  it('is told to a parent about its subagent, and so is its end', async () => {
    const world = await openWorld({
      files,
      script: byTask({
        main: [
          { calls: [spawn('one')] },
          { calls: [read] },
          { calls: [edit('2', 'main')] },
          { calls: [edit('main', '2')] },
          { calls: [read] },
          { text: 'Done.' },
        ],
        one: [{ calls: [read] }, { calls: [edit('2', 'two')] }, { text: 'one' }],
      }),
    })
    const id = await world.run('main')
    expect(noticesOf(world, id)).toEqual([
      expect.stringMatching(/^- \/bill, your lines 2: changed by .*subagent_0 too$/m),
      'No longer in the way of another agent: /bill.',
    ])
    // What it knows is in the journal, so a restart tells it nothing again.
    const again = await world.restart()
    await again.say(id, 'Go on.')
    expect(noticesOf(again, id)).toHaveLength(2)
  })

  it('says what was deleted, and nothing where all lines join', async () => {
    const world = await openWorld({
      files,
      script: byTask({
        main: [{ calls: [spawn('one', 'two')] }, { calls: [read] }, { calls: [edit('5', 'five')] }, { text: 'Done.' }],
        one: [{ calls: [read] }, { calls: [{ name: 'delete', input: { path: '/bill' } }] }, { text: 'one' }],
        two: [{ calls: [read] }, { calls: [edit('1', 'one')] }, { text: 'two' }],
      }),
    })
    const id = await world.run('main', 'auto')
    const [notice, ...more] = noticesOf(world, id)
    expect(more).toEqual([])
    expect(notice).toMatch(/^- \/bill: deleted or moved by .*subagent_0$/m)
    expect(notice).not.toContain('subagent_1')
  })
})
