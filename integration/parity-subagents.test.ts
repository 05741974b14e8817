import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import type { Answer, ApiRequest, Call } from '../e2e/model-server/scenario.ts'
import { byTask, lastResults, type Scenario, taskOf } from '../e2e/model-server/scenario.ts'
import { openWorld } from './world.testkit.ts'

const done: Answer = { text: 'done' }
const task = (description: string, subagent_type?: string): Call => ({
  name: 'task',
  id: 't',
  input: { description, ...(subagent_type && { subagent_type }) },
})
const agents = (...definitions: readonly object[]) => ({ subagents: definitions, max_subagent_depth: 2 })
/** The first request of the agent with this task, with whatever it sees of its parent before the task. */
const requestOf = (requests: readonly unknown[], wanted: string): string =>
  JSON.stringify(
    (requests as readonly ApiRequest[]).find(
      ({ system, messages }) =>
        JSON.stringify(system).includes('You are a subagent') &&
        messages.some(({ role, content }) => role === 'user' && JSON.stringify(content).includes(`"text":"${wanted}`)),
    ) ?? {},
  )

describe('11: quarantine', () => {
  const answers: Readonly<Record<string, readonly Answer[]>> = {
    'main CANARY-main': [
      { calls: [{ name: 'write_todos', id: 'w', input: { todos: [{ content: 'CANARY-plan', status: 'pending' }] } }] },
      { calls: [task('child CANARY-child', 'outer')] },
    ],
    'child CANARY-child': [{ calls: [task('grandchild', 'inner')] }],
  }
  /** Answers the last task in the conversation, because an agent may see those of its parents before its own. */
  const family: Scenario = ({ messages }) => {
    const texts = messages.map(({ role, content }) => (role === 'user' ? JSON.stringify(content) : ''))
    const [name, at] = Object.keys(answers)
      .concat('grandchild')
      .map((one) => [one, texts.findLastIndex((text) => text.includes(`"text":"${one}`))] as const)
      .reduce((last, one) => (one[1] > last[1] ? one : last))
    const turn = messages.slice(at).filter(({ role }) => role === 'assistant').length
    return answers[name]?.[turn] ?? done
  }
  const outer = (context_scope: string) => ({ name: 'outer', description: 'x', context_scope })
  const inner = (context_scope?: string) => ({
    name: 'inner',
    description: 'x',
    ...(context_scope && { context_scope }),
  })

  it('a: strict below off sees nothing of its parent', async () => {
    const { run, server } = await openWorld(family, { settings: agents(outer('off'), inner('strict')) })
    await run('main CANARY-main')
    expect(requestOf(server.requests, 'grandchild')).not.toContain('CANARY')
  })

  it('b: scoped below strict sees the plan in its summary', async () => {
    const { run, server } = await openWorld(family, { settings: agents(outer('strict'), inner('scoped')) })
    await run('main CANARY-main')
    const seen = requestOf(server.requests, 'grandchild')
    expect([seen.includes('CANARY-plan'), seen.includes('CANARY-child')]).toEqual([true, false])
  })

  it.each([
    [{ inherit: true }, '0', false],
    [{ inherit: false }, '1', true],
    [{ inherit: false }, undefined, false],
    [{ inherit: true }, undefined, true],
  ] as const)(
    'c: settings %j and COPPICE_QUARANTINE_INHERIT=%s inherit: %s',
    async (quarantine, variable, inherits) => {
      const { run, server } = await openWorld(family, {
        settings: { ...agents(outer('off'), inner()), quarantine: { mode: 'strict', ...quarantine } },
        environment: variable === undefined ? {} : { COPPICE_QUARANTINE_INHERIT: variable },
      })
      await run('main CANARY-main')
      expect(requestOf(server.requests, 'grandchild').includes('CANARY-child')).toBe(inherits)
    },
  )
})

describe('12: a batch', () => {
  it('a: gives a row for each task, and the one of an unknown type fails with its reason', async () => {
    const tasks = ['one', { description: 'two', type: 'wizard' }, { instructions: 'three' }, { prompt: 'four' }]
    const { run, project } = await openWorld((request) =>
      taskOf(request) === 'main'
        ? request.messages.length === 1
          ? { calls: [{ name: 'batch_task', id: 'b', input: { tasks } }] }
          : done
        : { text: `did ${taskOf(request)}` },
    )
    const id = await run('main')
    expect(resultsOf(project, id)).toMatchObject([
      { index: 0, status: 'ok', result: 'did one' },
      {
        index: 1,
        status: 'failed',
        error: 'There is no subagent type "wizard". Types: general-purpose.',
        handle: null,
      },
      { index: 2, status: 'ok', result: 'did three' },
      { index: 3, status: 'ok', result: 'did four' },
    ])
  })

  it('b: takes tasks that code declares under other names', async () => {
    const code = "spawnSubagent({ instructions: 'a' }); spawnSubagent({ prompt: 'b', type: 'none' })"
    const { run, project } = await openWorld((request) =>
      taskOf(request) === 'main'
        ? request.messages.length === 1
          ? { calls: [{ name: 'run_js_code', id: 'c', input: { code } }] }
          : done
        : { text: `did ${taskOf(request)}` },
    )
    expect(resultsOf(project, await run('main'))).toMatchObject([{ result: 'did a' }, { status: 'failed' }])
  })
})

describe('13: a definition', () => {
  it('a: with a tool that does not exist is named, and has its other tools', async () => {
    const { run, server, project } = await openWorld(
      byTask({ main: [{ calls: [task('child', 'fixer')] }, done], child: [done] }),
      {
        settings: agents({ name: 'fixer', description: 'x', tools: ['Read', 'WebFetch', 'WebSearch', 'delete_file'] }),
      },
    )
    await run('main')
    expect(project.runtime.warnings()).toEqual([
      expect.stringMatching(
        /The agent fixer .* works without one of its tools. fetch_url is off until your own settings/,
      ),
      expect.stringMatching(
        /The agent fixer .* works without one of its tools. WebSearch is a tool that Coppice does not have/,
      ),
    ])
    const tools = (server.requests as readonly ApiRequest[]).find((request) => taskOf(request) === 'child')?.tools
    expect(tools?.map(({ name }) => name).sort()).toEqual(['delete', 'read_file'])
  })

  it('b: of the name general-purpose customises that type', async () => {
    const { run, server } = await openWorld(byTask({ main: [{ calls: [task('child')] }, done], child: [done] }), {
      settings: agents({ name: 'general-purpose', description: 'Ours.', prompt: 'Answer in CANARY rhymes.' }),
    })
    await run('main')
    expect(requestOf(server.requests, 'child')).toContain('Answer in CANARY rhymes.')
  })

  it('c: with a model of another provider never reaches the server, and the error says what is configured', async () => {
    const { run, server } = await openWorld(
      byTask({ main: [{ calls: [task('child', 'gpt')] }, done], child: [done] }),
      { settings: agents({ name: 'gpt', description: 'x', model: 'openai:gpt-5' }) },
    )
    await run('main')
    expect(server.requests).toHaveLength(2)
    expect([...lastResults(server.requests.at(-1) as ApiRequest).values()].join()).toMatch(
      /asks for the provider openai, but only the server at http/,
    )
  })
})

function resultsOf(project: Awaited<ReturnType<typeof openWorld>>['project'], id: ThreadId): readonly object[] {
  const { scratch } = project.services
  const file = scratch.list(id).find(({ name }) => name.endsWith('results.jsonl'))
  const bytes = file && scratch.read(id, file.name)
  return new TextDecoder()
    .decode(bytes)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object)
}
