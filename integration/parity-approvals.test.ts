import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reportWhenQuiet } from '#host/headless/run-report.ts'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import { projectThread, type ThreadId } from '#shared/model/ids.ts'
import {
  type Answer,
  byTask,
  type Call,
  callingInTurn,
  lastResults,
  type Scenario,
  turnOf,
} from '../e2e/model-server/scenario.ts'
import { appendTo } from '../src/main/core/journal/project-log.testkit.ts'
import { call, changes, execute, files, js } from './file-changes.testkit.ts'
import { openWorld, type WorldOptions } from './world.testkit.ts'

const done: Answer = { text: 'done' }

const calling = (...calls: readonly Call[]): Scenario => callingInTurn(calls)

async function openWith(interruptOn: object, scenario: Scenario, options: WorldOptions = {}) {
  const world = await openWorld(scenario, { files, settings: { interrupt_on: interruptOn }, ...options })
  const waiting = (id: ThreadId) => world.thread(id).interrupts.flatMap(({ action_requests }) => action_requests)
  const decide = async (id: ThreadId, decision: Omit<Decision, 'callId'>) => {
    const calls = waiting(id).map(({ callId }) => ({ ...decision, callId }) as Decision)
    world.decide(id, calls)
    await world.project.runtime.whenIdle(id)
  }
  return { ...world, waiting, decide }
}

describe('1: a name in interrupt_on', () => {
  it.each([
    ['a: delete_file', { delete_file: true }, changes.delete],
    ['b: Write', { Write: true }, call('write_file', { file_path: '/new.txt', content: 'x' })],
    ['c: Bash', { Bash: true }, execute('ls')],
    ['d: a glob', { '*_edit': true }, changes.multi_edit],
  ] as const)('%s makes the tool ask', async (_, interruptOn, asked) => {
    const { run, waiting } = await openWith(interruptOn, calling(asked as Call))
    expect(waiting(await run('main'))).toMatchObject([{ name: (asked as Call).name }])
  })

  it('e: that fits nothing is named before the run, and everything asks while it stands', async () => {
    const { project, run, waiting } = await openWith({ wrte_file: true }, calling(changes['fs.write'] as Call))
    expect(await project.runtime.findStartProblems('scripted')).toEqual([
      'interrupt_on: There is no tool "wrte_file". Did you mean write_file?',
    ])
    expect(waiting(await run('main'))).toMatchObject([{ rule: expect.stringContaining('wrte_file') }])
  })

  it('f: of a definition is checked in the same way', async () => {
    const agents = 'subagents:\n- name: fixer\n  description: Fixes.\n  interrupt_on: { Wrte: true }\n'
    const { project } = await openWith({}, calling(), { trusted: true, files: { '.coppice/agents.yaml': agents } })
    expect(await project.runtime.findStartProblems('scripted')).toEqual([
      expect.stringMatching(/The agent fixer .*There is no tool "Wrte". Did you mean Write\?/),
    ])
  })
})

describe('1: a mistake that would leave a gate open', () => {
  it.each([
    ['interrupt_on that is a list', { interrupt_on: ['edit_file'] }, /interrupt_on: .*The default is used/],
    ['a stage with a wrong moment', { middleware: [{ command: 'guard', on: ['calls'] }] }, /middleware: /],
    [
      'a definition with a wrong value beside its interrupt_on',
      { subagents: [{ name: 'general-purpose', description: 'x', interrupt_on: { edit_file: true }, temperature: 5 }] },
      /temperature: /,
    ],
    ['a rule that names no tool', { permissions: { deny: ['Wrte(public/**)'] } }, /Wrte.*Did you mean Write/],
    ['a rule that fits no file', { permissions: { deny: ['Edit( a)'] } }, /Did you mean Edit\(a\)/],
    ['rules that are no list', { permissions: { deny: 'Edit' } }, /permissions: deny/],
    ['a limit that is a text', { budgets: { run: { cost: '5' } } }, /budgets: run.cost/],
    [
      'questions that a stage takes away',
      { interrupt_on: { edit_file: true }, middleware: [{ stage: 'approvals', enabled: false }] },
      /middleware: it switches approvals off, so interrupt_on could never ask for edit_file/,
    ],
    [
      'a question that a rule takes away',
      { interrupt_on: { execute: true }, permissions: { allow: ['Bash'] } },
      /permissions.allow has "Bash"/,
    ],
  ])('g: %s is named before the run, and everything asks while it stands', async (_, settings, message) => {
    const { project, run, waiting } = await openWith({}, calling(changes.edit_file as Call), { files, settings })
    expect(await project.runtime.findStartProblems('scripted')).toEqual([expect.stringMatching(message)])
    expect(waiting(await run('main'))).toMatchObject([{ name: 'edit_file', rule: expect.stringMatching(message) }])
  })
})

describe('2: interrupt_on {edit_file: true}', () => {
  const settings = { edit_file: true, execute: false, run_js_code: false }

  it.each(Object.entries(changes))('asks before %s, and changes nothing before the answer', async (_, asked) => {
    const world = await openWith(settings, calling(asked), { files: { ...files, 'src/a.txt': 'one\n' } })
    const id = await world.run('main')
    expect(world.waiting(id)).toMatchObject([{ name: asked.name, rule: expect.stringContaining('edit_file') }])
    expect((await reportWhenQuiet(world.project, id)).changes).toEqual({ written: [], deleted: [], renamed: [] })
    await world.decide(id, { type: 'approve' })
    const { changes: made } = await reportWhenQuiet(world.project, id)
    expect([...made.written, ...made.deleted, ...made.renamed], JSON.stringify(made)).not.toEqual([])
    expect(world.thread(id).status).toBe('done')
  })

  it('lets code run that reads, computes and creates files', async () => {
    const { run, waiting, fileOf } = await openWith(
      settings,
      calling(
        js("return (await fs.read('/a.txt')).length"),
        js("await fs.write('/new.txt', 'x')"),
        call('write_file', { file_path: '/new2.txt', content: 'x' }),
      ),
    )
    const id = await run('main')
    expect(waiting(id)).toEqual([])
    expect([await fileOf(id, '/new.txt'), await fileOf(id, '/new2.txt')]).toEqual(['x', 'x'])
  })

  it('covers subagents', async () => {
    const { run, project } = await openWith(
      settings,
      byTask({
        main: [{ calls: [call('task', { description: 'sub' })] }, done],
        sub: [{ calls: [changes['fs.write'] as Call] }, done],
      }),
    )
    const id = await run('main')
    const [child] = [...project.services.log.state.threads.values()].filter(({ parent }) => parent?.threadId === id)
    expect(child?.interrupts[0]?.action_requests).toMatchObject([{ name: 'run_js_code' }])
  })

  it.each([
    ['write_file', call('write_file', { file_path: '/memories/n.md', content: 'new' })],
    ['fs.write', js("await fs.write('/memories/n.md', 'new')")],
    ['fs.delete', js("await fs.delete('/memories/n.md')")],
    ['a move', call('move', { from: '/memories/n.md', to: '/memories/o.md' })],
  ])('holds for memories as well: %s', async (_, asked) => {
    const { run, waiting, project } = await openWith(settings, calling(asked))
    const note = { name: 'n.md', text: 'old', agent: 'main', callId: null, restores: null }
    appendTo(project.services.log, [{ type: 'memory.written', threadId: projectThread, ...note }])
    expect(waiting(await run('main'))).toMatchObject([{ rule: expect.stringContaining('edit_file') }])
    expect(project.services.log.state.memories.get('n.md')?.text).toBe('old')
  })

  it('holds for a merge of changes that were made before the setting', async () => {
    const merge = call('merge_subagent', { handle: 'subagent_0' })
    const spawn = call('spawn_subagents', { tasks: ['sub'] })
    const world = await openWith(
      {},
      (request, context) =>
        JSON.stringify(request.messages[0]).includes('"sub"')
          ? byTask({ sub: [{ calls: [changes.edit_file as Call] }, done] })(request, context)
          : calling(spawn, call('ls', {}), { ...merge, id: 'm' }, { ...merge, id: 'n' })(request, context),
      { files },
    )
    const { project, data, waiting, decide } = world
    const settle = (settings: object) => writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
    const listening = project.events.listen((event) => {
      if (event.type === 'tool.finished' && event.name === 'ls') settle({ interrupt_on: { edit_file: true } })
      if (event.type === 'tool.finished' && event.name === 'merge_subagent')
        settle({ permissions: { deny: ['edit_file(/a.txt)'] } })
    })
    const id = await world.run('main')
    expect(waiting(id)).toMatchObject([{ name: 'merge_subagent', rule: expect.stringContaining('edit_file') }])
    await decide(id, { type: 'reject' })
    expect(JSON.stringify(world.server.requests.at(-1))).toContain('None of its changes were kept. It changed /a.txt')
    expect(await world.fileOf(id, '/a.txt')).toBe('one\n')
    listening[Symbol.dispose]()
  })
})

describe('3: an answer', () => {
  it('a: allowed_decisions of a project file narrow the answers of a card', async () => {
    const { run, thread } = await openWith({}, calling(execute('ls')), {
      trusted: true,
      files: {
        '.coppice/settings.json': JSON.stringify({
          interrupt_on: { execute: { allowed_decisions: ['approve', 'reject'] } },
        }),
      },
    })
    const id = await run('main')
    expect(thread(id).interrupts[0]?.review_configs).toMatchObject([{ allowed_decisions: ['approve', 'reject'] }])
  })

  it('b: approve takes a message, which the agent reads with the result', async () => {
    const { run, decide, server } = await openWith(
      { write_file: true },
      calling(changes['write_file over a file'] as Call),
    )
    const id = await run('main')
    await decide(id, { type: 'approve', message: 'Next time keep the old name.' } as never)
    const results = JSON.stringify([...lastResults(server.requests.at(-1) as never).values()])
    expect(results).toContain('The user approved this call and wrote: Next time keep the old name.')
    expect(results).toContain('Replaced /a.txt')
  })
})

describe('4: max_iterations', () => {
  const counting: Scenario = (request) => ({ calls: [{ name: 'ls', id: `l${turnOf(request)}`, input: {} }] })

  it('holds for subagents, whose last report reaches the parent', async () => {
    const { run, server, project } = await openWorld(
      (request, context) => {
        const isMain = JSON.stringify(request.messages[0]).includes('main')
        const last = JSON.stringify(request.messages.at(-1))
        if (last.includes('You have used all replies of this run')) return { text: 'I counted to three.' }
        if (!isMain) return counting(request, context)
        return turnOf(request) === 0 ? { calls: [call('task', { description: 'count for ever' })] } : done
      },
      { settings: { max_iterations: 3 } },
    )
    const id = await run('main')
    const ofSubagent = server.requests.filter(({ messages }) => JSON.stringify(messages[0]).includes('count for ever'))
    expect(ofSubagent).toHaveLength(4)
    expect((ofSubagent.at(-1) as { tool_choice?: unknown }).tool_choice).toEqual({ type: 'none' })
    const results = JSON.stringify([...lastResults(server.requests.at(-1) as never).values()])
    expect(results).toContain('I counted to three.')
    expect(results).toContain('Stopped after 3 model replies')
    expect((await reportWhenQuiet(project, id)).status).toBe('done')
  })

  it('is followed by one last turn of the main agent, and a run that continues can call tools again', async () => {
    const { run, project, thread, server } = await openWorld(
      (request, context) => {
        const last = JSON.stringify(request.messages.at(-1))
        if (last.includes('You have used all replies')) return { text: 'So far so good.' }
        return last.includes('You have new replies') ? done : counting(request, context)
      },
      { settings: { max_iterations: 2 } },
    )
    const id = await run('main')
    expect(await reportWhenQuiet(project, id)).toMatchObject({ reason: 'budget', answer: 'So far so good.' })
    project.runtime.resume(id)
    await project.runtime.whenIdle(id)
    expect([thread(id).status, server.requests.length]).toEqual(['done', 4])
  })
})

describe('5: a limit in dollars with a model of unknown price', () => {
  const spending: Scenario = (request) => ({
    calls: [{ name: 'ls', id: `l${turnOf(request)}`, input: {} }],
    usage: { input_tokens: 100_000, output_tokens: 1_000 },
  })

  it('a: counts its tokens at the assumed price, and stores that price with the run', async () => {
    const { run, project, thread, server } = await openWorld(spending, { settings: { budgets: { run: { cost: 1 } } } })
    const id = await run('main')
    expect(await reportWhenQuiet(project, id)).toMatchObject({
      status: 'stopped',
      reason: 'budget',
      message: expect.stringContaining('the budget of this run is spent ($1.00)'),
    })
    // 0.315 dollars a request at 3 and 15 dollars per million tokens.
    expect(server.requests).toHaveLength(4)
    expect(thread(id)).toMatchObject({ costLimit: 1, assumedPrice: { input: 3, output: 15 } })
  })

  it('b: counts at the price that a person set', async () => {
    const { run, server } = await openWorld(spending, {
      settings: { budgets: { run: { cost: 1.5 } }, unknown_price: { input: 9, output: 15 } },
    })
    await run('main')
    expect(server.requests).toHaveLength(2)
  })

  it('d: of a thread or a subagent is refused in the same way, and the limit is named', async () => {
    const { project } = await openWorld(spending, {
      settings: { unknown_price: 'refuse', budgets: { run: { cost: null }, subagent: { cost: 2 } } },
    })
    expect(await project.runtime.findStartProblems('scripted')).toEqual([
      expect.stringMatching(/the limit of \$2\.00 could not hold.*budgets\.subagent\.cost: null/),
    ])
    expect(await project.runtime.findStartProblems('demo')).toEqual([])
  })

  it('c: is refused before the run and in it, when a person chose that', async () => {
    const { run, project, server } = await openWorld(spending, { settings: { unknown_price: 'refuse' } })
    expect(await project.runtime.findStartProblems('scripted')).toEqual([
      expect.stringContaining('The price of scripted is unknown, so the limit of $5.00 could not hold.'),
    ])
    await run('main')
    expect(server.requests).toHaveLength(1)
  })
})
