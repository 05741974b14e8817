import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import type { PermissionRules } from '#shared/model/settings.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { ToolEffect } from '#shared/tools/tool-facts.ts'
import type { InterruptSetting } from './interrupt-settings.ts'
import { createJudge, type PolicyOptions } from './policy.ts'
import { noRules } from './rules.ts'
import { subjectOf } from './subject.testkit.ts'

const settings = (change: Partial<PolicyOptions> = {}): PolicyOptions => ({
  interruptOn: new Map(),
  rules: noRules,
  sandboxed: true,
  ...change,
})
const gate = (
  tool: string,
  effect: ToolEffect,
  args: JsonObject = {},
  mode: ApprovalMode = 'auto-edit',
  change: Partial<PolicyOptions> = {},
) => createJudge(settings(change))({ ...subjectOf(tool, args, { effect }), mode }).kind
const withRules = (rules: Partial<PermissionRules>) => ({ rules: { ...noRules, ...rules } })

describe('approval policy', () => {
  it('asks for commands and lets overlay edits and reads run', () => {
    expect([gate('execute', 'outside'), gate('write_file', 'overlay'), gate('read_file', 'read')]).toEqual([
      'ask',
      'run',
      'run',
    ])
  })

  // Mutation: without `leavesProject` an agent in a folder that nobody trusts tells agents of all projects what to do.
  it('asks in a folder that is not trusted about a memory for all projects, before it is written, unless a rule allows it', () => {
    const write = (file: string, mode: ApprovalMode = 'auto', rules: Partial<PermissionRules> = {}) =>
      gate('write_file', 'overlay', { file_path: file }, mode, { ...withRules(rules), isTrusted: false })
    const shared = '/memories/user/always.md'
    expect([write('/memories/own.md'), write('/memories/users.md'), write(shared), write(shared, 'auto-edit')]).toEqual(
      [...['run', 'run', 'ask', 'ask']],
    )
    expect([
      gate('delete', 'overlay', { path: '/memories' }, 'auto', { isTrusted: false }),
      write(shared, 'plan'),
    ]).toEqual(['ask', 'refuse'])
    const move = { from: '/a', to: '/memories/user/a.md' }
    expect(gate('move', 'overlay', move, 'auto', { isTrusted: false })).toBe('ask')
    expect(gate('move', 'overlay', move, 'auto'), 'a trusted folder').toBe('run')
    expect(write(shared, 'auto', { allow: ['Write(/memories/user/**)'] })).toBe('run')
  })

  // Mutation: without `allowsLeaving` each of these, which says nothing of other projects, answers for them.
  it('takes nothing for an answer about all projects that was not said about memories', () => {
    const args = { file_path: '/memories/user/always.md' }
    const gateOf = (change: Partial<PolicyOptions>, tool = 'write_file', given: JsonObject = args) =>
      gate(tool, 'overlay', given, 'auto', { isTrusted: false, ...change })
    const broad = ['write_file', 'Write', 'write_file(**)', 'write_file(/**)', 'write_file(*.md)', 'write_file(/m*/**)']
    expect(broad.map((rule) => [rule, gateOf(withRules({ allow: [rule] }))])).toEqual(
      broad.map((rule) => [rule, 'ask']),
    )
    expect(gateOf({ interruptOn: new Map([['write_file', false as const]]) }), 'a setting about the tool').toBe('ask')
    expect(gateOf({ asks: false }), 'approvals switched off').toBe('ask')
    const named = ['write_file(/memories/**)', 'write_file(/memories/user/always.md)']
    expect(named.map((rule) => gateOf(withRules({ allow: ['write_file', rule] })))).toEqual(['run', 'run'])
    const move = { from: '/a', to: '/memories/user/a.md' }
    const moves = (allow: string[]) => gateOf(withRules({ allow }), 'move', move)
    expect([moves(['move']), moves(['move(/a)', 'move(/memories/user/**)'])]).toEqual(['ask', 'run'])
    expect(gateOf(withRules({ allow: ['delete(/memories)'] }), 'delete', { path: '/memories' })).toBe('run')
  })

  it('asks for every change in mode Ask and refuses it in mode Plan, except for changes of the plan', () => {
    expect([
      gate('edit_file', 'overlay', {}, 'ask'),
      gate('edit_file', 'overlay', {}, 'plan'),
      gate('execute', 'outside', {}, 'plan'),
    ]).toEqual(['ask', 'refuse', 'refuse'])
    expect(gate('write_todos', 'plan', {}, 'plan')).toBe('run')
  })

  it.each([
    '/.env',
    '/config/.env.local',
    '/keys/server.pem',
    '/home/id_rsa',
    'credentials.json',
    '/.env/',
    '/.env/.',
    'a/../.env',
  ])('asks before %s is read', (file_path) => {
    expect(gate('read_file', 'read', { file_path })).toBe('ask')
  })
  it('writes a possible secret without asking, and shows none of it', () => {
    const args = { file_path: '/.env', from: '/.env', to: '/a' }
    expect(['write_file', 'edit_file', 'move'].map((tool) => gate(tool, 'overlay', args))).toEqual([
      'run',
      'ask',
      'ask',
    ])
  })
  it.each(['/.env.example', '/src/environment.ts', '/keys.ts'])('reads %s without asking', (file_path) => {
    expect(gate('read_file', 'read', { file_path })).toBe('run')
  })

  it('obeys interrupt_on', () => {
    const interruptOn = new Map<string, boolean>([
      ['ask_user', true],
      ['grep', true],
      ['execute', false],
    ])
    expect([
      gate('grep', 'read', {}, 'auto-edit', { interruptOn }),
      gate('execute', 'outside', {}, 'auto-edit', { interruptOn }),
    ]).toEqual(['ask', 'run'])
  })

  it('applies interrupt_on only to calls that fit its `when`', () => {
    const when = (pattern: string): InterruptSetting => ({ allowed_decisions: ['approve', 'reject'], when: [pattern] })
    const interruptOn = new Map([
      ['execute', when('rm *')],
      ['read_file', when('/private/**')],
    ])
    const gated = (tool: string, effect: ToolEffect, args: JsonObject) =>
      gate(tool, effect, args, 'auto-edit', { interruptOn })
    expect([
      gated('execute', 'outside', { command: 'ls; rm -r x' }),
      gated('execute', 'outside', { command: 'ls' }),
      gated('read_file', 'read', { file_path: '/private/a' }),
      gated('read_file', 'read', { file_path: '/a' }),
      gated('read_file', 'read', { file_path: '/.env' }),
    ]).toEqual(['ask', 'run', 'ask', 'run', 'ask'])
  })

  it('asks for every command without a sandbox, whatever settings and rules say', () => {
    const interruptOn = new Map([['execute', false]])
    const open = { sandboxed: false, ...withRules({ allow: ['execute(ls)'] }) }
    expect([
      gate('execute', 'outside', { command: 'ls' }, 'auto', open),
      gate('execute', 'outside', { command: 'ls' }, 'auto', { sandboxed: false, interruptOn }),
    ]).toEqual(['ask', 'ask'])
  })

  it('allows only an answer to a question for the user', () => {
    const answer = createJudge(settings())({ ...subjectOf('ask_user'), mode: 'auto' })
    expect(answer).toMatchObject({ kind: 'ask', allowed: ['respond'] })
  })
})

describe('permission rules', () => {
  it.each(['/secret/a', '//secret/a', '/x/../secret/a', 'secret/./a'])('denies %s however it is spelled', (path) => {
    const rules = withRules({ deny: ['*(/secret/**)'] })
    expect(gate('read_file', 'read', { file_path: path }, 'auto', rules)).toBe('refuse')
    expect(gate('move', 'overlay', { from: '/a', to: path }, 'auto', rules)).toBe('refuse')
  })
  it('allows a move only if both ends are allowed', () => {
    const rules = withRules({ allow: ['move(/src/**)'] })
    const moved = (to: string) => gate('move', 'overlay', { from: '/src/a', to }, 'ask', rules)
    expect([moved('/src/b'), moved('/b')]).toEqual(['run', 'ask'])
  })
  it.each(['grep', 'edit_file', 'multi_edit', 'move', 'run_js_file'])(
    'keeps %s from a file that may not be read',
    (tool) => {
      const rules = withRules({ deny: ['Read(secret/**)'] })
      const args = { file_path: '/secret/a', path: '/secret/a', from: '/secret/a', to: '/b' }
      expect(gate(tool, 'overlay', args, 'auto', rules)).toBe('refuse')
    },
  )
  it.each(['write_file', 'multi_edit', 'move', 'delete'])(
    'keeps %s from changing a file that may not be edited',
    (tool) => {
      const rules = withRules({ deny: ['Edit(src/**)'] })
      const args = { file_path: '/src/a', path: '/src/a', from: '/b', to: '/src/a' }
      expect(gate(tool, 'overlay', args, 'auto', rules)).toBe('refuse')
      expect(gate('read_file', 'read', args, 'auto', rules)).toBe('run')
    },
  )
  it("applies a bare rule with Claude Code's name to all tools that it stands for", () => {
    const refused = (rule: string, tool: string) =>
      gate(tool, 'overlay', { file_path: '/a' }, 'auto', withRules({ deny: [rule] }))
    expect(['write_file', 'edit_file', 'multi_edit', 'read_file'].map((tool) => refused('Edit', tool))).toEqual([
      'refuse',
      'refuse',
      'refuse',
      'run',
    ])
    expect(['read_file', 'grep', 'write_file'].map((tool) => refused('Read', tool))).toEqual([
      'refuse',
      'refuse',
      'run',
    ])
  })
  it('applies a rule without a file only to its own tool', () => {
    expect(gate('edit_file', 'overlay', { file_path: '/a' }, 'auto', withRules({ ask: ['write_file'] }))).toBe('run')
  })
  it.each(['constructor', '__proto__(x)', 'toString'])('matches nothing with a rule named %s', (rule) => {
    expect(gate('read_file', 'read', { file_path: '/a' }, 'auto', withRules({ deny: [rule] }))).toBe('run')
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

describe('an address of the web', () => {
  const page = 'https://docs.example/guide'
  const ask = (mode: ApprovalMode, change: Partial<PolicyOptions> = {}, url = page) =>
    createJudge(settings(change))({ ...subjectOf('fetch_url', { url }), mode })

  // Mutation: without `access.host` in `defaultReason`, it is fetched unasked.
  it.each(['plan', 'ask', 'auto-edit', 'auto'] as const)(
    'asks in the mode %s, and not where a rule allows its host',
    (mode) => {
      expect(ask(mode)).toMatchObject({ kind: 'ask', rule: 'default: no rule allows docs.example', risk: 'medium' })
      expect(ask(mode, withRules({ allow: ['WebFetch(domain:docs.example)'] })).kind).toBe('run')
      expect(
        ask(mode, withRules({ allow: ['WebFetch(domain:docs.example)'] }), 'https://docs.example.evil.example/').kind,
      ).toBe('ask')
      expect(ask(mode, withRules({ deny: ['WebFetch'] })).kind).toBe('refuse')
    },
  )
})
