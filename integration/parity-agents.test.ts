import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Answer, type ApiRequest, byTask, type Call, lastResults, taskOf } from '../e2e/model-server/scenario.ts'
import { openWorld, type WorldOptions } from './world.testkit.ts'

const done: Answer = { text: 'done' }
const task = (description: string, subagent_type: string): Call => ({
  name: 'task',
  id: 't',
  input: { description, subagent_type },
})
const delegating = (subagent_type: string, ...own: readonly Answer[]) =>
  byTask({ main: [{ calls: [task('child', subagent_type)] }, done], child: own.length > 0 ? own : [done] })
const settings = (definition: object, more: object = {}): WorldOptions => ({
  settings: { subagents: [{ name: 'own', description: 'x', ...definition }], ...more },
})
const requestsOf = (requests: readonly unknown[], name: string): readonly ApiRequest[] =>
  (requests as readonly ApiRequest[]).filter((request) => taskOf(request) === name)
const resultIn = (requests: readonly unknown[]): string =>
  [...lastResults(requests.at(-1) as ApiRequest).values()].join('\n')

describe('14: an agent of one’s own', () => {
  it('a: that is a command works on its branch, and its last line is the result', async () => {
    const command = `node -e '
      const { task, context } = JSON.parse(require("node:fs").readFileSync(0, "utf8"))
      require("node:fs").writeFileSync("made.txt", task + " by " + context.agent)
      console.log(JSON.stringify({ event: "progress", text: "half" }))
      console.log(JSON.stringify({ result: "wrote it" }))
    '`
    const { run, server, thread, fileOf } = await openWorld(delegating('own'), {
      ...settings({ command }),
      approving: true,
    })
    const id = await run('main')
    expect(thread(id).status).toBe('done')
    expect(requestsOf(server.requests, 'child')).toEqual([])
    expect(resultIn(server.requests)).toContain('"result":"wrote it"')
    expect(await fileOf(id, '/made.txt')).toBe('child by child')
  })

  it('b: that ends without a result has failed, with what it printed', async () => {
    const { run, server } = await openWorld(delegating('own'), {
      ...settings({ command: 'echo no JSON here; exit 3' }),
      approving: true,
    })
    await run('main')
    expect(resultIn(server.requests)).toMatch(/ended without a line .*no JSON here/s)
  })

  it('c: that is a server gets the task and writes files of its branch', async () => {
    const seen: unknown[] = []
    const own = createServer((request, response) => {
      let body = ''
      request.on('data', (data) => {
        body += data
      })
      request.on('end', () => {
        seen.push(JSON.parse(body))
        response.end('{"event":"text","text":"on it"}\n{"result":{"sum":3},"files":{"/sum.txt":"3"}}\n')
      })
    })
    await once(own.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void own.close())
    const url = `http://127.0.0.1:${(own.address() as AddressInfo).port}/`
    const { run, server, fileOf } = await openWorld(delegating('own'), settings({ url }))
    const id = await run('main')
    expect(seen).toMatchObject([{ task: 'child', context: { version: 'v1', scope: 'strict', messages: [] } }])
    expect(resultIn(server.requests)).toContain('sum')
    expect(await fileOf(id, '/sum.txt')).toBe('3')
  })

  it('d: of a project is never started, and is named', async () => {
    const { project } = await openWorld(delegating('own'), {
      trusted: true,
      files: { '.coppice/agents.yaml': 'subagents:\n- name: own\n  description: x\n  command: touch /tmp/never\n' },
    })
    const { agents } = await project.extensions.find()
    expect(agents.agents).toEqual([])
    expect(agents.problems).toMatchObject([
      { message: expect.stringContaining('only a definition in your own settings') },
    ])
  })

  it('e: that is a script reads a task of more than 128 KB', async () => {
    const long = `child ${'it’s "long" '.repeat(20_000)}`
    const command = `cd . && cat > message.json && echo '{"result":"read it"}'`
    const { run, server, fileOf } = await openWorld(byTask({ main: [{ calls: [task(long, 'own')] }, done] }), {
      ...settings({ command }),
      approving: true,
    })
    const id = await run('main')
    expect(resultIn(server.requests)).toContain('read it')
    expect(JSON.parse(await fileOf(id, '/message.json'))).toMatchObject({ task: long })
  })

  it('f: that fails after its result has failed', async () => {
    const { run, server } = await openWorld(delegating('own'), {
      ...settings({ command: `echo '{"result":"half"}'; exit 3` }),
      approving: true,
    })
    await run('main')
    expect(resultIn(server.requests)).toContain('It failed after its result. Exit code 3.')
  })
})

describe('15: filters', () => {
  const history = (own: string) =>
    byTask({
      'main SECRET-task': [
        { text: 'I look first.', calls: [{ name: 'ls', id: 'l', input: {} }] },
        { text: 'Now I ask.', calls: [task(own, 'own')] },
        done,
      ],
    })

  it.each([
    ['strict', []],
    ['last_message', ['I look first.']],
    ['no_tools', ['main SECRET-task', 'I look first.']],
    ['off', ['main SECRET-task', 'I look first.', 'tool_use']],
  ] as const)('a: input_filter %s shows %j', async (input_filter, visible) => {
    const { run, server } = await openWorld(history('own task'), settings({ input_filter }))
    await run('main SECRET-task')
    const asked = (server.requests as readonly ApiRequest[]).find(({ system }) =>
      JSON.stringify(system).includes('You are a subagent'),
    )
    const texts = JSON.stringify(asked?.messages)
    const all = ['main SECRET-task', 'I look first.', 'tool_use']
    expect(all.filter((text) => texts.includes(text))).toEqual(visible)
    expect(texts).toContain('own task')
  })

  it.each([
    ['strict', ['Its report is withheld'], ['Found 7.', 'First I look.']],
    ['last_message', ['Found 7.'], ['First I look.']],
    ['no_tools', ['First I look.', 'Found 7.'], ['Tool call']],
    ['off', ['First I look.', 'Tool call', 'Found 7.'], []],
    ['scoped', ['\\"version\\":\\"v1\\"'], ['Found 7.']],
  ] as const)('b: output_filter %s returns %j', async (output_filter, visible, hidden) => {
    const own: readonly Answer[] = [
      { text: 'First I look.', calls: [{ name: 'ls', id: 'l', input: {} }] },
      { text: 'Found 7.' },
    ]
    const { run, server } = await openWorld(delegating('own', ...own), settings({ output_filter }))
    await run('main')
    const result = resultIn(server.requests)
    expect(visible.filter((text) => !result.includes(text))).toEqual([])
    expect(hidden.filter((text) => result.includes(text))).toEqual([])
  })
})

describe('15: a filter of results', () => {
  it('c: holds for an agent that used all its replies', async () => {
    const { run, server } = await openWorld(
      (request) => {
        if (taskOf(request) === 'main') return request.messages.length === 1 ? { calls: [task('child', 'own')] } : done
        return JSON.stringify(request.messages.at(-1)).includes('You have used all replies')
          ? { text: 'CANARY report' }
          : { calls: [{ name: 'ls', id: `l${request.messages.length}`, input: {} }] }
      },
      settings({ output_filter: 'strict' }, { max_iterations: 2 }),
    )
    await run('main')
    expect(resultIn(server.requests)).toContain('Stopped after 2 model replies')
    expect(JSON.stringify(requestsOf(server.requests, 'main'))).not.toContain('CANARY report')
  })
})

describe('16: the making of an agent', () => {
  const systemOf = (request: ApiRequest | undefined) => JSON.stringify(request?.system)

  it('a: instructions replace the role, and the sentences about the overlay stay', async () => {
    const { run, server } = await openWorld(delegating('own'), {
      ...settings({ instructions: 'You review contracts.', final_instructions: 'End with FINIS.' }),
    })
    await run('main')
    const system = systemOf(requestsOf(server.requests, 'child')[0])
    expect(system).toContain('You review contracts. Your edits go to a private copy-on-write overlay')
    expect(system).not.toContain('You are the agent of Coppice')
    expect(system).toMatch(/End with FINIS\."/)
    expect(systemOf(requestsOf(server.requests, 'main')[0])).toContain('You are the agent of Coppice')
  })

  it('b: examples, a template of the task, descriptions of tools and a temperature reach the request', async () => {
    const { run, server } = await openWorld(
      byTask({ main: [{ calls: [task('child', 'own')] }, done], 'Please: child!': [done] }),
      settings({
        examples: [{ input: 'two and two', output: 'four' }],
        prompt_template: 'Please: {task}!',
        custom_tool_descriptions: { Read: 'Reads. CANARY-description.' },
        temperature: 0.3,
      }),
    )
    await run('main')
    const [asked] = requestsOf(server.requests, 'Please: child!') as readonly (ApiRequest & { temperature?: number })[]
    expect(systemOf(asked)).toContain('<input>\\ntwo and two\\n</input>')
    expect(JSON.stringify(asked?.tools)).toContain('CANARY-description')
    expect(asked?.temperature).toBe(0.3)
  })

  it('c: stages are switched off and moved, in the settings and in a definition', async () => {
    const middleware = ['files', { stage: 'todo', enabled: false }, { stage: 'cache', enabled: false }, 'skills']
    const { run, server } = await openWorld(delegating('own'), settings({ middleware }, {}))
    await run('main')
    const [own] = requestsOf(server.requests, 'child')
    const [main] = requestsOf(server.requests, 'main')
    const names = (request: ApiRequest | undefined) => request?.tools?.map(({ name }) => name) ?? []
    expect([names(own).includes('write_todos'), names(own).includes('read_todos')]).toEqual([false, false])
    expect(names(main)).toContain('write_todos')
    expect([JSON.stringify(own).includes('cache_control'), JSON.stringify(main).includes('cache_control')]).toEqual([
      false,
      true,
    ])
    expect(systemOf(own)).not.toContain('# Planning')
  })

  it('d: eviction, memory and approvals obey their stage', async () => {
    const big = "return 'x'.repeat(3000)"
    const own: readonly Answer[] = [
      {
        calls: [
          { name: 'run_js_code', id: 'j', input: { code: big } },
          { name: 'write_file', id: 'w', input: { file_path: '/a', content: 'x' } },
          { name: 'write_file', id: 'm', input: { file_path: '/memories/a.md', content: 'x' } },
        ],
      },
      done,
    ]
    const middleware = [
      { stage: 'eviction', tokens: 100 },
      { stage: 'memory', enabled: false },
      { stage: 'approvals', enabled: false },
    ]
    const { run, server, thread } = await openWorld(
      delegating('own', ...own),
      settings({ middleware }, { interrupt_on: { write_file: true } }),
    )
    const id = await run('main')
    expect(thread(id).status).toBe('done')
    const results = JSON.stringify(requestsOf(server.requests, 'child')[1]?.messages.at(-1))
    expect(results).toContain('/large_tool_results/')
    expect(results).toContain('Created /a')
    expect(results).not.toContain('Created /memories/a.md')
  })

  it('e: a program of one’s own adds words, refuses calls and changes results', async () => {
    const program = `
      console.log('{"event":"ready"}')
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, event, tool, content } = JSON.parse(line)
        const answer =
          event === 'request' ? { add: 'CANARY-added' }
          : event === 'call' ? (tool === 'delete' ? { refuse: 'nothing is deleted here' } : {})
          : { content: content.replaceAll('hunter2', '***') }
        console.log(JSON.stringify({ id, ...answer }))
      })`
    const own: readonly Answer[] = [
      {
        calls: [
          { name: 'read_file', id: 'r', input: { file_path: '/pass.txt' } },
          { name: 'delete', id: 'd', input: { path: '/pass.txt' } },
        ],
      },
      done,
    ]
    const stage = { command: ['node', '-e', program], name: 'guard', on: ['request', 'call', 'result'] }
    const { run, server } = await openWorld(delegating('own', ...own), {
      ...settings({ middleware: [stage] }),
      files: { 'pass.txt': 'my hunter2 password' },
    })
    await run('main')
    const [first, second] = requestsOf(server.requests, 'child')
    expect(JSON.stringify(first?.messages)).toContain('CANARY-added')
    const results = JSON.stringify(second?.messages)
    expect(results).toContain('my *** password')
    expect(results).toContain('Refused by the stage guard: nothing is deleted here')
    expect(JSON.stringify(requestsOf(server.requests, 'main'))).not.toContain('CANARY-added')
  })

  it.each([
    ['ends', 'process.exit(7)', 'It ended with code 7', 20_000],
    ['is silent', 'setInterval(() => {}, 1000)', 'It did not answer within 300 ms', 300],
    ['talks nonsense', "console.log('hello'); setInterval(() => {}, 1000)", 'not a JSON object: hello', 20_000],
  ])('f: nothing passes a program that %s', async (_, program, reason, timeout) => {
    const own: readonly Answer[] = [
      { calls: [{ name: 'write_file', id: 'w', input: { file_path: '/a', content: 'x' } }] },
      done,
    ]
    const stage = { command: ['node', '-e', program], name: 'guard', on: ['call'], timeout_ms: timeout }
    const { run, server, fileOf } = await openWorld(delegating('own', ...own), settings({ middleware: [stage] }))
    const id = await run('main')
    expect(JSON.stringify(requestsOf(server.requests, 'child')[1])).toContain(reason)
    expect(await fileOf(id, '/a')).toBe('')
  })

  it('g: a project cannot switch on or loosen what the user set', async () => {
    const own: readonly Answer[] = [
      { calls: [{ name: 'write_file', id: 'w', input: { file_path: '/new.txt', content: 'x' } }] },
      done,
    ]
    const { run, server, fileOf } = await openWorld(delegating('own', ...own), {
      trusted: true,
      settings: {
        middleware: [
          { stage: 'approvals', mode: 'plan' },
          { stage: 'memory', enabled: false },
        ],
      },
      files: {
        '.coppice/agents.yaml':
          'subagents:\n- name: own\n  description: x\n  middleware: [approvals, {stage: memory, enabled: true}]\n',
      },
    })
    const id = await run('main')
    expect(JSON.stringify(requestsOf(server.requests, 'child')[1])).toContain('Plan mode: nothing may be changed')
    expect(systemOf(requestsOf(server.requests, 'child')[0])).not.toContain('# Memory')
    expect(await fileOf(id, '/new.txt')).toBe('')
  })

  it('h: a program starts outside the project, whose files it must not load, and is told its folder', async () => {
    const program = `
      const loaded = require('node:fs').existsSync('json.py')
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, folder } = JSON.parse(line)
        console.log(JSON.stringify({ id, add: 'folder ' + folder + ' loaded ' + loaded }))
      })`
    const stage = { command: ['node', '-e', program], name: 'guard', on: ['request'] }
    const { run, server, folder } = await openWorld(delegating('own'), {
      ...settings({ middleware: [stage] }),
      files: { 'json.py': 'raise SystemExit' },
    })
    await run('main')
    const [asked] = requestsOf(server.requests, 'child')
    expect(JSON.stringify(asked?.messages)).toContain(`folder ${folder} loaded false`)
  })
})

describe('10: the prompt', () => {
  it('a: names the project and its folder', async () => {
    const { run, server, folder } = await openWorld(() => done)
    await run('main')
    expect(JSON.stringify(server.requests[0])).toContain(`its folder on the user's machine is \\"${folder}\\"`)
  })

  it('b: says that a scratch workspace is empty and in memory', async () => {
    const { host, server } = await openWorld(() => done)
    const { runtime } = await host.projects.openScratch()
    const options = { title: 'main', model: 'scripted', approvalMode: 'auto-edit' } as const
    await runtime.whenIdle(runtime.begin(options, () => [{ type: 'text', text: 'main' }]))
    expect(JSON.stringify(server.requests[0])).toContain('The workspace is empty and kept in memory')
  })
})
