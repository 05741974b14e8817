import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { byTask } from '../../e2e/model-server/scenario.ts'
import { root } from '../../e2e/support/coppice.ts'
import { openTestHost } from '../../src/main/host/testing/test-host.testkit.ts'
import { coppice } from './coppice.testkit.ts'

const usage = { input_tokens: 10_000, output_tokens: 100 }
const scenario = byTask({
  'delegate it': [
    { calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'help', name: 'helper' }] } }], usage },
    { text: 'Done.', usage },
  ],
  help: [{ text: 'Helped.', usage }],
})

interface Group {
  readonly name: string | null
  readonly run: number | null
  readonly usage: { readonly modelCalls: number; readonly inputTokens: number; readonly cost: number | null }
}

/** A project in which one thread used a model with a price, and another one a model without. */
async function open() {
  const server = await startModelServer(scenario)
  const work = mkdtempSync(join(tmpdir(), 'coppice-usage-'))
  const [project, data] = [join(work, 'ledger'), join(work, 'data')]
  cpSync(join(root, 'e2e/fixtures/ledger'), project, { recursive: true })
  mkdirSync(data)
  const gate = { kind: 'openai', base_url: `${server.url}/v1`, auth: { env: 'GATE_TOKEN' } }
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ providers: { gate } }))
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url, GATE_TOKEN: 'token' }
  const run = (task: string, ...args: readonly string[]) =>
    coppice(['run', project, '--task', task, '--data-dir', data, ...args], environment)
  for (const done of [await run('delegate it'), await run('=another, "one"', '--model', 'gate/m1')])
    expect(done.code, done.stderr).toBe(0)
  const ask = (...args: readonly string[]) => coppice(['usage', project, '--data-dir', data, ...args])
  return {
    ...{ work, project, data, ask },
    groups: async (...args: readonly string[]) => {
      const { stdout, stderr } = await ask('--json', ...args)
      expect(stdout, stderr).not.toBe('')
      return (JSON.parse(stdout) as { readonly groups: readonly Group[] }).groups
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

describe('coppice usage', () => {
  it('adds up by every group, without a key, while a window has the project open', async () => {
    await using world = await open()
    await using host = await openTestHost(world.data)
    await host.projects.open(world.project)
    const sums = new Set<string>()
    for (const by of ['day', 'thread', 'agent', 'branch', 'batch', 'run', 'model', 'project']) {
      const groups = await world.groups('--by', by)
      const sum = (figure: 'modelCalls' | 'inputTokens') => groups.reduce((all, one) => all + one.usage[figure], 0)
      sums.add(`${sum('modelCalls')} calls, ${sum('inputTokens')} tokens`)
    }
    expect([...sums]).toEqual(['4 calls, 30100 tokens'])
    const agents = await world.groups('--by', 'agent')
    expect(agents.map(({ name, usage: { modelCalls } }) => [name, modelCalls])).toEqual([
      ['main', 2],
      ['helper', 1],
      ['main', 1],
    ])
    const models = await world.groups('--by', 'model')
    expect(models.map(({ name, usage: { cost } }) => [name, cost === null])).toEqual([
      [expect.stringContaining('claude'), false],
      ['gate/m1', true],
    ])
    const shown = await world.ask('--by', 'model')
    expect(shown.stdout).toMatch(/^COST +CALLS +INPUT +CACHED +OUTPUT +MODEL\n/)
    expect(shown.stdout).toMatch(/\nunknown +1 .*gate\/m1\n/)
    expect(shown.stdout).toMatch(/\nat least \$\d.* all\n/)
    expect(shown.stdout).toMatch(/The price of \d+ tokens is unknown\. Their cost is left out\./)
  })

  it('writes CSV with every column, in which no cell is a formula', async () => {
    await using world = await open()
    const file = join(world.work, 'usage.csv')
    const saved = await world.ask('--csv', file)
    expect([saved.code, saved.stdout, saved.stderr]).toEqual([0, '', `The usage is in ${file}.\n`])
    const printed = await world.ask('--csv', '-')
    expect(printed.stdout).toBe(readFileSync(file, 'utf8'))
    const lines = printed.stdout.split('\r\n')
    expect(lines[0]).toMatch(/^day,thread,thread_id,agent,agent_id,agent_type,depth,branch,.*,cost_usd,/)
    expect(lines.filter((line) => line.includes('"\'=another, ""one"""'))).toHaveLength(1)
    const groups = await world.ask('--by', 'model', '--csv', '-')
    expect(groups.stdout).toMatch(
      /^model,id,thread,run,model_calls,[^\r]*\r\n[^\r]*claude[^\r]*\r\ngate\/m1,[^\r]*\r\n$/,
    )
  })

  it('leaves out what was used before a day, and says so when there is nothing', async () => {
    await using world = await open()
    expect((await world.groups('--since', '2020-01-01')).length).toBe(2)
    expect((await world.ask('--since', '2999-01-01')).stdout).toBe('No agent has asked a model in this time.\n')
    const empty = mkdtempSync(join(tmpdir(), 'coppice-usage-'))
    expect((await coppice(['usage', empty, '--data-dir', world.data])).stdout).toContain('No agent has asked')
  })

  it('names a project that it cannot read, and adds up the others', async () => {
    await using world = await open()
    const broken = join(world.data, 'projects/broken')
    mkdirSync(broken)
    writeFileSync(join(broken, 'project.json'), '{"id":"broken","rootFolder":"/x","kind":"folder","name":"x"}')
    writeFileSync(join(broken, 'project.db'), 'This is no database. '.repeat(400))
    const { code, stdout, stderr } = await world.ask('--by', 'project', '--json')
    expect(code).toBe(0)
    expect(stderr).toContain('x is left out: The database file of this project is not a database.')
    expect(JSON.parse(stdout)).toMatchObject({ groups: [{ name: 'ledger' }], leftOut: [{ name: 'x' }] })
  })

  for (const [args, message] of [
    [['--by', 'week'], '--by takes day, thread, agent, branch, batch, run, model, project, not "week"'],
    [['--since', '22.11.2026'], '--since takes a day such as'],
    [['--csv', '-', '--json'], '--json prints to standard output'],
    [['--csv', '/no/such/place/x.csv'], 'there is no folder /no/such/place'],
  ] as const) {
    it(`usage error: ${message}`, async () => {
      const { code, stderr } = await coppice(['usage', ...args, '--data-dir', mkdtempSync(join(tmpdir(), 'coppice-'))])
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    })
  }
})
