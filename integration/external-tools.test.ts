import { describe, expect, it } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import { told } from './external-agent.testkit.ts'
import { definitionOf, openExternalWorld as open } from './external-world.testkit.ts'

/** A task for the scripted agent as a subagent. */
const byScripted = (steps: readonly object[]) => ({ task: told(steps), subagent_type: 'scripted' })

describe('the tools of Coppice in a session of an external agent', () => {
  it('are those that it does not have itself', async () => {
    const world = await open({ checks: [{ name: 'test', run: 'true' }] })
    const id = await world.ask([{ list: true }])
    const [names = ''] = world.said(id)
    expect(names.split(' ').sort()).toEqual(
      [
        ...[
          'agent_message',
          'agent_status',
          'agent_stop',
          'agent_wait',
          'ask_user',
          'attempts',
          'batch_task',
          'delete',
          'discard_subagent',
          'edit_file',
          'grep',
          'ls',
          'merge_subagent',
        ],
        ...['read_file', 'read_todos', 'run_checks', 'spawn_subagents', 'task', 'update_todo_status', 'write_file'],
        'write_todos',
      ].sort(),
    )
  })

  it('fork its files as they are now, and what is merged appears in its view at once', async () => {
    const world = await open()
    const tasks = [
      byScripted([{ do: 'shell', command: 'cat a.txt > from-parent.txt' }, { say: 'One.' }]),
      byScripted([{ do: 'write', path: 'b.txt', text: 'by the second' }, { say: 'Two.' }]),
    ]
    const id = await world.ask([
      { do: 'write', path: 'a.txt', text: 'before the fork' },
      { use: [{ name: 'spawn_subagents', args: { tasks } }] },
      { use: [{ name: 'merge_subagent', args: { handle: ['subagent_0', 'subagent_1'] } }] },
      { do: 'shell', command: 'cat from-parent.txt b.txt' },
    ])
    expect(world.thread(id).end).toMatchObject({ status: 'done' })
    expect(world.callsOf(id).map(({ name, outcome }) => [name, outcome])).toEqual([
      ['agent_edit', 'ok'],
      ['spawn_subagents', 'ok'],
      ['merge_subagent', 'ok'],
      ['agent_command', 'ok'],
    ])
    expect(world.callsOf(id).at(-1)?.text).toContain('before the forkby the second')
    expect(await world.fileOf(id, '/from-parent.txt')).toBe('before the fork')
    expect(JSON.parse(world.said(id)[0] ?? '')).toMatchObject({ subagents: [{ result: 'One.' }, { result: 'Two.' }] })
  })

  it('reach memories and results beside the project, and no file of the project', async () => {
    const world = await open()
    const write = (file_path: string) => ({ name: 'write_file', args: { file_path, content: 'kept' } })
    const id = await world.ask([
      { use: [write('/memories/style.md')] },
      { do: 'shell', command: 'true' },
      { use: [write('/a.txt')] },
      { do: 'shell', command: 'true' },
      { use: [{ name: 'read_file', args: { file_path: '/memories/style.md' } }] },
      { do: 'shell', command: 'true' },
      { use: [{ name: 'ls', args: {} }] },
      { do: 'shell', command: 'true' },
      { use: [{ name: 'grep', args: { pattern: 'one' } }] },
      { do: 'shell', command: 'true' },
      { use: [{ name: 'read_file', args: { file_path: '/memories/../a.txt' } }] },
    ])
    const [written = '', refused = '', read = '', ...others] = world.said(id)
    expect(written).not.toMatch(/^ERROR/)
    expect(refused).toMatch(/^ERROR Only for paths below \/memories\//)
    expect(read).toContain('kept')
    expect(others).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^ERROR /)))
    expect(others.join('')).not.toContain('one\n')
    expect(await world.fileOf(id, '/a.txt')).toBe('one\n')
  })

  it('run several at once, and wrong ones are errors that say what is wrong', async () => {
    const world = await open()
    const task = (name: string) => ({
      name: 'task',
      args: { description: told([{ do: 'write', path: name, text: name }, { say: name }]), subagent_type: 'scripted' },
    })
    const id = await world.ask([
      { use: [task('one.txt'), task('two.txt')] },
      { use: [{ name: 'spawn_subagents', args: { tasks: [] } }] },
      { use: [{ name: 'merge_subagent', args: { handle: 'subagent_9' } }] },
      { use: [{ name: 'execute', args: { command: 'true' } }] },
      { use: [{ name: 'task', args: {} }] },
      { use: [{ name: 'write_todos', args: { todos: [{ content: 'look', status: 'in_progress' }] } }] },
    ])
    expect(await world.fileOf(id, '/one.txt')).toBe('one.txt')
    expect(await world.fileOf(id, '/two.txt')).toBe('two.txt')
    // What it says and what it calls come by two ways, so texts may be joined.
    const said = world.said(id).join('')
    for (const error of [
      'ERROR The list of tasks is empty.',
      'Known handles: subagent_0, subagent_1.',
      'ERROR There is no tool named execute. ',
      'ERROR Invalid arguments for task: description',
    ])
      expect(said).toContain(error)
    expect(world.thread(id).todos).toMatchObject([{ content: 'look', status: 'in_progress' }])
  })

  /** Mutation: let `toolFilter` in `capabilities.ts` allow everything to an agent of the kind `acp`. */
  it('do not exist for a subagent that may start none, and rules hold for them', async () => {
    const world = await open({ permissions: { deny: ['discard_subagent'] } })
    const id = await world.ask([
      { use: [{ name: 'spawn_subagents', args: { tasks: [byScripted([{ list: true }])] } }] },
      { do: 'shell', command: 'true' },
      { use: [{ name: 'discard_subagent', args: { handle: 'subagent_0' } }] },
    ])
    const [spawned = '', discarded = ''] = world.said(id)
    expect(spawned).toContain('read_todos')
    expect(spawned).not.toMatch(/execute|spawn_subagents"/)
    expect(JSON.parse(spawned).subagents[0].result.split(' ')).not.toContain('spawn_subagents')
    expect(discarded).toMatch(/^ERROR Denied by the rule/)
  })

  it('ask the person, and are no call of their own when the agent asks whether it may call them', async () => {
    const world = await open()
    const call = { toolCallId: 'x', title: 'mcp__coppice__ask_user', kind: 'other', status: 'pending', rawInput: {} }
    const id = await world.ask(
      [{ asks: [call] }, { use: [{ name: 'ask_user', args: { question: 'Which one?' } }] }],
      'ask',
    )
    const [request] = world.thread(id).interrupts.flatMap(({ action_requests }) => action_requests)
    expect(request).toMatchObject({ name: 'ask_user' })
    if (request) world.decide(id, [{ type: 'respond', callId: request.callId, message: 'The second.' }])
    await world.idle(id)
    expect(world.said(id)).toEqual(['yes', 'The second.'])
    expect(world.callsOf(id).map(({ name }) => name)).toEqual(['ask_user'])
  })

  it('end with the turn that is stopped, with all that they started', async () => {
    const world = await open()
    const asked = world.ask([
      { use: [{ name: 'spawn_subagents', args: { tasks: [byScripted([{ say: 'Here.' }, { hang: true }])] } }] },
    ])
    const started = await eventually(() => {
      const [thread] = world.threads()
      const [child] = thread ? childrenOf(world.state(), thread.id) : []
      expect(child?.status ?? '').toBeTruthy()
      if (!thread || !child) throw new Error('none yet')
      return { parent: thread.id, child: child.id }
    })
    world.stop(started.parent)
    await asked
    for (const id of [started.parent, started.child]) expect(world.thread(id).end).toMatchObject({ status: 'stopped' })
  })

  it('go on after the app was killed, and the agent is told what came of them', async () => {
    const world = await open()
    // It is killed in the first sleep.
    const steps = [{ say: 'Now.' }, { do: 'shell', command: 'sleep 1' }, { say: 'Slept.' }]
    const id = await world.killIn([{ use: [{ name: 'spawn_subagents', args: { tasks: [byScripted(steps)] } }] }])
    expect(world.thread(id).end).toMatchObject({ status: 'interrupted' })
    await world.resume(id)
    expect(world.thread(id).end).toMatchObject({ status: 'done' })
    const [call] = world.callsOf(id)
    expect(call).toMatchObject({ name: 'spawn_subagents', outcome: 'ok' })
    expect(world.said(id).at(-1)).toContain('These calls of Coppice’s tools ended after you stopped to wait for them')
    expect(world.said(id).at(-1)).toContain('Slept.')
  })

  /** Mutation: leave out `typeBelow` or `modelBelow` in `subagents.ts`. */
  it('give a task without a type to the same agent, and another type the model of new threads', async () => {
    const world = await open({
      model: 'usual',
      subagents: [definitionOf({}), { name: 'reviewer', description: 'Reads.' }],
    })
    const tasks = [told([{ say: 'By the same.' }]), { task: 'Review.', subagent_type: 'reviewer' }]
    const id = await world.begin([{ use: [{ name: 'spawn_subagents', args: { tasks } }] }])
    const [same, reviewer] = childrenOf(world.state(), id)
    expect([same?.agentType, same?.model]).toEqual(['scripted', 'agent/scripted'])
    expect([reviewer?.agentType, reviewer?.model]).toEqual(['reviewer', 'usual'])
  })

  it('let it go on while subagents work, and tell it of their ends in another turn', async () => {
    const world = await open()
    const tasks = [byScripted([{ do: 'shell', command: 'sleep 0.5' }, { say: 'Slept.' }])]
    const id = await world.ask([
      { use: [{ name: 'spawn_subagents', args: { tasks, wait: false } }] },
      { do: 'shell', command: 'true' },
      { say: 'I go on.' },
    ])
    const [started = '', goesOn, heard] = world.said(id)
    expect(JSON.parse(started)).toMatchObject({ subagents: [{ handle: 'subagent_0', status: 'running' }] })
    expect(goesOn).toBe('I go on.')
    expect(heard).toMatch(/^heard: Subagents of yours have ended.*"result":"Slept\."/s)
    expect(world.thread(id).end).toMatchObject({ status: 'done' })
  })

  /** Mutation: leave out the kind `late_results` in `answerAll`. */
  it('tell their result in a message when the agent gave up', async () => {
    const world = await open()
    const slow = byScripted([{ do: 'shell', command: 'sleep 1; echo slow' }, { say: 'Slow.' }])
    const id = await world.ask([
      { abandon: { name: 'spawn_subagents', args: { tasks: [slow] } } },
      { say: 'I do not wait.' },
    ])
    expect(world.said(id)).toEqual(['I do not wait.', expect.stringMatching(/^heard: These calls .*Slow\./s)])
  })
})
