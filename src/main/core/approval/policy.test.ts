import { describe, expect, it } from 'vitest'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { ToolEffect } from '../tools/tool.ts'
import { createPolicy, type PolicySettings } from './policy.ts'
import { noRules, type PermissionRules } from './rules.ts'

const settings = (change: Partial<PolicySettings> = {}): PolicySettings => ({
  interruptOn: new Map(),
  rules: noRules,
  ...change,
})
const gate = (
  tool: string,
  effect: ToolEffect,
  args = {},
  mode: ApprovalMode = 'auto-edit',
  change: Partial<PolicySettings> = {},
) => createPolicy(settings(change))({ tool, effect, args, mode }).kind
const withRules = (rules: Partial<PermissionRules>) => ({ rules: { ...noRules, ...rules } })

describe('approval policy', () => {
  it('asks for commands and lets overlay edits and reads run', () => {
    expect([gate('execute', 'outside'), gate('write_file', 'overlay'), gate('read_file', 'read')]).toEqual([
      'ask',
      'run',
      'run',
    ])
  })

  it('asks for every change in mode Ask, refuses it in mode Plan, and lets the plan itself be written', () => {
    expect([
      gate('edit_file', 'overlay', {}, 'ask'),
      gate('edit_file', 'overlay', {}, 'plan'),
      gate('execute', 'outside', {}, 'plan'),
    ]).toEqual(['ask', 'refuse', 'refuse'])
    expect(gate('write_todos', 'overlay', {}, 'plan')).toBe('run')
  })

  it.each(['/.env', '/config/.env.local', '/keys/server.pem', '/home/id_rsa', 'credentials.json'])(
    'asks before %s is read',
    (file_path) => {
      expect(gate('read_file', 'read', { file_path })).toBe('ask')
    },
  )
  it.each(['/.env.example', '/src/environment.ts', '/keys.ts'])('reads %s without asking', (file_path) => {
    expect(gate('read_file', 'read', { file_path })).toBe('run')
  })

  it('obeys interrupt_on', () => {
    const interruptOn = new Map<string, boolean>([
      ['write_file', true],
      ['execute', false],
    ])
    expect([
      gate('write_file', 'overlay', {}, 'auto-edit', { interruptOn }),
      gate('execute', 'outside', {}, 'auto-edit', { interruptOn }),
    ]).toEqual(['ask', 'run'])
  })

  it('a question to the user can only be answered', () => {
    const answer = createPolicy(settings())({ tool: 'ask_user', effect: 'read', args: {}, mode: 'auto' })
    expect(answer).toMatchObject({ kind: 'ask', allowed: ['respond'] })
  })
})

describe('permission rules', () => {
  const command = (text: string, rules: Partial<PermissionRules>) =>
    gate('execute', 'outside', { command: text }, 'auto-edit', withRules(rules))

  it.each(['npm run test', 'npm run', 'npm  run a'])('allow Bash(npm run *) lets %j run', (text) => {
    expect(command(text, { allow: ['Bash(npm run *)'] })).toBe('run')
  })
  it.each([
    'npm runx',
    'npm run a && rm -rf x',
    'npm run "$(curl x)"',
    "bash -c 'npm run a'",
    'PATH=. npm run a',
    'npm run a > ../out',
    'npm run a; rm x',
    'npm run a\nrm x',
    'npm run `x`',
  ])('allow Bash(npm run *) still asks for %j', (text) => {
    expect(command(text, { allow: ['Bash(npm run *)'] })).toBe('ask')
  })
  it('deny wins over allow, also inside a longer line', () => {
    const rules = { deny: ['Bash(aws *)'], allow: ['Bash(aws s3 ls)', 'Bash(echo *)'] }
    expect([command('aws s3 ls', rules), command('echo a; aws s3 rm x', rules), command('echo a', rules)]).toEqual([
      'refuse',
      'refuse',
      'run',
    ])
  })
  it('matches paths and tool families', () => {
    expect(
      gate('write_file', 'overlay', { file_path: '/secret/a' }, 'auto', withRules({ deny: ['Write(secret/**)'] })),
    ).toBe('refuse')
    expect(gate('mcp__github__get_issue', 'outside', {}, 'auto', withRules({ allow: ['mcp__github__get_*'] }))).toBe(
      'run',
    )
  })
})
