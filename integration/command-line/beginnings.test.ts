import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { root } from '../../e2e/support/coppice.ts'
import { coppice, fixture, folder, keyFor, runTask } from './coppice.testkit.ts'

describe('command line', () => {
  it('--json: a run that cannot begin also ends with run.finished', async () => {
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

  it('names the agent definitions that it cannot use, with file and line', async () => {
    const project = folder()
    mkdirSync(join(project, '.coppice'))
    writeFileSync(join(project, '.coppice/agents.yaml'), 'subagents:\n  - name: a\n    description: b\n    mode: x\n')
    const { stderr } = await coppice(
      ['run', project, '--task', 'x', '--trust', '--model', 'demo', '--data-dir', folder()],
      {},
    )
    expect(stderr).toContain('Not used: /.coppice/agents.yaml:2: mode: ')
  })

  it('--task fills in a command, and says what is not used where nobody defines its word', async () => {
    await using server = await startModelServer(() => ({ text: 'Done.' }))
    const [project, data] = [folder(), folder()]
    mkdirSync(join(project, '.claude/commands'), { recursive: true })
    writeFileSync(join(project, '.claude/commands/fix.md'), '---\nmodel: openai:gpt-5\n---\nFix #$1.')
    writeFileSync(join(project, '.claude/commands/odd.md'), '---\nallowed-tools: 5\n---\nx')
    const run = (task: string, ...more: readonly string[]) =>
      coppice(['run', project, '--task', task, '--data-dir', data, ...more], keyFor(server.url))
    const told = () => JSON.stringify(server.requests.at(-1)?.messages)

    expect((await run('/fix 12')).stderr).toContain('There is no /fix here, so the agent gets it as text.')
    expect(told()).not.toContain('Fix #')
    const fixed = await run('/fix 12', '--trust')
    expect(told()).toContain('> Fix #12.')
    expect(fixed.stderr).toContain('/.claude/commands/fix.md: the thread’s own model answers.')
    const odd = await run('/odd')
    expect(odd.stderr).toContain('Not used: /.claude/commands/odd.md: allowed-tools:')
    expect((await run('/src/a.ts is odd')).stderr).not.toContain('There is no /')
  })

  it('1: a name in interrupt_on that fits no tool is a usage error before the run', async () => {
    const [data, server] = [folder(), await startModelServer(() => ({ text: 'never' }))]
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ interrupt_on: { wrte_file: true } }))
    const { code, stderr } = await coppice(['run', fixture, '--task', 'x', '--data-dir', data], keyFor(server.url))
    expect([code, server.requests.length]).toEqual([2, 0])
    expect(stderr).toContain('interrupt_on: There is no tool "wrte_file". Did you mean write_file?')
    await server[Symbol.asyncDispose]()
  })

  it('5: a limit in dollars says what a model of unknown price counts, or the run is refused', async () => {
    const said = await runTask(() => ({ text: 'Done.' }), '--model', 'own-model')
    expect(said.stderr).toContain('This run stops at $5.00 (budgets.run.cost in settings.json; null lifts it).')
    expect(said.stderr).toContain(
      'The price of own-model is unknown: for limits in dollars, its tokens count as $3 per million of input and $15 per million of output (unknown_price).',
    )
    const [data, server] = [folder(), await startModelServer(() => ({ text: 'never' }))]
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ unknown_price: 'refuse' }))
    const refused = await coppice(
      ['run', fixture, '--task', 'x', '--model', 'own-model', '--data-dir', data],
      keyFor(server.url),
    )
    expect([refused.code, server.requests.length]).toEqual([2, 0])
    expect(refused.stderr).toContain('The price of own-model is unknown, so the limit of $5.00 could not hold.')
    await server[Symbol.asyncDispose]()
  })

  it('14: --trust-mcp starts a server, and every one that stays off is named', async () => {
    const data = folder()
    const args = [join(root, 'e2e/support/mcp-server.ts'), 'good']
    const adder = { command: process.execPath, args }
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ mcp_servers: { adder, other: adder } }))
    await using server = await startModelServer(({ messages }) =>
      messages.length === 1 ? { calls: [{ name: 'mcp__adder__add', input: { a: 20, b: 22 } }] } : { text: 'Done.' },
    )
    const go = (...more: readonly string[]) =>
      coppice(['run', fixture, '--task', 'x', '--json', '--data-dir', data, ...more], keyFor(server.url))
    const off = await go()
    expect(off.stderr).toContain('Not started: the server adder is not trusted. --trust-mcp adder starts it.')
    const nobody = await go('--trust-mcp', 'nobody')
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('Servers: adder, other.')])
    const on = await go('--trust-mcp', 'adder', '--approve', 'all')
    expect(on.stderr).toMatch(/Trusted: the server adder \(.*mcp-server.ts good\)\./)
    expect(on.stderr).toContain('Not started: the server other is not trusted.')
    expect(JSON.stringify(server.requests.at(-1)?.messages.at(-1))).toContain('"42"')
    const read = await coppice(
      ['run', fixture, '--task', 'Do @adder:issue://7.', '--json', '--data-dir', data],
      keyFor(server.url),
    )
    expect(read.stderr).not.toContain('Error')
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain('> Issue 7 is open.')
  })

  it('a bad folder gives a clear message and exit code 1', async () => {
    const file = join(folder(), 'file')
    writeFileSync(file, '')
    const closed = folder()
    chmodSync(closed, 0o000)
    const cases: [string, string][] = [
      ['/does/not/exist', 'There is no folder /does/not/exist'],
      [file, 'is a file. Open the folder that holds it'],
      ...(process.platform === 'linux' ? ([['/proc', 'holds no files of yours']] as [string, string][]) : []),
      ...(process.getuid?.() === 0 ? [] : ([[closed, 'cannot be read']] as [string, string][])),
    ]
    for (const [path, message] of cases) {
      const result = await coppice(['run', path, '--task', 'x', '--model', 'demo', '--data-dir', folder()])
      expect(result.code).toBe(1)
      expect(result.stderr).toContain(message)
    }
    chmodSync(closed, 0o700)
  })

  it('a missing key gives exit code 1 and says what to do', async () => {
    const result = await coppice(['run', fixture, '--task', 'x', '--data-dir', folder()])
    expect(result.code).toBe(1)
    expect(result.stderr).toContain('ANTHROPIC_API_KEY')
    expect(result.stderr).toContain('demo')
  })

  it('names an unknown thread', async () => {
    const result = await coppice(['resume', 'nobody', '--data-dir', folder()])
    expect(result.code).toBe(1)
    expect(result.stderr).toContain('There is no thread nobody')
  })

  it('the demo runs the whole job offline, in its own project and in any other', async () => {
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
