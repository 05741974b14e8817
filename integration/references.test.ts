import { describe, expect, it } from 'vitest'
import { reportWhenQuiet } from '#host/headless/run-report.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import {
  type Answer,
  byTask,
  type Call,
  lastResults,
  type Scenario,
  taskOf,
  turnOf,
} from '../e2e/model-server/scenario.ts'
import { testSize, timeLimit } from '../src/main/core/ports/test-size.testkit.ts'
import { openWorld } from './world.testkit.ts'

/** What other agents of this kind got wrong, each as a scenario that must not go wrong here. */
const spawn = (...tasks: readonly string[]): Call => ({ name: 'spawn_subagents', input: { tasks } })
const merge = (...handles: readonly string[]): Call => ({ name: 'merge_subagent', input: { handle: handles } })
const call = (name: string, input: object): Answer => ({ calls: [{ name, input }] })
const write = (file_path: string, content: string) => call('write_file', { file_path, content })
const done: Answer = { text: 'done' }

describe('parallel subagents', () => {
  it('that edit, create and delete keep all three effects after the merge', async () => {
    const { run, fileOf } = await openWorld(
      byTask({
        main: [
          { calls: [spawn('editor', 'creator', 'deleter')] },
          { calls: [merge('subagent_0', 'subagent_1', 'subagent_2')] },
          done,
        ],
        editor: [call('edit_file', { file_path: '/a', old_string: 'one', new_string: 'edited' }), done],
        creator: [write('/b', 'created'), done],
        deleter: [call('delete', { path: '/c' }), done],
      }),
      { files: { a: 'one\n', c: 'gone\n' } },
    )
    const id = await run('main')
    expect([await fileOf(id, '/a'), await fileOf(id, '/b'), await fileOf(id, '/c')]).toEqual([
      'edited\n',
      'created',
      '',
    ])
  })

  it('that write the same do not conflict, and merging again changes nothing', async () => {
    const { run, project, thread } = await openWorld(
      byTask({
        main: [
          { calls: [spawn('same 1', 'same 2')] },
          { calls: [merge('subagent_0', 'subagent_1')] },
          { calls: [merge('subagent_0', 'subagent_1')] },
          done,
        ],
        same: [write('/same', 'same'), done],
      }),
    )
    const id = await run('main')
    const merges = [...thread(id).calls.values()].filter(({ name }) => name === 'merge_subagent')
    expect(merges.map(({ result }) => JSON.stringify(result)).join()).not.toMatch(/"conflicts\\":\[\{/)
    const heads = project.services.log
      .entries()
      .filter((entry) => entry.type === 'branch.merged')
      .map(({ patch }) => patch.length)
    expect(heads[0]).toBe(1)
    expect(
      heads.slice(1).every((size) => size === 0),
      'nothing is left to take',
    ).toBe(true)
  })

  it('that rename a file: it stays one rename through the merge', async () => {
    const { run, project } = await openWorld(
      byTask({
        main: [{ calls: [spawn('mover')] }, { calls: [merge('subagent_0')] }, done],
        mover: [call('move', { from: '/old.txt', to: '/new.txt' }), done],
      }),
      { files: { 'old.txt': 'the same content\n' } },
    )
    const id = await run('main')
    expect((await reportWhenQuiet(project, id)).changes).toEqual({
      written: [],
      deleted: [],
      renamed: [{ from: '/old.txt', to: '/new.txt' }],
    })
  })

  it('that fail keep what they did, and their handles hold in later turns and runs', async () => {
    const { run, project, thread, fileOf } = await openWorld(
      byTask({
        main: [
          { calls: [spawn('failing', 'fine')] },
          { text: 'first run' },
          { calls: [merge('subagent_0', 'subagent_1')] },
          done,
        ],
        failing: [write('/partial', 'half'), { fault: { kind: 'status', status: 400 } }],
        fine: [write('/fine', 'whole'), done],
      }),
    )
    const id = await run('main')
    expect([...thread(id).calls.values()][0]?.result?.outcome, 'one failure is not the failure of all').toBe('ok')
    project.runtime.send(id, [{ type: 'text', text: 'now merge them' }], 'queue')
    await project.runtime.quiet(id)
    expect([await fileOf(id, '/partial'), await fileOf(id, '/fine')]).toEqual(['half', 'whole'])
  })

  it('that are strict see nothing of what was said, read or remembered before them', async () => {
    const canaries = ['CANARY-said', 'CANARY-read', 'CANARY-tool', 'CANARY-reply']
    const { run, server } = await openWorld(
      byTask({
        'main CANARY-said': [
          { text: 'CANARY-reply', ...call('read_file', { file_path: '/secret-plan.txt' }) },
          call('run_js_code', { code: 'return "CANARY" + "-tool"' }),
          { calls: [spawn('child')] },
          done,
        ],
        child: [done],
      }),
      { files: { 'secret-plan.txt': 'CANARY-read\n' } },
    )
    await run('main CANARY-said')
    const ofChild = server.requests
      .filter((request) => taskOf(request) === 'child')
      .map((request) => JSON.stringify(request))
    expect(ofChild.length).toBeGreaterThan(0)
    expect(canaries.filter((canary) => ofChild.some((text) => text.includes(canary)))).toEqual([])
    const ofParent = JSON.stringify(server.requests.filter((request) => taskOf(request).startsWith('main')))
    expect(
      canaries.filter((canary) => !ofParent.includes(canary)),
      'the parent has seen them',
    ).toEqual([])
  })
})

describe('a large result', () => {
  it('that was put away is read again without being put away again', async () => {
    const path = (request: Parameters<Scenario>[0]) =>
      /(\/large_tool_results\/[\w.-]+)/.exec([...lastResults(request).values()].join())?.[1] ?? '/none'
    const { run, server, project } = await openWorld(
      (request) => {
        if (turnOf(request) === 0)
          return call('grep', { pattern: 'line', path: '/', output_mode: 'content', limit: 2000 })
        if (turnOf(request) < 4) return call('read_file', { file_path: path(request), limit: 50 })
        return done
      },
      { files: { 'long.txt': `line of text ${'x'.repeat(90)}\n`.repeat(2000) } },
    )
    const id = await run('main')
    const kept = project.services.scratch.list(id).filter(({ name }) => name.startsWith('/large_tool_results/'))
    expect(kept).toHaveLength(1)
    expect(JSON.stringify(server.requests[2]?.messages.at(-1))).toContain('line of text')
  })
})

describe('the setting eviction', () => {
  it('says how much of a result stays in the conversation', async () => {
    const { run, server } = await openWorld(
      (request) => (turnOf(request) === 0 ? call('run_js_code', { code: "return 'x'.repeat(2000)" }) : done),
      { settings: { eviction: { tokens: 100 } } },
    )
    await run('main')
    expect(JSON.stringify(server.requests[1]?.messages.at(-1))).toContain('/large_tool_results/')
  })
})

describe('a stream that breaks', () => {
  /** Events of a reply with text and three calls, each of which would leave a trace. */
  const reply: Answer = {
    text: 'I write three files. '.repeat(testSize(1, 900)),
    calls: [1, 2, 3].map((n) => ({ name: 'execute', id: `c${n}`, input: { command: `echo ${n} >> ran.txt` } })),
  }
  const faults = ['cut', 'garbage'] as const
  const points = Array.from({ length: testSize(18, 1000) }, (_, index) => index)

  it('at any event runs nothing of its calls, and never hangs', { timeout: timeLimit(600_000) }, async () => {
    const scenario: Scenario = (request, { tries }) => {
      const [, kind, event] = /^(\w+) (\d+)/.exec(taskOf(request)) ?? []
      if (turnOf(request) > 0) return done
      return tries === 0 ? { ...reply, fault: { kind: kind as 'cut', afterEvents: Number(event) } } : reply
    }
    const { run, thread, project } = await openWorld(scenario, {
      settings: { retry: { attempts: 3, base_delay_ms: 1, max_delay_ms: 2 } },
    })
    const tasks = faults.flatMap((kind) => points.map((event) => `${kind} ${event}`))
    const ids: ThreadId[] = []
    for (const task of tasks) ids.push(await run(task))
    for (const id of ids) {
      const { interrupts, messages } = thread(id)
      expect(
        interrupts.map(({ action_requests }) => action_requests.length),
        'the whole reply asks once',
      ).toEqual([3])
      expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(1)
    }
    expect(project.services.log.entries().filter(({ type }) => type === 'tool.started')).toEqual([])
  })
})
