import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ContextScope } from '#shared/model/thread.ts'
import { executeCommand } from '../../commands/command.ts'
import { editTodo, replaceTodos } from '../../commands/todos.ts'
import {
  byTask,
  type ModelScript,
  type ScriptedAnswer,
  type ScriptedCall,
  taskOf,
  turnOf,
} from '../../ports/model-client.testkit.ts'
import type { ModelRequest } from '../../ports/model-client.ts'
import { type AgentWorld, openWorld, shownMessage } from '../agent-world.testkit.ts'
import { type AgentDefinition, generalPurpose } from '../types/agent-definition.ts'

const done: ScriptedAnswer = { text: 'done' }
const write = (file_path: string, content: string): ScriptedAnswer => ({
  calls: [{ name: 'write_file', input: { file_path, content } }],
})
const edit = (file_path: string, old_string: string, new_string: string): ScriptedCall => ({
  name: 'edit_file',
  input: { file_path, old_string, new_string },
})
const spawn = (...tasks: readonly (string | object)[]): ScriptedCall => ({
  name: 'spawn_subagents',
  id: 'spawn',
  input: { tasks: tasks as never },
})
const task = (id: string, description: string, more: object = {}): ScriptedCall => ({
  name: 'task',
  id,
  input: { description, ...more },
})
const merge = (...handles: readonly string[]): ScriptedCall => ({
  name: 'merge_subagent',
  id: 'merge',
  input: { handle: handles },
})
const report = (world: AgentWorld, id: ThreadId, call: string) => JSON.parse(world.results(id)[call] ?? '{}')
const requestsOf = (world: AgentWorld, wanted: string) => world.requests.filter((request) => taskOf(request) === wanted)

describe('spawn_subagents', () => {
  it('gives each task a fork of the current tree, waits for all, and merges nothing', async () => {
    const world = await openWorld({
      files: { '/shared': 'base' },
      script: byTask({
        main: [
          { calls: [{ name: 'write_file', input: { file_path: '/shared', content: 'parent' } }, spawn('one', 'two')] },
        ],
        one: [
          { calls: [{ name: 'read_file', id: 'r', input: { file_path: '/shared' } }] },
          write('/one', '1'),
          { text: 'one is done' },
        ],
        two: [write('/two', '2'), { text: 'two is done' }],
      }),
    })
    const id = await world.run('main')
    expect(report(world, id, 'spawn')).toEqual({
      subagents: [
        {
          handle: 'subagent_0',
          ...{ name: 'one', task: 'one', result: 'one is done' },
          diff: { written: [{ path: '/one', kind: 'create', size: 1 }], deleted: [], renamed: [] },
          patch: expect.stringContaining('+++ b/one'),
        },
        {
          handle: 'subagent_1',
          ...{ name: 'two', task: 'two', result: 'two is done' },
          diff: { written: [{ path: '/two', kind: 'create', size: 1 }], deleted: [], renamed: [] },
          patch: expect.stringContaining('+++ b/two'),
        },
      ],
    })
    const [one] = world.children(id)
    expect(world.results(one?.id as ThreadId).r).toContain('parent')
    expect(await world.files(id)).toEqual({ '/shared': 'parent' })
    expect(await world.files(one?.id as ThreadId)).toEqual({ '/shared': 'parent', '/one': '1' })
  })

  it('returns the partial work of a failed subagent, and the results of the others', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [spawn('failing', 'fine')] }, { calls: [merge('subagent_0', 'subagent_1')] }],
        failing: [
          write('/partial', 'half'),
          { fault: { afterEvents: 0, with: 'bad_request', message: 'It is refused.' } },
        ],
        fine: [write('/fine', 'whole'), done],
      }),
    })
    const id = await world.run('main')
    expect(world.outcomes(id).spawn, 'one failure is not the failure of all').toBe('ok')
    const [failing, fine] = report(world, id, 'spawn').subagents
    expect(failing).toMatchObject({ error: 'It is refused.', diff: { written: [{ path: '/partial' }] } })
    expect(failing).not.toHaveProperty('result')
    expect(fine).toMatchObject({ result: 'done' })
    expect(await world.files(id)).toEqual({ '/partial': 'half', '/fine': 'whole' })
  })

  it.each<[string, readonly (string | object)[], string]>([
    ['without tasks', [], 'The list of tasks is empty.'],
    [
      'of an unknown type',
      [{ task: 'x', subagent_type: 'wizard' }],
      'There is no subagent type "wizard". Types: general-purpose.',
    ],
    ['linked to a missing todo', [{ task: 'x', todo_index: 0 }], 'There is no todo with index 0; the list is empty.'],
  ])('%s is an error and forks nothing', async (_, tasks, message) => {
    const world = await openWorld({ script: byTask({ main: [{ calls: [spawn(...tasks)] }] }) })
    const id = await world.run('main')
    expect(world.outcomes(id)).toEqual({ spawn: 'error' })
    expect(world.results(id).spawn).toContain(message)
    expect(world.children(id)).toEqual([])
  })

  it('numbers handles on through later calls and runs, and keeps old ones valid', async () => {
    const world = await openWorld({
      script: byTask({
        main: [
          { calls: [spawn('a')] },
          { calls: [{ ...spawn('b'), id: 'again' }] },
          { text: 'first run' },
          { calls: [merge('subagent_0', 'subagent_1')] },
        ],
        a: [write('/a', '1'), done],
        b: [write('/b', '2'), done],
      }),
    })
    const id = await world.run('main')
    await world.say(id, 'now merge them')
    expect(await world.files(id)).toEqual({ '/a': '1', '/b': '2' })
  })

  it('keeps what parallel subagents edit, create and delete through the merge', async () => {
    const world = await openWorld({
      files: { '/a': 'one\n', '/c': 'gone\n' },
      script: byTask({
        main: [
          { calls: [spawn('editor', 'creator', 'deleter')] },
          { calls: [merge('subagent_0', 'subagent_1', 'subagent_2')] },
        ],
        editor: [{ calls: [edit('/a', 'one', 'edited')] }, done],
        creator: [write('/b', 'created'), done],
        deleter: [{ calls: [{ name: 'delete', input: { path: '/c' } }] }, done],
      }),
    })
    const id = await world.run('main')
    expect(await world.files(id)).toEqual({ '/a': 'edited\n', '/b': 'created' })
  })

  it('finds no conflict when two wrote the same, and merging again changes nothing', async () => {
    const both = merge('subagent_0', 'subagent_1')
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [spawn('same 1', 'same 2')] }, { calls: [both] }, { calls: [{ ...both, id: 'again' }] }],
        same: [write('/same', 'same'), done],
      }),
    })
    const id = await world.run('main')
    expect([world.results(id).merge, world.results(id).again].join()).not.toMatch(/"conflicts":\[\{/)
    const sizes = world.entries('branch.merged').map(({ patch }) => patch.length)
    expect([sizes[0], sizes.slice(1).every((size) => size === 0)]).toEqual([1, true])
  })

  it('keeps a rename as one unit through the merge', async () => {
    const world = await openWorld({
      files: { '/old.txt': 'the same content\n' },
      script: byTask({
        main: [{ calls: [spawn('mover')] }, { calls: [merge('subagent_0')] }],
        mover: [{ calls: [{ name: 'move', input: { from: '/old.txt', to: '/new.txt' } }] }, done],
      }),
    })
    const id = await world.run('main')
    expect(world.entries('branch.merged')[0]?.result).toMatchObject({
      written: [],
      deleted: [],
      renamed: [{ from: '/old.txt', to: '/new.txt' }],
    })
    expect(await world.files(id)).toEqual({ '/new.txt': 'the same content\n' })
  })
})

describe('task', () => {
  it('starts neighbours from the same tree, merges in order, and leaves a conflict on its branch', async () => {
    const edits = (word: string): readonly ScriptedAnswer[] => [
      {
        calls: [
          edit('/a.txt', 'one', word),
          { name: 'write_file', input: { file_path: `/${word}.txt`, content: word } },
        ],
      },
      { text: `${word} is in` },
    ]
    const world = await openWorld({
      files: { '/a.txt': 'one\n' },
      script: byTask({
        main: [{ calls: [task('uno', 'uno please'), task('eins', 'eins please')] }, { text: 'Merged.' }],
        uno: edits('uno'),
        eins: edits('eins'),
      }),
    })
    const id = await world.run('main')
    expect(report(world, id, 'uno')).toMatchObject({
      handle: 'subagent_0',
      result: 'uno is in',
      merge: { written: ['/a.txt', '/uno.txt'], conflicts: [] },
    })
    expect(report(world, id, 'eins')).toMatchObject({
      handle: 'subagent_1',
      result: 'eins is in',
      merge: { written: ['/eins.txt'], skipped: ['/a.txt'], conflicts: [{ path: '/a.txt' }] },
    })
    expect(await world.files(id)).toEqual({ '/a.txt': 'uno\n', '/eins.txt': 'eins', '/uno.txt': 'uno' })
  })

  it('that fails is an error with the handle, and merges nothing', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [task('t', 'failing')] }],
        failing: [write('/partial', 'half'), { text: 'I', stopReason: 'refusal' }],
      }),
    })
    const id = await world.run('main')
    expect(world.outcomes(id)).toEqual({ t: 'error' })
    expect(report(world, id, 't')).toMatchObject({
      handle: 'subagent_0',
      error: expect.stringContaining('refused'),
      diff: { written: [{ path: '/partial' }] },
    })
    expect(await world.files(id)).toEqual({})
  })

  it('of a stopped run stops its subagent too, which keeps its branch', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [task('t', 'child')] }],
        child: [write('/a', '1'), { text: 'I wait. ', until: new Promise(() => {}) }],
      }),
    })
    const id = world.begin('main')
    while (world.requests.length < 3) await Promise.resolve()
    await world.runtime.halt(id)
    expect([world.thread(id).status, world.children(id)[0]?.status]).toEqual(['stopped', 'stopped'])
    expect(await world.files(world.children(id)[0]?.id as ThreadId)).toEqual({ '/a': '1' })
  })

  it('may be stopped alone: the agent above learns of it and continues', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [task('t', 'child')] }, { text: 'I go on.' }],
        child: [{ text: 'I wait. ', until: new Promise(() => {}) }],
      }),
    })
    const id = world.begin('main')
    while (world.requests.length < 2) await Promise.resolve()
    world.runtime.stop(world.children(id)[0]?.id as ThreadId)
    await world.whenIdle(id)
    expect([world.thread(id).status, world.answer(id)]).toEqual(['done', 'I go on.'])
    expect(report(world, id, 't')).toMatchObject({ error: 'Stopped by the user.' })
  })

  it.each([
    [0, false, false],
    [1, true, false],
    [2, true, true],
  ])(
    'to depth %i is offered to the main agent: %s, and to its subagents: %s',
    async (maxSubagentDepth, root, child) => {
      const world = await openWorld({
        settings: { maxSubagentDepth },
        script: byTask({ main: [{ calls: [task('t', 'child')] }], child: [done] }),
      })
      await world.run('main')
      const offers = (request: ModelRequest | undefined) => request?.tools.some(({ name }) => name === 'task') ?? false
      expect(offers(requestsOf(world, 'main')[0])).toBe(root)
      expect(offers(requestsOf(world, 'child')[0])).toBe(child)
    },
  )

  it('returns to a parent that a restart cut off, without a second subagent', async () => {
    let held = true
    const script: ModelScript = (request, seen) => {
      if (taskOf(request) === 'child' && turnOf(request) === 1 && held) return { until: new Promise(() => {}) }
      return byTask({
        main: [{ calls: [task('t', 'child')] }, { text: 'All is back.' }],
        child: [write('/a', '1'), done],
      })(request, seen)
    }
    const world = await openWorld({ script })
    const id = world.begin('main')
    while (world.requests.length < 3) await Promise.resolve()
    held = false
    const again = await world.restart()
    again.runtime.resume(again.children(id)[0]?.id as ThreadId)
    await again.whenIdle(id)
    expect([again.thread(id).status, again.children(id).length]).toEqual(['done', 1])
    expect(await again.files(id)).toEqual({ '/a': '1' })
  })

  it('keeps its approval across a restart while one subagent waits, and repeats no finished subagent', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [spawn('quick: write', 'careful: run')] }, { text: 'Both are back.' }],
        quick: [write('/quick.txt', 'q'), { text: 'quick is done' }],
        careful: [
          { calls: [{ name: 'execute', id: 'cmd', input: { command: 'echo careful > careful.txt' } }] },
          { text: 'careful is done' },
        ],
      }),
    })
    const id = await world.run('main')
    const asked = world.waiting().interrupts
    const again = await world.restart()
    expect(again.waiting().interrupts).toEqual(asked)
    await again.approve('cmd')
    await again.whenIdle(id)
    expect(again.thread(id)).toMatchObject({ status: 'done' })
    expect(again.requests.map(taskOf), 'the waiting subagent once, the parent once').toEqual(['careful: run', 'main'])
    expect(JSON.stringify(report(again, id, 'spawn'))).toMatch(/quick is done.*careful is done/)
  })
})

describe('a linked todo', () => {
  const todos = {
    name: 'write_todos',
    input: {
      todos: [
        { content: 'first', status: 'pending' },
        { content: 'second', status: 'pending' },
      ],
    },
  }
  const statuses = (world: AgentWorld) =>
    world.entries('todos.written').map(({ by, todos: list }) => `${by}: ${list.map(({ status }) => status).join()}`)

  it('starts with its subagent and is completed with it', async () => {
    const world = await openWorld({
      script: byTask({ main: [{ calls: [todos, task('t', 'child', { todo_index: 1 })] }], child: [done] }),
    })
    const id = await world.run('main')
    expect(statuses(world)).toEqual(['agent: pending,pending', 'loop: pending,in_progress', 'loop: pending,completed'])
    expect(world.thread(id).todos[0]).toEqual({ content: 'first', status: 'pending' })
  })

  it('returns to pending with the error when its subagent fails', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [todos, task('t', 'child', { todo_index: 0 })] }],
        child: [{ fault: { afterEvents: 0, with: 'forbidden', message: 'Not yours.' } }],
      }),
    })
    const id = await world.run('main')
    expect(world.thread(id).todos[0]).toEqual({ content: 'first', status: 'pending', error: 'Not yours.' })
  })

  it('with several subagents is completed by the last of them', async () => {
    const shared = { todo_index: 0 }
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [todos, spawn({ task: 'quick', ...shared }, { task: 'slow', ...shared })] }],
        quick: [done],
        slow: [write('/a', '1'), write('/b', '2'), done],
      }),
    })
    await world.run('main')
    const changes = statuses(world).map((line) => line.split(',')[0])
    expect(changes.filter((line) => line === 'loop: completed')).toHaveLength(1)
    expect(changes.at(-1)).toBe('loop: completed')
  })

  const asking = byTask({
    main: [{ calls: [todos, task('t', 'child', { todo_index: 1 })] }],
    child: [{ calls: [{ name: 'ask_user', id: 'q', input: { question: '?' } }] }, done],
  })
  const answered = { callId: 'q' as never, type: 'respond', message: 'yes' } as const

  it('stays linked when a person changes its text meanwhile', async () => {
    const world = await openWorld({ script: asking })
    const id = await world.run('main')
    const rename = { kind: 'rename', card: { content: 'second', occurrence: 0 }, content: 'better' } as const
    executeCommand(world.services.log, editTodo(world.services, id, rename))
    await world.decide(answered)
    expect(world.thread(id).todos.at(1)).toEqual({ content: 'better', status: 'completed' })
    expect(world.children(id)[0]?.linkedTodo).toBe('better')
  })

  it('is found by its text when the list has changed meanwhile', async () => {
    const world = await openWorld({ script: asking })
    const id = await world.run('main')
    const todosNow = [
      { content: 'new', status: 'pending' },
      { content: 'first', status: 'pending' },
      { content: 'second', status: 'in_progress' },
    ] as const
    executeCommand(world.services.log, replaceTodos(world.services, id, todosNow))
    await world.decide(answered)
    expect(world.thread(id).todos.map(({ content, status }) => `${content} ${status}`)).toEqual([
      'new pending',
      'first pending',
      'second completed',
    ])
  })
})

describe('quarantine', () => {
  const canaries = ['CANARY-said', 'CANARY-read', 'CANARY-reply', 'CANARY-todo']
  const script = byTask({
    'main CANARY-said': [
      { text: 'CANARY-reply', calls: [{ name: 'read_file', input: { file_path: '/secret-plan.txt' } }] },
      {
        calls: [
          { name: 'write_todos', input: { todos: [{ content: 'CANARY-todo', status: 'pending' }] } },
          { name: 'write_file', input: { file_path: '/changed', content: 'x' } },
        ],
      },
      { calls: [task('t', 'child')] },
      done,
    ],
    child: [done],
  })
  const open = (
    settings: { quarantine?: ContextScope; quarantineInherited?: boolean },
    agents: readonly AgentDefinition[] = [generalPurpose],
  ) => openWorld({ files: { '/secret-plan.txt': 'CANARY-read\n' }, script, settings, extensions: { agents } })
  const childSees = (world: AgentWorld) => {
    const [request] = world.requests.filter(({ system }) => system.includes('You are a subagent'))
    return canaries.filter((canary) => JSON.stringify(request).includes(canary))
  }

  it.each([
    ['strict', []],
    ['scoped', ['CANARY-todo']],
    ['off', canaries],
  ] as const)('%s lets a subagent see %j of what was said, read and planned', async (quarantine, seen) => {
    const world = await open({ quarantine })
    await world.run('main CANARY-said')
    expect(childSees(world)).toEqual(seen)
    const ofParent = JSON.stringify(world.requests.filter((request) => taskOf(request).startsWith('main')))
    expect(
      canaries.filter((canary) => !ofParent.includes(canary)),
      'the parent has seen them',
    ).toEqual([])
  })

  it('scoped sends the changed files and the plan as one message of JSON', async () => {
    const world = await open({ quarantine: 'scoped' })
    await world.run('main CANARY-said')
    const [request] = world.requests.filter(({ system }) => system.includes('You are a subagent'))
    expect(request?.messages.map(shownMessage)).toEqual([
      'user: child',
      'user: {"version":"v1","scope":"scoped","todos":[{"content":"CANARY-todo","status":"pending"}],"files":{"list":["/changed"],"remaining_count":0}}',
    ])
  })

  it('follows the definition of a subagent, whatever the settings say', async () => {
    const world = await open({ quarantine: 'off' }, [{ ...generalPurpose, contextScope: 'strict' }])
    await world.run('main CANARY-said')
    expect(childSees(world)).toEqual([])
  })

  it('includes the plan when a definition asks for the summary alone', async () => {
    const world = await open({ quarantine: 'strict' }, [{ ...generalPurpose, includeStateSummary: true }])
    await world.run('main CANARY-said')
    expect(childSees(world)).toEqual(['CANARY-todo'])
  })

  /** A subagent that sees the parent's whole conversation has several tasks in its request. Its own is the last. */
  const nestedScript: ModelScript = (request) => {
    const said = request.messages.flatMap(({ role, content }) => (role === 'user' ? content : []))
    const own = said.findLast((part) => part.type === 'text' && ['main', 'child', 'grandchild'].includes(part.text))
    const isReturned = request.messages.at(-1)?.content.some(({ type }) => type === 'tool_result') === true
    if (own?.type !== 'text' || isReturned || own.text === 'grandchild') return done
    const type = own.text === 'main' ? { subagent_type: 'open' } : {}
    return { calls: [task('t', own.text === 'main' ? 'child' : 'grandchild', type)] }
  }
  const openType: AgentDefinition = { ...generalPurpose, name: 'open', contextScope: 'off' }
  const grandchildScope = async (quarantineInherited: boolean, scope: ContextScope | null) => {
    const agents = [{ ...generalPurpose, contextScope: scope }, openType]
    const settings = { quarantine: 'strict', quarantineInherited, maxSubagentDepth: 2 } as const
    const world = await openWorld({ script: nestedScript, settings, extensions: { agents } })
    const id = await world.run('main')
    const [child] = world.children(id)
    return world.children(child?.id as ThreadId)[0]?.contextScope
  }

  it('of a nested subagent is that of the agent above it, unless nothing is inherited', async () => {
    expect(await grandchildScope(true, null)).toBe('off')
    expect(await grandchildScope(false, null)).toBe('strict')
  })

  it('of a nested subagent follows its own definition, if that sets one', async () => {
    expect(await grandchildScope(true, 'strict')).toBe('strict')
  })
})
