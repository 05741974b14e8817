import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { byTask } from '../../ports/model-client.testkit.ts'
import type { ServicesOptions } from '../agent-services.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { type AgentDefinition, generalPurpose } from '../types/agent-definition.ts'
import { defaultBudgets } from '../types/settings.ts'

interface Said {
  readonly task: string
  readonly context: JsonObject
}

/** A world with an agent that is the command `agent`. `work` gets each message and returns what it prints. */
async function open(
  work: (said: Said) => string | Promise<string>,
  {
    definition = {},
    description = 'look',
    settings = {},
  }: {
    readonly definition?: Partial<AgentDefinition>
    readonly description?: string
    readonly settings?: ServicesOptions['settings']
  } = {},
) {
  const heard: Said[] = []
  const program = { kind: 'command', command: 'cd . && agent', hosts: [] } as const
  const own: AgentDefinition = { ...generalPurpose, name: 'own', origin: 'user', program, ...definition }
  const call = { name: 'task', id: 't', input: { description, subagent_type: 'own' } }
  const world = await openWorld({
    extensions: { agents: [generalPurpose, own] },
    script: byTask({ main: [{ calls: [call] }, { text: 'Done.' }] }),
    programs: {
      async agent(_, { input, print }) {
        const said = JSON.parse(input) as Said
        heard.push(said)
        print(`${await work(said)}\n`)
        return said.task.includes('exit 3') ? 3 : 0
      },
    },
    settings,
  })
  return {
    world,
    heard,
    /** A root thread of the agent, which has answered the text. */
    async ask(text: string): Promise<ThreadId> {
      const options = { title: text, model: 'scripted', approvalMode: 'auto-edit', agentType: 'own' } as const
      const id = world.runtime.begin(options, () => [{ type: 'text', text }])
      await world.whenIdle(id)
      return id
    },
  }
}

const echo = ({ task }: Said) => JSON.stringify({ result: `did ${task}` })

describe('an agent that is a program', () => {
  it('gets its task apart from the summary of the state, in every scope', async () => {
    for (const contextScope of ['strict', 'scoped'] as const) {
      const { world, heard } = await open(echo, { definition: { includeStateSummary: true, contextScope } })
      await world.run('main')
      expect(heard).toMatchObject([{ task: 'look', context: { state: expect.stringContaining('"version":"v1"') } }])
    }
  })

  it('gets the newest message as its task, also on a thread of its own with the scope "scoped"', async () => {
    const { world, heard, ask } = await open(echo, { settings: { quarantine: 'scoped' } })
    const id = await ask('first')
    await world.say(id, 'second')
    expect(heard.map(({ task }) => task)).toEqual(['first', 'second'])
    expect(world.answer(id)).toBe('did second')
  })

  it('answers the messages that were queued while it worked, each on its own', async () => {
    const opened = await open((said) => {
      if (said.task === 'first') {
        const [id = '' as ThreadId] = world.services.log.state.threads.keys()
        world.runtime.send(id, [{ type: 'text', text: 'second' }], 'queue')
        world.runtime.send(id, [{ type: 'text', text: 'third' }], 'steer')
      }
      return echo(said)
    })
    const { world, heard, ask } = opened
    const id = await ask('first')
    expect(heard.map(({ task }) => task)).toEqual(['first', 'second', 'third'])
    expect(world.thread(id)).toMatchObject({ status: 'done', queue: [] })
    expect(world.answer(id)).toBe('did third')
  })

  it('gets a task of any size and with any quotes as standard input, which the stored call shows', async () => {
    const description = `it's "quoted" $HOME ${'x'.repeat(200_000)}`
    const { world, heard } = await open(echo, { description })
    const id = await world.run('main')
    expect(heard).toMatchObject([{ task: description }])
    const [child] = world.children(id)
    const [call] = [...(child?.calls.values() ?? [])]
    expect(call?.input).toMatchObject({ command: 'cd . && agent', input: expect.stringContaining('quoted') })
  })

  it('has failed when it ends with another exit code than 0, also after a result', async () => {
    const { world, ask } = await open(echo)
    const id = await ask('exit 3')
    expect(world.thread(id)).toMatchObject({
      status: 'failed',
      end: { message: expect.stringContaining('Exit code 3.') },
    })
  })

  it('is asked again when a failed run continues', async () => {
    let isUp = false
    const { world, heard, ask } = await open((said) => (isUp ? echo(said) : '{"error":"not up yet"}'))
    const id = await ask('first')
    expect(world.thread(id).end).toMatchObject({ status: 'failed', message: 'not up yet' })
    isUp = true
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect(heard.map(({ task }) => task)).toEqual(['first', 'first'])
    expect([world.thread(id).status, world.answer(id)]).toEqual(['done', 'did first'])
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect(heard).toHaveLength(2)
  })

  it('says its own error, whatever its exit code', async () => {
    const { world, ask } = await open(() => '{"error":"no such house"}')
    expect(world.thread(await ask('exit 3')).end?.message).toBe('no such house')
  })

  it('is believed about its exit code only in the last line that says one', async () => {
    const { world, ask } = await open((said) => `${echo(said)}\nExit code 0. 0.1 s.`)
    expect(world.thread(await ask('exit 3')).status).toBe('failed')
  })

  it('is not started for the next message when the budget is spent', async () => {
    const budgets = { ...defaultBudgets, run: { ...defaultBudgets.run, minutes: 1 } }
    const { world, heard, ask } = await open(
      (said) => {
        const [id = '' as ThreadId] = world.services.log.state.threads.keys()
        world.runtime.send(id, [{ type: 'text', text: 'second' }], 'queue')
        world.services.clock.advance(120_000)
        return echo(said)
      },
      { settings: { budgets } },
    )
    const id = await ask('first')
    expect(heard.map(({ task }) => task)).toEqual(['first'])
    expect(world.thread(id).end).toMatchObject({ status: 'stopped', reason: 'budget' })
  })
})
