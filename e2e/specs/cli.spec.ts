import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startModelServer } from '../model-server/model-server.ts'
import type { Answer, Scenario } from '../model-server/scenario.ts'
import { coppice, root, startCoppice } from '../support/coppice.ts'

const fixture = join(root, 'e2e/fixtures/ledger')
const folder = () => mkdtempSync(join(tmpdir(), 'coppice-cli-'))
const key = (url: string) => ({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url })

/** Runs one task against a scenario with quick retries. Returns the result and the requests to the model. */
async function run(scenario: Scenario, ...args: readonly string[]) {
  await using server = await startModelServer(scenario)
  const data = folder()
  const settings = join(data, 'quick.json')
  writeFileSync(settings, JSON.stringify({ retry: { attempts: 3, base_delay_ms: 10, max_delay_ms: 50 } }))
  const result = await coppice(
    ['run', fixture, '--task', 'do it', '--json', '--data-dir', data, '--settings', settings, ...args],
    key(server.url),
  )
  return { ...result, last: result.events.at(-1), requests: server.requests, data }
}

test.describe('command line', () => {
  for (const [args, message] of [
    [['run', fixture], 'run needs --task'],
    [['run', fixture, '--task', ' '], 'The task is empty'],
    [['run', fixture, '--task', 'x', '--approve', 'maybe'], '--approve takes ask, effects, all, none'],
    [['run', fixture, '--task', 'x', '--max-iterations', '0'], '--max-iterations takes a whole number'],
    [['run', fixture, '--task', 'x', '--allow-host', 'https://example.com'], 'Write only the name of its host'],
    [['resume', 'x', '--allow-host', 'example.com,*'], 'would be every host'],
    [['run', fixture, '--task', 'x', '--nonsense'], "Unknown option '--nonsense'"],
    [['run', fixture, '--task', '@/does/not/exist'], 'cannot read /does/not/exist'],
    [['run', fixture, '--task', 'x', '--patch', fixture], 'is a folder'],
    [['run', fixture, '--task', 'x', '--patch', '/no/such/place/x.patch'], 'there is no folder /no/such/place'],
    [['run', fixture, '--task', 'x', '--settings', fixture], '--settings: there is no file'],
    [['run', fixture, '--task', 'x', '--model', ''], '--model needs a value'],
    [['resume'], 'resume needs a thread'],
    [['export', 'x'], 'export needs --patch'],
    [['serve', '--port', 'http'], '--port takes a whole number'],
  ] as const) {
    test(`usage error: ${message}`, async () => {
      const result = await coppice([...args, '--data-dir', folder()])
      expect(result.code).toBe(2)
      expect(result.stderr).toContain(message)
      expect(result.stderr).toContain('--help')
    })
  }

  for (const [command, place, message] of [
    [['run', fixture, '--task', 'x'], '/proc/none', 'cannot be used: this place holds no files of yours'],
    [['doctor'], join(fixture, 'package.json'), 'is a file'],
    [['threads'], join(fixture, 'package.json'), 'is a file'],
  ] as const) {
    test(`${command[0]} refuses the data folder ${place} in one sentence`, async () => {
      const { code, stderr } = await coppice([...command, '--data-dir', place])
      expect(stderr).toBe(
        `coppice: The data folder ${place} ${message}. Choose another with --data-dir or COPPICE_DATA_DIR.\n`,
      )
      expect(code).toBe(2)
    })
  }

  test('--json: a run that cannot begin also ends with run.finished', async () => {
    const [data, trusted] = [folder(), folder()]
    const none = await coppice(['run', trusted, '--task', 'x', '--json', '--data-dir', data])
    const gone = await coppice(['resume', 'nowhere', '--json', '--data-dir', data])
    for (const result of [none, gone]) {
      expect(result.code).toBe(1)
      const { message } = result.events[0] as unknown as { message: string }
      expect(result.events).toEqual([
        expect.objectContaining({ type: 'run.finished', status: 'failed', reason: 'not_started', threadId: null }),
      ])
      expect(result.stderr).toContain(message)
    }
  })

  test('names the agent definitions that it cannot use, with file and line', async () => {
    const project = folder()
    mkdirSync(join(project, '.coppice'))
    writeFileSync(join(project, '.coppice/agents.yaml'), 'subagents:\n  - name: a\n    description: b\n    mode: x\n')
    const { stderr } = await coppice(
      ['run', project, '--task', 'x', '--trust', '--model', 'demo', '--data-dir', folder()],
      {},
    )
    expect(stderr).toContain('Not used: /.coppice/agents.yaml:2: mode: ')
  })

  test('1: a name in interrupt_on that fits no tool is a usage error before the run', async () => {
    const [data, server] = [folder(), await startModelServer(() => ({ text: 'never' }))]
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ interrupt_on: { wrte_file: true } }))
    const { code, stderr } = await coppice(['run', fixture, '--task', 'x', '--data-dir', data], key(server.url))
    expect([code, server.requests.length]).toEqual([2, 0])
    expect(stderr).toContain('interrupt_on: There is no tool "wrte_file". Did you mean write_file?')
    await server[Symbol.asyncDispose]()
  })

  test('5: a limit in dollars says what a model of unknown price counts, or the run is refused', async () => {
    const said = await run(() => ({ text: 'Done.' }), '--model', 'own-model')
    expect(said.stderr).toContain('This run stops at $5.00 (budgets.run.cost in settings.json; null lifts it).')
    expect(said.stderr).toContain(
      'The price of own-model is unknown: for limits in dollars, its tokens count as $3 per million of input and $15 per million of output (unknown_price).',
    )
    const [data, server] = [folder(), await startModelServer(() => ({ text: 'never' }))]
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ unknown_price: 'refuse' }))
    const refused = await coppice(
      ['run', fixture, '--task', 'x', '--model', 'own-model', '--data-dir', data],
      key(server.url),
    )
    expect([refused.code, server.requests.length]).toEqual([2, 0])
    expect(refused.stderr).toContain('The price of own-model is unknown, so the limit of $5.00 could not hold.')
    await server[Symbol.asyncDispose]()
  })

  test('14: --trust-mcp starts a server, and every one that stays off is named', async () => {
    const data = folder()
    const args = [join(root, 'e2e/support/mcp-server.ts'), 'good']
    const adder = { command: process.execPath, args }
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ mcp_servers: { adder, other: adder } }))
    await using server = await startModelServer(({ messages }) =>
      messages.length === 1 ? { calls: [{ name: 'mcp__adder__add', input: { a: 20, b: 22 } }] } : { text: 'Done.' },
    )
    const go = (...more: readonly string[]) =>
      coppice(['run', fixture, '--task', 'x', '--json', '--data-dir', data, ...more], key(server.url))
    const off = await go()
    expect(off.stderr).toContain('Not started: the server adder is not trusted. --trust-mcp adder starts it.')
    const nobody = await go('--trust-mcp', 'nobody')
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('Servers: adder, other.')])
    const on = await go('--trust-mcp', 'adder', '--approve', 'all')
    expect(on.stderr).toMatch(/Trusted: the server adder \(.*mcp-server.ts good\)\./)
    expect(on.stderr).toContain('Not started: the server other is not trusted.')
    expect(JSON.stringify(server.requests.at(-1)?.messages.at(-1))).toContain('"42"')
  })

  test('prints its version and the help of each command', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect((await coppice(['--version'])).stdout.trim()).toBe(version)
    for (const command of ['run', 'resume', 'serve', 'threads', 'export', 'usage', 'doctor']) {
      const help = await coppice([command, '--help'])
      expect(help.code).toBe(0)
      expect(help.stdout).toContain(`coppice ${command}`)
    }
  })

  test('a bad folder gives a clear message and exit code 1', async () => {
    const file = join(folder(), 'file')
    writeFileSync(file, '')
    const closed = folder()
    chmodSync(closed, 0o000)
    const cases: [string, string][] = [
      ['/does/not/exist', 'There is no folder /does/not/exist'],
      [file, 'is a file. Open the folder that holds it'],
      ...(process.getuid?.() === 0 ? [] : ([[closed, 'cannot be read']] as [string, string][])),
    ]
    for (const [path, message] of cases) {
      const result = await coppice(['run', path, '--task', 'x', '--model', 'demo', '--data-dir', folder()])
      expect(result.code).toBe(1)
      expect(result.stderr).toContain(message)
    }
    chmodSync(closed, 0o700)
  })

  test('a missing key gives exit code 1 and says what to do', async () => {
    const result = await coppice(['run', fixture, '--task', 'x', '--data-dir', folder()])
    expect(result.code).toBe(1)
    expect(result.stderr).toContain('ANTHROPIC_API_KEY')
    expect(result.stderr).toContain('demo')
  })

  test('names an unknown thread', async () => {
    const result = await coppice(['resume', 'nobody', '--data-dir', folder()])
    expect(result.code).toBe(1)
    expect(result.stderr).toContain('There is no thread nobody')
  })

  test('the demo runs the whole job offline, in its own project and in any other', async () => {
    for (const project of [join(root, 'resources/demo/tally'), fixture]) {
      const patch = join(folder(), 'demo.patch')
      const result = await coppice([
        'run',
        project,
        '--task',
        'show me',
        '--model',
        'demo',
        '--approve',
        'all',
        '--patch',
        patch,
        '--json',
        '--data-dir',
        folder(),
      ])
      expect(result.code, result.stderr).toBe(0)
      const types = new Set(result.events.map(({ type }) => type))
      expect([...types]).toEqual(
        expect.arrayContaining([
          'todos.written',
          'tree.changed',
          'interrupt.raised',
          'interrupt.decided',
          'branch.forked',
          'branch.merged',
        ]),
      )
      const failed = result.events.filter(
        ({ type, result: outcome }) => type === 'tool.finished' && (outcome as { outcome: string }).outcome !== 'ok',
      )
      expect(failed.map(({ name }) => name).filter((name) => name !== 'read_file')).toEqual([])
      expect(readFileSync(patch, 'utf8')).toContain('Math.round(expense.amount * 100)')
    }
  })
})

test.describe('a model that misbehaves', () => {
  const always =
    (answer: Answer): Scenario =>
    () =>
      answer
  const status = (code: number, extra = {}): Scenario => always({ fault: { kind: 'status', status: code, ...extra } })

  for (const [name, scenario, message] of [
    ['a wrong key', status(401), /key/i],
    ['no permission', status(403), /./],
    ['a bad request', status(400), /./],
    ['a request that is too large', status(413), /./],
  ] as const) {
    test(`${name}: no retry, exit code 1`, async () => {
      const { code, last, requests } = await run(scenario)
      expect(code).toBe(1)
      expect(last).toMatchObject({ status: 'failed', reason: 'model_error', message: expect.stringMatching(message) })
      expect(requests).toHaveLength(1)
    })
  }

  for (const [name, fault] of [
    ['rate limits', { kind: 'status', status: 429, headers: { 'retry-after': '0' } }],
    ['overload', { kind: 'status', status: 529 }],
    ['a server error in HTML', { kind: 'status', status: 502, body: '<html>Bad gateway</html>' }],
    ['a stream that is cut', { kind: 'cut', afterEvents: 3 }],
    ['a stream with garbage', { kind: 'garbage', afterEvents: 3 }],
  ] as const) {
    test(`${name}: a visible retry, then done`, async () => {
      const { code, last, events } = await run((_, { tries }) =>
        tries === 0 ? { text: 'Half an answer that breaks', fault } : { text: 'Whole.' },
      )
      expect(code).toBe(0)
      expect(last).toMatchObject({ status: 'done', answer: 'Whole.' })
      expect(events.some(({ type }) => type === 'model.retrying')).toBe(true)
    })
  }

  test('gives up after the allowed number of tries', async () => {
    const { code, last, requests } = await run(status(529))
    expect([code, requests.length]).toEqual([1, 3])
    expect(last).toMatchObject({ status: 'failed', reason: 'model_error' })
  })

  test('an unreachable model: exit code 1, and a message with its address', async () => {
    const server = await startModelServer(() => ({}))
    const gone = server.url
    await server[Symbol.asyncDispose]()
    const data = folder()
    const settings = join(data, 's.json')
    writeFileSync(settings, JSON.stringify({ retry: { attempts: 2, base_delay_ms: 10 } }))
    const result = await coppice(
      ['run', fixture, '--task', 'x', '--json', '--data-dir', data, '--settings', settings],
      key(gone),
    )
    expect(result.code).toBe(1)
    expect(result.events.at(-1)).toMatchObject({ status: 'failed', message: expect.stringContaining(gone) })
  })

  test('a call whose JSON is cut at the output limit does not run', async () => {
    const half = { name: 'write_file', input: {}, rawInput: '{"file_path":"/half.txt","content":"abc' }
    const limit = await run(always({ calls: [half], stopReason: 'max_tokens' }))
    expect(limit.code).toBe(1)
    expect(limit.last).toMatchObject({ reason: 'max_tokens', changes: { written: [] } })
    expect(limit.events.some(({ type }) => type === 'tool.started')).toBe(false)
  })

  test('reports malformed tool JSON, unknown tools and wrong arguments to the model', async () => {
    const { code, requests, last } = await run((request, { count }) => {
      if (count === 0)
        return {
          calls: [
            { name: 'no_such_tool', input: {} },
            { name: 'write_file', input: { file_path: 7 } },
            { name: 'ls', input: { path: '/../etc' } },
            { name: 'execute', input: {}, rawInput: '{"command": "touch /tmp/x' },
            { name: 'read_file', input: {}, rawInput: '["/README.md"]' },
          ],
        }
      return { text: JSON.stringify(request.messages.at(-1)) }
    })
    expect(code).toBe(0)
    expect(requests).toHaveLength(2)
    expect(last?.answer).toContain('There is no tool named no_such_tool')
    expect(last?.answer).toContain('Invalid arguments for write_file')
    expect(last?.answer).toContain('leaves the project root')
    for (const name of ['execute', 'read_file'])
      expect(last?.answer).toContain(`The arguments of ${name} were not one complete JSON object`)
  })

  test('endless calls end at the budget with exit code 4, and a resumed run goes on', async () => {
    const { code, last, data } = await run(
      (_, { count }) => ({ calls: [{ name: 'ls', input: {}, id: `c${count}` }] }),
      '--max-iterations',
      '3',
    )
    expect(code).toBe(4)
    expect(last).toMatchObject({ reason: 'budget' })
    await using server = await startModelServer(() => ({ text: 'Now done.' }))
    const resumed = await coppice(['resume', String(last?.threadId), '--json', '--data-dir', data], key(server.url))
    expect(resumed.events.at(-1)).toMatchObject({ status: 'done', answer: 'Now done.' })
  })

  test('a refusal has its own reason', async () => {
    const { code, last } = await run(always({ text: 'I will not.', stopReason: 'refusal' }))
    expect([code, last?.reason]).toEqual([1, 'refusal'])
  })

  test('Ctrl+C stops at once with exit code 130', async () => {
    await using server = await startModelServer(always({ text: 'word '.repeat(2000), pauseMs: 20 }))
    const started: number[] = []
    const result = await coppice(['run', fixture, '--task', 'x', '--json', '--data-dir', folder()], key(server.url), {
      during(child, stdout) {
        if (started.length > 0 || !stdout.includes('message.delta')) return
        started.push(Date.now())
        child.kill('SIGINT')
      },
    })
    expect(result.code).toBe(130)
    expect(Date.now() - (started[0] ?? 0), 'it does not wait for the end of the reply').toBeLessThan(10_000)
    expect(result.events.at(-1)).toMatchObject({ type: 'run.finished', status: 'stopped', reason: 'user' })
  })
})

test.describe('approvals on the command line', () => {
  const command: Scenario = (_, { count }) =>
    count === 0
      ? { calls: [{ name: 'execute', id: 'c1', input: { command: 'echo once >> log.txt' } }] }
      : { text: 'Finished.' }

  test('--approve all runs every call, none rejects every call, and both leave a question open', async () => {
    const all = await run(command, '--approve', 'all')
    expect(all.last).toMatchObject({ status: 'done', changes: { written: ['/log.txt'] } })
    const none = await run(command, '--approve', 'none')
    expect(none.last).toMatchObject({ status: 'done', changes: { written: [] } })
    const question = await run(
      () => ({ calls: [{ name: 'ask_user', id: 'q', input: { question: 'Which?' } }] }),
      '--approve',
      'all',
    )
    expect([question.code, question.last?.status]).toEqual([3, 'interrupted'])
  })

  test('after a kill while it waits, the same approval is there again, and approving it runs the call once', async () => {
    await using server = await startModelServer(command)
    const data = folder()
    const first = await coppice(['run', fixture, '--task', 'x', '--json', '--data-dir', data], key(server.url), {
      during(running, stdout) {
        if (stdout.includes('interrupt.raised')) running.kill('SIGKILL')
      },
    })
    const threadId = String(first.events[0]?.threadId)
    const raised = first.events.find(({ type }) => type === 'interrupt.raised')?.interrupt as { id: string } | undefined
    const again = await coppice(['resume', threadId, '--json', '--data-dir', data], key(server.url))
    expect(again.code).toBe(3)
    expect(again.events.at(-1)).toMatchObject({ interrupts: [{ id: raised?.id }] })
    const decisions = join(data, 'decisions.json')
    writeFileSync(decisions, JSON.stringify([{ callId: 'c1', type: 'approve' }]))
    const approved = await coppice(
      ['resume', threadId, '--decisions', decisions, '--json', '--data-dir', data],
      key(server.url),
    )
    expect(approved.events.at(-1)).toMatchObject({
      status: 'done',
      changes: { written: ['/log.txt'] },
    })
    const replayed = await coppice(
      ['resume', threadId, '--decisions', decisions, '--json', '--data-dir', data],
      key(server.url),
    )
    expect([replayed.code, replayed.stderr]).toEqual([1, expect.stringContaining('No pending call has the id c1')])
    const patch = await coppice(['export', threadId, '--patch', '-', '--data-dir', data])
    expect(patch.stdout.match(/^\+once$/gm)).toHaveLength(1)
    const journal = await coppice(['export', threadId, '--journal', '-', '--data-dir', data])
    const mutations = journal.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .flatMap(({ agent, callId, mutations = [] }) =>
        mutations.map((mutation: object) => ({ agent, callId, ...mutation })),
      )
    expect(mutations).toEqual([{ agent: 'main', callId: 'c1', kind: 'create', path: '/log.txt' }])
  })

  test('8: a write to a real folder waits for a person, over a kill too; names and wrong routes are said', async () => {
    await using server = await startModelServer((_, { count }) =>
      count === 0
        ? { calls: [{ name: 'write_file', id: 'c1', input: { file_path: '/letters/a.md', content: 'Dear reader' } }] }
        : { text: 'Finished.' },
    )
    const [data, letters] = [folder(), folder()]
    const routes = {
      '/letters/': { kind: 'folder', path: letters, write: 'ask' },
      '/src/': { kind: 'store', scope: 'user' },
      '/gone/': { kind: 'folder', path: join(letters, 'gone') },
    }
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ routes, permissions: { allow: ['Write'] } }))
    const args = ['--json', '--data-dir', data]
    const first = await coppice(['run', fixture, '--task', 'x', ...args], key(server.url), {
      during(running, stdout) {
        if (stdout.includes('interrupt.raised')) running.kill('SIGKILL')
      },
    })
    expect(first.stderr).toContain('The route /src/ is /src-1/ here, because the project has a path of that name.')
    expect(first.stderr).toContain('routes: "/gone/" names')
    expect(readdirSync(letters)).toEqual([])
    const threadId = String(first.events[0]?.threadId)
    const again = await coppice(['resume', threadId, ...args], key(server.url))
    expect(JSON.stringify(again.events.at(-1))).toContain(`writes to the real folder of the user: ${letters}/a.md`)
    expect([again.code, readdirSync(letters)]).toEqual([3, []])
    const decisions = join(data, 'decisions.json')
    writeFileSync(decisions, JSON.stringify([{ callId: 'c1', type: 'approve' }]))
    const approved = await coppice(['resume', threadId, '--decisions', decisions, ...args], key(server.url))
    expect(approved.events.at(-1)).toMatchObject({ status: 'done', changes: { written: [] } })
    expect([readdirSync(letters), readFileSync(join(letters, 'a.md'), 'utf8')]).toEqual([['a.md'], 'Dear reader'])
  })

  test('lists a killed run as paused, and a running one as working', async () => {
    await using server = await startModelServer(() => ({ text: 'word '.repeat(2000), pauseMs: 20 }))
    const data = folder()
    const listed = async () => JSON.parse((await coppice(['threads', '--json', '--data-dir', data])).stdout)[0]?.status
    let during: Promise<string> | undefined
    await coppice(['run', fixture, '--task', 'x', '--json', '--data-dir', data], key(server.url), {
      during(running, stdout) {
        if (during || !stdout.includes('message.delta')) return
        during = listed().finally(() => running.kill('SIGKILL'))
      },
    })
    expect([await during, await listed()]).toEqual(['working', 'paused'])
  })

  test('a second window on the same project learns which process holds it', async () => {
    const data = folder()
    const child = startCoppice(['serve', fixture, '--port', '0', '--no-open', '--data-dir', data], {})
    await new Promise<void>((resolve) =>
      child.stdout?.on('data', (text) => String(text).includes('#token=') && resolve()),
    )
    const second = await coppice(['serve', fixture, '--port', '0', '--no-open', '--data-dir', data])
    child.kill('SIGKILL')
    expect(second.code).toBe(1)
    expect(second.stderr).toContain(`process ${child.pid}`)
  })

  test('an error names a port that is in use', async () => {
    await using server = await startModelServer(() => ({}))
    const port = new URL(server.url).port
    const result = await coppice(['serve', '--port', port, '--no-open', '--data-dir', folder()])
    expect(result.code).toBe(1)
    expect(result.stderr).toContain(`Port ${port} is in use`)
  })
})

test.describe('structured runs', () => {
  test('--step pauses after every turn until it is resumed', async () => {
    const scenario: Scenario = (request) =>
      request.messages.length < 4
        ? { calls: [{ name: 'ls', input: {}, id: `c${request.messages.length}` }] }
        : { text: 'End.' }
    const first = await run(scenario, '--step')
    expect([first.code, first.last?.reason]).toEqual([3, 'step'])
    await using server = await startModelServer(scenario)
    const second = await coppice(
      ['resume', String(first.last?.threadId), '--json', '--data-dir', first.data],
      key(server.url),
    )
    expect(second.events.at(-1)).toMatchObject({ status: 'done', answer: 'End.' })
  })

  test('--input and --output-schema: the agent gets data by path, and its answer fits after one repair', async () => {
    const files = folder()
    writeFileSync(join(files, 'in.json'), JSON.stringify({ rows: [1, 2, 3] }))
    writeFileSync(
      join(files, 'schema.json'),
      JSON.stringify({ type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }),
    )
    const { code, last, requests } = await run(
      (_, { count }) =>
        count === 0
          ? { calls: [{ name: 'read_file', input: { file_path: '/inputs/input.json' } }] }
          : { text: count === 1 ? 'six' : '{"total": 6}' },
      '--input',
      join(files, 'in.json'),
      '--output-schema',
      join(files, 'schema.json'),
    )
    expect([code, last?.answer]).toEqual([0, '{"total": 6}'])
    expect(JSON.stringify(requests[1])).toContain('1,\\n')
    const wrong = await run(() => ({ text: 'never' }), '--output-schema', join(files, 'schema.json'))
    expect([wrong.code, wrong.last?.reason]).toEqual([1, 'invalid_answer'])
  })

  test('--input takes tables, texts and PDFs, and names what it cannot read', async () => {
    const files = folder()
    writeFileSync(join(files, 'sales.csv'), 'month,total\nMay,3\n')
    writeFileSync(join(files, 'broken.json'), '{"a" 1}')
    const read = { calls: [{ name: 'read_file', input: { file_path: '/inputs/sales.csv' } }] }
    const scenario: Scenario = (_, { count }) => (count === 0 ? read : { text: 'Read.' })
    const { requests } = await run(scenario, '--input', join(files, 'sales.csv'))
    expect(JSON.stringify(requests[0])).toContain('in /inputs/sales.csv (2 columns, 1 row, separated by commas)')
    expect(JSON.stringify(requests[1])).toContain('May,3')
    const wrong = await run(scenario, '--input', join(files, 'broken.json'))
    expect([wrong.code, wrong.requests.length]).toEqual([2, 0])
    expect(wrong.stderr).toContain('--input: broken.json: It is not JSON: Expected ":" in line 1, column 6.')
  })

  for (const schema of ['"x"', '[]', '{"type":"nope"}', '{"$ref":"#/nowhere"}']) {
    test(`--output-schema ${schema} is a usage error that sends no request to the model`, async () => {
      const file = join(folder(), 'schema.json')
      writeFileSync(file, schema)
      const { code, stderr, requests } = await run(() => ({ text: 'never' }), '--output-schema', file)
      expect([code, requests.length]).toEqual([2, 0])
      expect(stderr).toContain('--output-schema: The output schema cannot be used')
    })
  }

  test('the schema still holds when the answer comes after a decision, but not for the next task', async () => {
    const schema = join(folder(), 'schema.json')
    writeFileSync(schema, JSON.stringify({ type: 'object', required: ['total'] }))
    const data = folder()
    await using server = await startModelServer((_, { count }) => {
      if (count === 0) return { calls: [{ name: 'execute', id: 'c1', input: { command: 'true' } }] }
      return { text: count === 2 ? '{"total": 6}' : 'in words' }
    })
    const at = ['--json', '--data-dir', data]
    const place = folder()
    const asked = await coppice(['run', place, '--task', 'x', '--output-schema', schema, ...at], key(server.url))
    const threadId = String(asked.events.at(-1)?.threadId)
    const decided = await coppice(['resume', threadId, '--approve', 'all', ...at], key(server.url))
    expect(decided.events.at(-1)).toMatchObject({ status: 'done', answer: '{"total": 6}' })
    expect(JSON.stringify(server.requests.at(-1))).toContain('does not fit the schema')
    const next = await coppice(['run', place, '--thread', threadId, '--task', 'y', ...at], key(server.url))
    expect(next.events.at(-1)).toMatchObject({ status: 'done', answer: 'in words' })
  })

  test('--empty starts without a folder', async () => {
    const { code, last } = await runEmpty()
    expect([code, last?.changes]).toEqual([0, { written: ['/new.txt'], deleted: [], renamed: [] }])
  })

  async function runEmpty() {
    await using server = await startModelServer((_, { count }) =>
      count === 0
        ? { calls: [{ name: 'write_file', input: { file_path: '/new.txt', content: 'x' } }] }
        : { text: 'ok' },
    )
    const result = await coppice(['run', '--empty', '--task', 'x', '--json', '--data-dir', folder()], key(server.url))
    return { code: result.code, last: result.events.at(-1) }
  }
})
