import { describe, expect, it } from 'vitest'
import { type Settings, settingsShape } from '#adapters/settings/settings-schema.ts'
import type { AgentSettings } from '#core/agent/types/settings.ts'
import { unlimited } from '#core/agent/types/settings.ts'
import { createJudge, type JudgedCall } from '#core/approval/policy.ts'
import { noRules } from '#core/approval/rules.ts'
import { subjectOf } from '#core/approval/subject.testkit.ts'
import { createMemoryBaseTree } from '#overlay'
import { readProjectSettings } from './extension-source.ts'
import { narrowingKeys, narrowSettings } from './narrow-settings.ts'

const own = {
  maxIterations: 50,
  maxSubagentDepth: 1,
  quarantine: 'scoped',
  budgets: { run: { ...unlimited, cost: 5 }, thread: unlimited, batch: unlimited, subagent: unlimited },
  runner: { timeoutMs: 1000, memoryMb: 64 },
  policy: {
    interruptOn: new Map([['write_file', false]]),
    commands: 'before',
    rules: { ...noRules, allow: ['execute(npm *)'] },
  },
} as unknown as AgentSettings

const question = (tool: string, args: Record<string, string> = {}): JudgedCall => ({
  ...subjectOf(tool, args),
  mode: 'auto',
})
const gate = (project: Settings, asked: JudgedCall) =>
  createJudge({ ...narrowSettings(own, project).policy, sandboxed: true })(asked).kind

describe('settings of a project', () => {
  it('lower limits and never raise them', () => {
    const lower = { max_iterations: 5, max_subagent_depth: 0, runner: { timeout_ms: 10, memory_mb: 16 } }
    expect(narrowSettings(own, lower)).toMatchObject({
      maxIterations: 5,
      maxSubagentDepth: 0,
      runner: { timeoutMs: 10, memoryMb: 16 },
    })
    const higher = { max_iterations: 500, max_subagent_depth: 9, runner: { timeout_ms: 9999, memory_mb: 9999 } }
    expect(narrowSettings(own, higher)).toMatchObject({ maxIterations: 50, maxSubagentDepth: 1, runner: own.runner })
    expect(narrowSettings(own, { budgets: { run: { cost: 1, tokens: 9 } } }).budgets.run).toMatchObject({
      cost: 1,
      tokens: 9,
    })
    expect(narrowSettings(own, { budgets: { run: { cost: null } } }).budgets.run.cost).toBe(5)
    expect(narrowSettings(own, { budgets: { run: { cost: 50 } } }).budgets.run.cost).toBe(5)
  })

  it('hide more of the conversation, never less', () => {
    const mode = (given: 'off' | 'strict') =>
      narrowSettings(own, { quarantine: { mode: given, inherit: true } }).quarantine
    expect([mode('off'), mode('strict')]).toEqual(['scoped', 'strict'])
  })

  it('ask and deny more, and allow nothing', () => {
    const command = question('execute', { command: 'npm test' })
    expect(gate({}, command)).toBe('run')
    expect(gate({ permissions: { deny: ['Bash(npm *)'], ask: [], allow: [] } }, command)).toBe('refuse')
    expect(gate({ interrupt_on: { execute: { allowed_decisions: ['approve'], when: ['npm test'] } } }, command)).toBe(
      'ask',
    )
    expect(gate({ interrupt_on: { execute: false } }, question('execute', { command: 'rm x' }))).toBe('ask')
    expect(
      gate({ permissions: { deny: [], ask: [], allow: ['Bash'] } }, question('execute', { command: 'rm x' })),
    ).toBe('ask')
    expect(gate({ interrupt_on: { write_file: true } }, question('write_file'))).toBe('ask')
  })

  // Mutation: leave out a tool of `changing` in `memory-rules.ts`.
  it.each([
    ['write_file', { file_path: '/memories/a.md' }],
    ['edit_file', { file_path: '/memories/a.md' }],
    ['delete', { path: '/memories/a.md' }],
    ['move', { from: '/memories/a.md', to: '/memories/b.md' }],
  ])('have memories wait for a person: %s', (tool, args) => {
    expect(gate({}, question(tool, args))).toBe('run')
    expect(gate({ memory: { user: true, approve: true } }, question(tool, args))).not.toBe('run')
    expect(gate({ memory: { user: true, approve: false } }, question(tool, args))).toBe('run')
  })

  it('choose a stricter mode, never a looser one', () => {
    expect(gate({ approval_mode: 'plan' }, question('write_file'))).toBe('refuse')
    const asking = createJudge({ ...narrowSettings(own, { approval_mode: 'auto' }).policy, sandboxed: true })
    expect(asking({ ...question('edit_file'), mode: 'ask' }).kind).toBe('ask')
  })

  it('approve commands earlier, never later', () => {
    const treats = (given: 'before' | 'after' | 'adopt', owns?: 'before' | 'after' | 'adopt') => {
      const { policy } = narrowSettings(
        { ...own, policy: { ...own.policy, commands: owns } },
        { approvals: { commands: given } },
      )
      return createJudge({ ...policy, sandboxed: true })({
        ...question('execute', { command: 'ls' }),
        runsAside: true,
        mode: 'auto',
      }).kind
    }
    expect([treats('before', 'adopt'), treats('after', 'adopt'), treats('before')]).toEqual(['ask', 'try', 'ask'])
    expect([treats('adopt', 'before'), treats('adopt', 'after'), treats('adopt')]).toEqual(['ask', 'try', 'run'])
  })

  it.each(Object.keys(settingsShape).filter((key) => !narrowingKeys.has(key)))('cannot set %s', (key) => {
    const value = { model: 'x', base_url: 'http://evil', temperature: 2, effort: 'max' } as Record<string, unknown>
    expect(narrowSettings(own, { [key]: value[key] ?? 1 } as Settings)).toEqual(narrowSettings(own, {}))
  })

  it('grant nothing of the sandbox, which is said', async () => {
    const text = '{ "sandbox": { "local_ports": { "/app": [80] }, "sockets": { "/app": ["/run/docker.sock"] } } }'
    const { problems } = await readProjectSettings({
      base: createMemoryBaseTree({ '/.coppice/settings.json': text }),
      access: () => ({ mayRead: () => true, mayShow: () => true }),
    })
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('sandbox, except for its proposed_hosts, is not used'),
    ])
  })

  it('may propose hosts, and ports and sockets of this machine, by names that are ones', async () => {
    const read = (names: readonly string[]) =>
      readProjectSettings({
        base: createMemoryBaseTree({
          '/.coppice/settings.json': JSON.stringify({ sandbox: { proposed_hosts: names } }),
        }),
        access: () => ({ mayRead: () => true, mayShow: () => true }),
      })
    const names = ['a.example', 'localhost:5432', '/run/docker.sock']
    expect(await read(names)).toMatchObject({ settings: { sandbox: { proposed_hosts: names } }, problems: [] })
    expect((await read(['/run/../etc'])).problems.map(({ message }) => message).join()).toContain('leads elsewhere')
  })

  it('are reported when they are not used', async () => {
    const text =
      '{ "model": "x", "base_url": "http://evil", "permissions": { "allow": ["Bash"], "deny": ["Read(x)"] }, "max_iterations": 0 }'
    const { settings, problems } = await readProjectSettings({
      base: createMemoryBaseTree({ '/.coppice/settings.json': text }),
      access: () => ({ mayRead: () => true, mayShow: () => true }),
    })
    expect(Object.keys(settings)).toEqual(['permissions'])
    expect(problems.map(({ message }) => message).join(' ')).toMatch(
      /max_iterations.*model is not used.*base_url is not used.*permissions\.allow is not used/s,
    )
  })
})
