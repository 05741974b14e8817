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
import { openWorld } from './world.testkit.ts'

/** Mistakes of other agents of this kind, each as a scenario that must not fail here. */
const spawn = (...tasks: readonly string[]): Call => ({ name: 'spawn_subagents', input: { tasks } })
const merge = (...handles: readonly string[]): Call => ({ name: 'merge_subagent', input: { handle: handles } })
const call = (name: string, input: object): Answer => ({ calls: [{ name, input }] })
const done: Answer = { text: 'done' }

describe('parallel subagents', () => {
  it('that rename a file leave one rename after the merge', async () => {
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
})

describe('a large result', () => {
  it('that was moved to a file can be read again without being moved again', async () => {
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
  /** The events of a reply with text and three calls. Each call would leave a trace. */
  const reply: Answer = {
    text: 'I write three files. ',
    calls: [1, 2, 3].map((n) => ({ name: 'execute', id: `c${n}`, input: { command: `echo ${n} >> ran.txt` } })),
  }
  const faults = ['cut', 'garbage'] as const
  const points = Array.from({ length: 18 }, (_, index) => index)

  it('at any event runs none of its calls, and never hangs', async () => {
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
        'the complete reply asks once',
      ).toEqual([3])
      expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(1)
    }
    expect(project.services.log.entries().filter(({ type }) => type === 'tool.started')).toEqual([])
  })
})
